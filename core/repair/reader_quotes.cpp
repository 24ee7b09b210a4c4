// Strings in quotes of other kinds, and in double quotes with backslashes before them.

#include <algorithm>

#include "core/repair/reader.hpp"
#include "core/repair/suspect_escape.hpp"

namespace plumb::repair {

// ---------------------------------------------------------------- other quotes

// 'text', “text” or ‘text’, as a value or a key.
bool Reader::other_quotes(bool key) {
  const std::uint64_t open = r_.pos;
  const unsigned size = opening_quote(open);
  const bool single = size == 1;
  const std::string_view closing = single                     ? std::string_view("'")
                                   : byte(open + 2) == '\x9C' ? std::string_view("\xE2\x80\x9D")
                                                              : std::string_view("\xE2\x80\x99");
  if (scan_.token != open) {
    scan_ = Scan();
    scan_.token = open;
    scan_.at = open + size;
  }
  bool found = false;
  while (scan_.at < end() && scan_.at - open < token_max) {
    const char c = byte(scan_.at);
    if (c == '\n' || c == '\r') {
      return fail();
    }
    if (c == closing[0]) {
      if (end() - scan_.at < closing.size() && !final_) {
        return false;
      }
      if (slice(scan_.at, std::min(end(), scan_.at + closing.size())) == closing) {
        found = true;
        break;
      }
    }
    scan_.quote_inside = scan_.quote_inside || c == '"';
    if (!single && static_cast<unsigned char>(c) == 0xE2 && end() - scan_.at >= 3) {
      scan_.quote_inside = scan_.quote_inside || opening_quote(scan_.at) != 0;
    } else if (!single && static_cast<unsigned char>(c) == 0xE2 && !final_) {
      return false;
    }
    if (c == '\\') {
      scan_.backslash = true;
      if (scan_.at + 1 == end()) {
        break;
      }
      ++scan_.at;
    }
    ++scan_.at;
  }
  if (!found) {
    if (scan_.at - open >= token_max || final_) {
      return fail();
    }
    return false;
  }
  const std::uint64_t close = scan_.at;
  const std::uint64_t behind = close + closing.size();
  std::uint64_t next = 0;
  const Look look = visible(behind, next);
  if (look == Look::wait) {
    return false;
  }
  const char c = look == Look::found ? byte(next) : ' ';
  const bool follows = look == Look::ended || (key ? c == ':' : c == ',' || c == '}' || c == ']' || c == '/');
  std::vector<Part> parts;
  parts.push_back({open, open + size, "\""});
  for (std::uint64_t p = open + size; p < close; ++p) {
    if (byte(p) == '"') {
      parts.push_back({p, p + 1, "\\\""});
    } else if (byte(p) == '\\') {
      if (byte(p + 1) == '\'') {
        parts.push_back({p, p + 1, ""});
      } else if (byte(p + 1) != 'x' && stands_for_itself(slice(p + 1, close))) {  // \x41 is Python's for A
        parts.push_back({p, p, "\\"});
      }
      ++p;
    }
  }
  parts.push_back({close, behind, "\""});
  const bool certain = follows && !scan_.quote_inside && !r_.plain_double;
  const bool backslash = scan_.backslash;
  r_.comma_last = close > open + size && byte(close - 1) == ',';
  r_.sentence_last = true;  // a single quote, or three bytes: no two were swapped
  edit(single ? Class::single_quotes : Class::typographic_quotes, certain, parts.data(), parts.size(), pointer(!key));
  r_.pos = behind;
  r_.fresh = false;
  r_.quote_on_line = true;
  if (key) {
    key_read(slice(open + size, close), backslash);
  } else {
    value_ended(json::Kind::string);
  }
  return true;
}

// ---------------------------------------------------------------- quotes with backslashes

// \"text\", as a value or a key: the text was written as part of another string. Inside, a doubled backslash counts as
// one.
bool Reader::escaped_quotes(bool key) {
  const std::uint64_t open = r_.pos;
  if (open + 1 == end() && !final_) {
    return false;
  }
  if (open + 1 == end() || byte(open + 1) != '"') {
    return fail();
  }
  if (scan_.token != open) {
    scan_ = Scan();
    scan_.token = open;
    scan_.at = open + 2;
  }
  bool found = false;
  while (scan_.at < end() && scan_.at - open < token_max) {
    const char c = byte(scan_.at);
    if (c == '\n' || c == '\r' || c == '"') {
      return fail();
    }
    if (c != '\\') {
      ++scan_.at;
      continue;
    }
    // An escape in the text takes up to four bytes here: \\\".
    const std::uint64_t left = end() - scan_.at;
    if (left < 4 && !final_) {
      return false;
    }
    if (left < 2) {
      break;
    }
    if (byte(scan_.at + 1) == '"') {
      found = true;
      break;
    }
    const bool doubled = byte(scan_.at + 1) == '\\';
    scan_.backslash = true;
    scan_.at += !doubled || left < 4 ? 2 : byte(scan_.at + 2) == '\\' ? 4 : 3;
  }
  if (!found) {
    return scan_.at - open >= token_max || final_ ? fail() : false;
  }
  const std::uint64_t close = scan_.at;
  std::vector<Part> parts;
  parts.push_back({open, open + 1, ""});
  std::string text;
  for (std::uint64_t p = open + 2; p < close; ++p) {
    if (byte(p) == '\\' && byte(p + 1) == '\\') {
      parts.push_back({p, p + 1, ""});
      ++p;
      text += byte(p);
      // What it escapes: a character, or a backslash and its own backslash.
      if (byte(p + 1) == '\\') {
        parts.push_back({p + 1, p + 2, ""});
        ++p;
      }
      ++p;
    } else if (byte(p) == '\\') {
      text += byte(p);
      ++p;
    }
    text += byte(p);
  }
  parts.push_back({close, close + 1, ""});
  const bool backslash = scan_.backslash;
  r_.comma_last = false;
  r_.sentence_last = true;  // two bytes: no two were swapped
  edit(Class::escaped_quotes, false, parts.data(), parts.size(), pointer(!key));
  r_.pos = close + 2;
  r_.fresh = false;
  r_.quote_on_line = true;
  if (key) {
    key_read(text, backslash);
  } else {
    value_ended(json::Kind::string);
  }
  return true;
}

}  // namespace plumb::repair
