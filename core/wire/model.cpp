#include "core/wire/model.hpp"

#include <array>
#include <utility>

namespace plumb::wire {

std::string_view role_name(Role role) {
  constexpr std::array<std::string_view, 4> names = {"system", "user", "assistant", "tool"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view finish_name(Finish finish) {
  constexpr std::array<std::string_view, 7> names = {"none",    "stop",           "length", "tool_calls",
                                                     "refusal", "content_filter", "other"};
  return names[static_cast<std::size_t>(finish)];
}

Message text_message(Role role, std::string text) {
  Message message;
  message.role = role;
  message.content.push_back({PartKind::text, std::move(text), {}});
  return message;
}

bool operator==(const Usage& a, const Usage& b) {
  return a.known == b.known && a.input_tokens == b.input_tokens && a.cached_tokens == b.cached_tokens &&
         a.cache_written_tokens == b.cache_written_tokens && a.output_tokens == b.output_tokens &&
         a.reasoning_tokens == b.reasoning_tokens;
}

}  // namespace plumb::wire
