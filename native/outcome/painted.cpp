#include "native/outcome/painted.hpp"

namespace plumb::outcome {

namespace {

std::string painted(std::string_view code, std::string_view text, const contract::TextStyle& style) {
  if (!style.color) {
    return std::string(text);
  }
  std::string out = "\x1b[";
  out += code;
  out += 'm';
  out += text;
  out += "\x1b[0m";
  return out;
}

}  // namespace

std::string bold(std::string_view text, const contract::TextStyle& style) { return painted("1", text, style); }
std::string dim(std::string_view text, const contract::TextStyle& style) { return painted("2", text, style); }
std::string red(std::string_view text, const contract::TextStyle& style) { return painted("31", text, style); }
std::string yellow(std::string_view text, const contract::TextStyle& style) { return painted("33", text, style); }
std::string green(std::string_view text, const contract::TextStyle& style) { return painted("32", text, style); }
std::string cyan(std::string_view text, const contract::TextStyle& style) { return painted("36", text, style); }

}  // namespace plumb::outcome
