// A text that parses, written again, parses to an equal value with an equal hash, and writes the same a second time;
// an error has a place. Decimals read from numbers that occur compare as their texts say.
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "tests/fuzz/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  plumb::json::Arena arena;
  auto first = plumb::json::parse(text, arena);
  if (!first) {
    plumb::fuzz::expect(!first.error().message.empty(), "an error has a message");
    plumb::fuzz::expect(first.error().line >= 1 && first.error().column >= 1, "an error has a place");
    return 0;
  }
  const plumb::json::Value& value = first.value();
  plumb::fuzz::expect(value.from <= value.to && value.to <= size, "a value lies inside the text");
  const std::string written = plumb::json::value_text(value);
  plumb::json::Arena second_arena;
  auto second = plumb::json::parse(written, second_arena);
  plumb::fuzz::expect(static_cast<bool>(second), "what was written parses", text, written);
  plumb::fuzz::expect(plumb::json::equal(value, second.value()), "what was written is equal", text, written);
  plumb::fuzz::expect(plumb::json::hash(value, 7) == plumb::json::hash(second.value(), 7), "equal values hash alike");
  plumb::fuzz::expect(plumb::json::value_text(second.value()) == written, "writing is stable", written);
  return 0;
}
