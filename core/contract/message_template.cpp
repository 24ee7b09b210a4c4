#include "core/contract/message_template.hpp"

#include <cstddef>
#include <utility>

#include "core/ascii.hpp"

namespace plumb::contract {

Result<MessageTemplate> MessageTemplate::read(std::string_view text) {
  MessageTemplate out;
  std::string literal;
  auto flush = [&] {
    if (!literal.empty()) {
      out.pieces.push_back({Part::literal, literal, 0});
      literal.clear();
    }
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      literal.push_back(c);
      ++i;
      continue;
    }
    if (c != '{') {
      literal.push_back(c);
      continue;
    }
    std::size_t close = text.find('}', i);
    if (close == std::string_view::npos) {
      return Error{ErrorCode::invalid_contract, "the variable that begins with '{' is not closed; write {{ for a brace",
                   "", 0, i + 1};
    }
    std::string_view name = text.substr(i + 1, close - i - 1);
    constexpr std::pair<std::string_view, Part> known[] = {
        {"n", Part::n},         {"size", Part::size},         {"limit", Part::limit},
        {"value", Part::value}, {"property", Part::property}, {"path", Part::path}};
    Part part = Part::literal;
    for (const auto& [word, kind] : known) {
      if (word == name) {
        part = kind;
      }
    }
    if (part == Part::literal && !name.empty() && (name.front() == '/' || ascii::is_digit(name.front()))) {
      part = Part::pointer;
    }
    if (part == Part::literal) {
      return Error{ErrorCode::invalid_contract,
                   "unknown variable {" + std::string(name) +
                       "}; known are {n} {size} {limit} {value} {property} {path} and {/pointer}; write {{ for a brace",
                   "", 0, i + 1};
    }
    flush();
    out.pieces.push_back({part, part == Part::pointer ? std::string(name) : std::string(), 0});
    i = close;
  }
  flush();
  return out;
}

}  // namespace plumb::contract
