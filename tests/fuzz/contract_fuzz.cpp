// Any text is a contract or is refused with a reason; what is accepted can judge any artifact, says the same twice, and
// has a hash that follows from its text.
#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/contract/render.hpp"
#include "core/json/value.hpp"
#include "tests/fuzz/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plumb::contract::Contract;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  plumb::contract::ReadOptions options;
  options.assert_formats = (size & 1U) != 0;
  auto contract = Contract::read(text, options);
  if (!contract) {
    plumb::fuzz::expect(!contract.error().message.empty(), "an error has a message");
    return 0;
  }
  const auto again = Contract::read(text, options);
  plumb::fuzz::expect(static_cast<bool>(again) && again.value().hash() == contract.value().hash(),
                      "the same text gives the same contract");
  constexpr std::string_view artifacts[] = {
      "{}",
      "[]",
      "null",
      "\"a\"",
      "-1.5e3",
      "[1,1.0,[{}],\"a\",\"a\"]",
      R"({"a":{"b":[1,2,{"a":1}]},"b":"x","questions":[{"options":["a","A "]}],"root":{"label":"a","children":[]}})",
  };
  for (const std::string_view artifact : artifacts) {
    plumb::contract::CheckOptions check_options;
    check_options.limits.evaluations_max = 1000;
    const std::string one = plumb::contract::verdict_json(check_text(contract.value(), artifact, check_options));
    const std::string two = plumb::contract::verdict_json(check_text(again.value(), artifact, check_options));
    plumb::fuzz::expect(one == two, "the same contract and artifact give the same verdict", one, two);
    plumb::json::Arena arena;
    plumb::fuzz::expect(static_cast<bool>(plumb::json::parse(one, arena)), "a verdict is JSON", one);
  }
  return 0;
}
