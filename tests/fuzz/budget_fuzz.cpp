// Any request to any operation of budgets is answered with JSON that has `valid` and findings, the same twice; and any
// text costs at least one token and at most one a byte, and is cut into pieces without a rest.
#include "core/budget/operations.hpp"
#include "core/json/value.hpp"
#include "core/text/bpe_pieces.hpp"
#include "core/text/tokens.hpp"
#include "tests/fuzz/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace text = plumb::text;
  static const text::CharacterKinds kinds;
  const std::string_view request(reinterpret_cast<const char*>(data), size);
  for (const plumb::budget::Operation& operation : plumb::budget::operations()) {
    const std::string one = plumb::budget::answer(operation, request);
    plumb::fuzz::expect(one == plumb::budget::answer(operation, request), "the same request gives the same answer",
                        one);
    plumb::json::Arena arena;
    const auto read = plumb::json::parse(one, arena);
    plumb::fuzz::expect(static_cast<bool>(read), "an answer is JSON", one);
    const plumb::json::Value* valid = read.value().find("valid");
    const plumb::json::Value* findings = read.value().find("findings");
    plumb::fuzz::expect(valid != nullptr && findings != nullptr, "an answer has `valid` and `findings`", one);
    plumb::fuzz::expect(valid->boolean || !findings->array().empty(), "what is not valid has a finding", one);
  }
  const text::TokenEstimate cost = text::estimate_tokens(request);
  plumb::fuzz::expect(cost.likely <= cost.safe && cost.safe <= size, "an estimate is within the bytes");
  plumb::fuzz::expect(size == 0 || cost.likely >= 1, "what is there costs something");
  for (const text::Encoding encoding : {text::Encoding::o200k_base, text::Encoding::cl100k_base}) {
    for (std::size_t from = 0; from < size;) {
      const std::size_t end = text::piece_end(request, from, encoding, kinds);
      plumb::fuzz::expect(end > from && end <= size, "a piece has a byte and ends in the text");
      from = end;
    }
  }
  return 0;
}
