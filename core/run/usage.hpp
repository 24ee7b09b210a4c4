// Usage: the tokens of a model call, from the member `usage` of its reply.
#pragma once

#include <cstdint>
#include <span>

#include "core/json/record.hpp"

namespace plumb::run {

struct Usage {
  std::uint64_t input_tokens = 0, output_tokens = 0;
  std::uint64_t reasoning_tokens = 0;  // included in the output
  std::uint64_t tokens() const { return input_tokens + output_tokens; }
  static std::span<const json::Field> fields();
};
// All zero if the reply has no usage.
Usage usage_of(const json::Value& reply);

}  // namespace plumb::run
