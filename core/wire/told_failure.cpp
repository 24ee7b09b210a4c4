#include "core/wire/told_failure.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace plumb::wire {

namespace {

constexpr std::size_t body_bytes_max = std::size_t{1} << 20;

}  // namespace

bool says_too_long(const Failure& failure) {
  if (failure.failure_class != FailureClass::bad_request) {
    return false;
  }
  constexpr std::array<std::string_view, 2> codes = {"context_length_exceeded", "exceed_context_size_error"};
  // Anthropic ("prompt is too long: 210000 tokens > 200000 maximum"), vLLM ("This model's maximum context length is"),
  // llama.cpp and Ollama ("exceeds the available context size", "exceeds the context length").
  constexpr std::array<std::string_view, 6> says = {"prompt is too long",     "input is too long", "context length",
                                                    "available context size", "context window",    "context limit"};
  const auto said = [&](std::string_view one) { return failure.message.find(one) != std::string::npos; };
  return std::find(codes.begin(), codes.end(), failure.code) != codes.end() ||
         std::any_of(says.begin(), says.end(), said);
}

Failure failure_of_success(std::string_view body) {
  json::Arena arena;
  if (body.size() <= body_bytes_max) {
    const Result<json::Value> read = json::parse(body, arena);
    if (const json::Value* const error = read ? read.value().find("error") : nullptr) {
      return failure_in(*error);
    }
  }
  return make_failure(FailureClass::malformed, "The provider's answer is an error");
}

}  // namespace plumb::wire
