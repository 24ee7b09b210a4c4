#include "core/contract/render_place.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

namespace {

bool is_index(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token[0] == '0')) {
    return false;
  }
  for (const char c : token) {
    if (!ascii::is_digit(c)) {
      return false;
    }
  }
  return true;
}

bool is_plain_name(std::string_view token) {
  if (token.empty() || ascii::is_digit(token[0])) {
    return false;
  }
  for (const char c : token) {
    const bool letter = ascii::is_letter(c) || c == '_' || c == '-' || c == '$';
    if (!letter && !ascii::is_digit(c)) {
      return false;
    }
  }
  return true;
}

std::string unescaped(std::string_view token) {
  std::string name;
  name.reserve(token.size());
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      name += token[i + 1] == '0' ? '~' : '/';
      ++i;
    } else {
      name += token[i];
    }
  }
  return name;
}

// Control characters, line separators and marks that turn the direction of text.
bool is_unsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x61C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

// The approximate number of terminal columns of a character, for alignment only.
std::size_t width_of(char32_t c) {
  struct Range {
    char32_t from;
    char32_t to;
  };
  static constexpr std::array<Range, 5> none = {
      {{0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};
  static constexpr std::array<Range, 9> wide = {{{0x1100, 0x115F},
                                                 {0x2E80, 0xA4CF},
                                                 {0xAC00, 0xD7A3},
                                                 {0xF900, 0xFAFF},
                                                 {0xFE30, 0xFE6F},
                                                 {0xFF00, 0xFF60},
                                                 {0xFFE0, 0xFFE6},
                                                 {0x1F300, 0x1FAFF},
                                                 {0x20000, 0x3FFFD}}};
  const auto within = [c](const Range& range) { return c >= range.from && c <= range.to; };
  if (std::any_of(none.begin(), none.end(), within)) {
    return 0;
  }
  return std::any_of(wide.begin(), wide.end(), within) ? 2 : 1;
}

void append_escape(std::string& out, char32_t c) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else {
    out += c > 0xFFFF ? "\\u{" : "\\u";
    for (int shift = c > 0xFFFF ? 20 : 12; shift >= 0; shift -= 4) {
      out += "0123456789abcdef"[(c >> shift) & 15U];
    }
    out += c > 0xFFFF ? "}" : "";
  }
}

}  // namespace

Place place_of(std::string_view file) {
  const std::size_t colon = file.rfind(':');
  std::uint64_t line = 0;
  if (colon != std::string_view::npos && colon > 0 && json::read_uint(file.substr(colon + 1), line) && line > 0) {
    return {file.substr(0, colon), line - 1, true};
  }
  return {file, 0, false};
}

Place place_of(const FileVerdict& one) {
  Place place = place_of(std::string_view(one.file));
  place.recorded = one.record.has_value();
  return place;
}

std::string record_text(const FileVerdict& one) {
  std::string out;
  if (one.record) {
    for (const std::string* part : {&one.record->id, &one.record->model, &one.record->part}) {
      out += out.empty() || part->empty() ? "" : ", ";
      out += *part;
    }
  }
  return out;
}

std::string place_text(const Place& place, const Span& span) {
  std::string out(place.path == "-" ? std::string_view("stdin") : place.path);
  out += ':';
  json::append_uint(out, place.line(span.line));
  out += ':';
  json::append_uint(out, place.column(span.column));
  return out;
}

std::string field_path(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);  // the slash
    const std::size_t end = pointer.find('/');
    const std::string_view token = pointer.substr(0, end);
    if (is_index(token)) {
      out += '[';
      out += token;
      out += ']';
    } else if (is_plain_name(token)) {
      if (!out.empty()) {
        out += '.';
      }
      out += token;
    } else {
      out += '[';
      json::append_string(out, unescaped(token));
      out += ']';
    }
    pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end);
  }
  return out.empty() ? "(root)" : out;
}

void append_pointer_token(std::string& out, std::string_view name) {
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) {
    return first;
  }
  const std::size_t more = first >= 0xF8 ? 0 : first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : 0;
  if (more == 0 || at + more > text.size()) {
    return 0xFFFD;
  }
  char32_t code_point = first & (0x3FU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0U) != 0x80U) {
      return 0xFFFD;
    }
    code_point = (code_point << 6) | (byte & 0x3FU);
  }
  static constexpr char32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < smallest[more] || code_point > 0x10FFFF || surrogate) {
    return 0xFFFD;
  }
  at += more;
  return code_point;
}

std::size_t terminal_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    width += width_of(next_code_point(text, at));
  }
  return width;
}

std::string shown(std::string_view text, bool ascii) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = next_code_point(text, at);
    if (is_unsafe(c) || (ascii && c >= 0x80)) {
      append_escape(out, c);
    } else if (c == 0xFFFD) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(from, at - from);
    }
  }
  return out;
}

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  std::string out(16, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    out[15 - i] = "0123456789abcdef"[(hash >> (4 * i)) & 15U];
  }
  return out;
}

}  // namespace plumb::contract
