#include "core/wire/usage_numbers.hpp"

#include "core/json/decimal.hpp"
#include "core/json/number_text.hpp"

namespace plumb::wire {

namespace {

struct Name {
  std::string_view outer;
  std::string_view name;
};
// In the order of UsagePlace.
constexpr std::array<Name, 12> names = {{
    {"", "prompt_tokens"},
    {"", "completion_tokens"},
    {"prompt_tokens_details", "cached_tokens"},
    {"completion_tokens_details", "reasoning_tokens"},
    {"", "input_tokens"},
    {"", "output_tokens"},
    {"", "cache_read_input_tokens"},
    {"", "cache_creation_input_tokens"},
    {"", "prompt_eval_count"},
    {"", "eval_count"},
    {"input_tokens_details", "cached_tokens"},
    {"output_tokens_details", "reasoning_tokens"},
}};

void add_members(const json::Value& object, std::string_view outer, UsageNumbers& numbers) {
  for (const json::Member& member : object.object()) {
    std::uint64_t number = 0;
    if (member.value.is(json::Kind::object) && outer.empty()) {
      add_members(member.value, member.key, numbers);
    } else if (const auto place = usage_place(outer, member.key);
               place && member.value.is(json::Kind::number) && read_count(member.value.str(), number)) {
      numbers.set(*place, number);
    }
  }
}

}  // namespace

std::optional<UsagePlace> usage_place(std::string_view outer, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].name == name && names[i].outer == outer) {
      return static_cast<UsagePlace>(i);
    }
  }
  return std::nullopt;
}

UsageNumbers usage_numbers(const json::Value& holder) {
  UsageNumbers numbers;
  add_members(holder, {}, numbers);
  return numbers;
}

bool tell_usage(Wire wire, const UsageNumbers& numbers, Usage& usage) {
  bool any = false;
  switch (wire) {
    case Wire::openai:
      any = numbers.take(UsagePlace::prompt_tokens, usage.input_tokens);
      any = numbers.take(UsagePlace::completion_tokens, usage.output_tokens) || any;
      numbers.take(UsagePlace::prompt_cached_tokens, usage.cached_tokens);
      numbers.take(UsagePlace::completion_reasoning_tokens, usage.reasoning_tokens);
      break;
    case Wire::anthropic: {
      // `input_tokens` leaves out what has to do with the cache, ours does not.
      std::uint64_t input = usage.input_tokens - usage.cached_tokens - usage.cache_written_tokens;
      any = numbers.take(UsagePlace::input_tokens, input);
      any = numbers.take(UsagePlace::cache_read_tokens, usage.cached_tokens) || any;
      any = numbers.take(UsagePlace::cache_written_tokens, usage.cache_written_tokens) || any;
      any = numbers.take(UsagePlace::output_tokens, usage.output_tokens) || any;
      usage.input_tokens = input + usage.cached_tokens + usage.cache_written_tokens;
      break;
    }
    case Wire::responses:
      any = numbers.take(UsagePlace::input_tokens, usage.input_tokens);
      any = numbers.take(UsagePlace::output_tokens, usage.output_tokens) || any;
      numbers.take(UsagePlace::input_cached_tokens, usage.cached_tokens);
      numbers.take(UsagePlace::output_reasoning_tokens, usage.reasoning_tokens);
      break;
    case Wire::ollama:
      any = numbers.take(UsagePlace::prompt_eval_count, usage.input_tokens);
      any = numbers.take(UsagePlace::eval_count, usage.output_tokens) || any;
      break;
  }
  usage.known = usage.known || any;
  return any;
}

bool read_count(std::string_view number_text, std::uint64_t& number) {
  if (json::read_uint(number_text, number)) {
    return true;
  }
  json::Decimal decimal;
  return json::Decimal::read(number_text, json::Decimal::exponent_max_default, decimal) == json::DecimalStatus::ok &&
         decimal.to_uint64(number);
}

}  // namespace plumb::wire
