// The characters that mean something in HTML and XML, as text and in quoted attributes.
#pragma once

#include <string_view>

namespace plumb::text {

// "&lt;" for '<', and so on for & > and "; empty for a character that stands for itself.
constexpr std::string_view markup_entity(char32_t c) {
  return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string_view();
}

}  // namespace plumb::text
