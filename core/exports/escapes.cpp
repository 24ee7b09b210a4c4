#include "core/exports/writers.hpp"
#include "core/json/number_text.hpp"
#include "core/text/utf8.hpp"

namespace plumb::exports {

namespace {

// Each of `special` becomes the text that `by` gives for it.
template <class By>
std::string replaced(std::string_view text, std::string_view special, By by) {
  std::string out;
  out.reserve(text.size());
  std::size_t from = 0;
  for (std::size_t at = text.find_first_of(special); at != std::string_view::npos;
       at = text.find_first_of(special, from)) {
    out.append(text.substr(from, at - from));
    out += by(text[at]);
    from = at + 1;
  }
  return out.append(text.substr(from));
}

std::string entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return "&#" + json::uint_text(static_cast<unsigned char>(c)) + ";";
  }
}

}  // namespace

std::string html(std::string_view text) {
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!pair) {
      lines += text[i] == '\r' ? '\n' : text[i];
    }
  }
  return replaced(lines, "&<>\"\n", [](char c) { return c == '\n' ? std::string("<br>") : entity(c); });
}

std::string xml(std::string_view text) { return replaced(text, "&<>\"\t\n\r", entity); }

std::string ascii_xml(std::string_view text) {
  const std::string escaped = xml(text);
  std::string out;
  const char* const end = escaped.data() + escaped.size();
  for (const char* at = escaped.data(); at < end;) {
    const text::Decoded one = text::decode(at, end);
    out += one.code_point < 0x80 ? std::string(1, *at) : "&#" + json::uint_text(one.code_point) + ";";
    at += one.size;
  }
  return out;
}

std::string gift(std::string_view text) {
  return replaced(text, "\\~=#{}:", [](char c) { return std::string{'\\', c}; });
}

std::string quoted_field(std::string_view text) {
  return '"' + replaced(text, "\"", [](char) { return std::string("\"\""); }) + '"';
}

}  // namespace plumb::exports
