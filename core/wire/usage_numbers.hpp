// The numbers in which providers tell how many tokens a call has taken, the same for an answer that is read as a tree
// and for one that only passes.
//
//   UsageNumbers numbers = usage_numbers(tree, Wire::openai);  // of a tree
//   numbers.set(place, 12);                                    // or one by one, where usage_place() knows the name
//   tell_usage(Wire::openai, numbers, usage);                  // true: something was told
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/json/value.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

enum class UsagePlace : std::uint8_t {
  prompt_tokens,
  completion_tokens,
  prompt_cached_tokens,
  completion_reasoning_tokens,
  input_tokens,
  output_tokens,
  cache_read_tokens,
  cache_written_tokens,
  prompt_eval_count,
  eval_count,
  input_cached_tokens,
  output_reasoning_tokens,
};

// `outer`: the member of `usage` that it is in; empty for usage itself (Ollama: the answer itself).
std::optional<UsagePlace> usage_place(std::string_view outer, std::string_view name);

class UsageNumbers {
 public:
  void set(UsagePlace place, std::uint64_t number) { at(place) = number; }
  // Leaves `number` where it was not told.
  bool take(UsagePlace place, std::uint64_t& number) const {
    const std::optional<std::uint64_t>& told = numbers_[static_cast<std::size_t>(place)];
    number = told.value_or(number);
    return told.has_value();
  }

 private:
  std::optional<std::uint64_t>& at(UsagePlace place) { return numbers_[static_cast<std::size_t>(place)]; }
  std::array<std::optional<std::uint64_t>, static_cast<std::size_t>(UsagePlace::output_reasoning_tokens) + 1> numbers_ =
      {};
};

// Of the object that holds them: `usage`, or Ollama's answer.
UsageNumbers usage_numbers(const json::Value& holder);

// What was told before stays where it is not told again. False where nothing was told.
bool tell_usage(Wire wire, const UsageNumbers& numbers, Usage& usage);

// An integer from 0 on, as JSON may write it (12, 12.0, 1e3).
bool read_count(std::string_view number_text, std::uint64_t& number);

}  // namespace plumb::wire
