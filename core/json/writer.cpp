#include "core/json/writer.hpp"

#include <array>
#include <cstring>

#include "core/json/number_text.hpp"
#include "core/require.hpp"

namespace plumb::json {

namespace {

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

struct Sequence {
  std::size_t size = 1;
  bool valid = false;
  bool surrogate = false;  // U+D800 to U+DFFF by itself: valid is false
};

// What begins at `at` with a byte of 0x80 or more. For what is broken, the size is that of the longest beginning of a
// character (Unicode 3.9, maximal subpart), at least 1.
Sequence sequence_at(std::string_view text, std::size_t at) {
  const unsigned char lead = byte_at(text, at);
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    low = lead == 0xE0 ? 0xA0 : 0x80;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    low = lead == 0xF0 ? 0x90 : 0x80;
    high = lead == 0xF4 ? 0x8F : 0xBF;
  } else {
    return {};
  }
  const auto continues = [&](std::size_t i) {
    return at + i < text.size() && byte_at(text, at + i) >= 0x80 && byte_at(text, at + i) <= 0xBF;
  };
  if (!continues(1) || byte_at(text, at + 1) < low || byte_at(text, at + 1) > high) {
    return {};
  }
  if (lead == 0xED && byte_at(text, at + 1) >= 0xA0) {
    return continues(2) ? Sequence{3, false, true} : Sequence{};
  }
  for (std::size_t i = 2; i < length; ++i) {
    if (!continues(i)) {
      return {i, false, false};
    }
  }
  return {length, true, false};
}

constexpr char hex_digits[] = "0123456789ABCDEF";
constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

void append_unicode_escape(std::string& out, unsigned code) {
  out += "\\u";
  for (unsigned shift = 16; shift > 0;) {
    shift -= 4;
    out.push_back(hex_digits[(code >> shift) & 0xFU]);
  }
}

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      append_unicode_escape(out, static_cast<unsigned char>(c));
  }
}

// Whether eight bytes are all ASCII that stands for itself.
bool is_plain_word(const char* bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  constexpr std::uint64_t tops = 0x8080808080808080U;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const std::uint64_t quote = word ^ (ones * '"');
  const std::uint64_t backslash = word ^ (ones * '\\');
  // A byte's top bit is set where it is one of these, or above one that is.
  return ((word | (word - ones * 0x20) | (quote - ones) | (backslash - ones)) & tops) == 0;
}

bool is_plain_byte(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

// How many bytes from `at` on are ASCII that stands for itself: perhaps fewer than there are.
std::size_t plain_bytes(std::string_view utf8, std::size_t at) {
  const std::size_t from = at;
  while (at + 8 <= utf8.size() && is_plain_word(utf8.data() + at)) {
    at += 8;
  }
  if (at + 8 <= utf8.size()) {
    return at - from;
  }
  if (utf8.size() >= 8) {
    return is_plain_word(utf8.data() + utf8.size() - 8) ? utf8.size() - from : at - from;
  }
  while (at < utf8.size() && is_plain_byte(byte_at(utf8, at))) {
    ++at;
  }
  return at - from;
}

}  // namespace

void append_string(std::string& out, std::string_view utf8) {
  const std::size_t plain = plain_bytes(utf8, 0);
  // Most are short and stand for themselves: these are put together first, and appended in one step.
  constexpr std::size_t short_max = 62;
  if (plain == utf8.size() && plain <= short_max) {
    std::array<char, short_max + 2> quoted;
    quoted[0] = '"';
    utf8.copy(quoted.data() + 1, plain);
    quoted[plain + 1] = '"';
    out.append(quoted.data(), plain + 2);
    return;
  }
  out.push_back('"');
  std::size_t run = 0;  // what comes from here on is written as it is
  std::size_t at = plain;
  while (at < utf8.size()) {
    const unsigned char c = byte_at(utf8, at);
    if (is_plain_byte(c)) {
      ++at;
      continue;
    }
    const Sequence sequence = c < 0x80 ? Sequence{} : sequence_at(utf8, at);
    if (sequence.valid) {
      at += sequence.size;
      continue;
    }
    out.append(utf8, run, at - run);
    if (c < 0x80) {
      append_escape(out, utf8[at]);
    } else if (sequence.surrogate) {
      append_unicode_escape(out, 0xD000U | ((byte_at(utf8, at + 1) & 0x3FU) << 6U) | (byte_at(utf8, at + 2) & 0x3FU));
    } else {
      out += replacement;
    }
    at += sequence.size;
    run = at;
    at += plain_bytes(utf8, at);
  }
  out.append(utf8, run, at - run);
  out.push_back('"');
}

void append_value(std::string& out, const Value& value) {
  switch (value.kind) {
    case Kind::null:
      out += "null";
      return;
    case Kind::boolean:
      out += value.boolean ? "true" : "false";
      return;
    case Kind::number:
      out += value.str();
      return;
    case Kind::string:
      append_string(out, value.str());
      return;
    case Kind::array: {
      char before = '[';
      for (const Value& item : value.array()) {
        out.push_back(before);
        before = ',';
        append_value(out, item);
      }
      out += before == '[' ? "[]" : "]";
      return;
    }
    case Kind::object: {
      char before = '{';
      for (const Member& member : value.object()) {
        out.push_back(before);
        before = ',';
        append_string(out, member.key);
        out.push_back(':');
        append_value(out, member.value);
      }
      out += before == '{' ? "{}" : "}";
      return;
    }
  }
}

std::string value_text(const Value& value) {
  std::string out;
  append_value(out, value);
  return out;
}

std::string excerpt(std::string_view utf8, std::size_t code_points_max) {
  if (utf8.size() <= code_points_max) {
    return std::string(utf8);
  }
  if (code_points_max == 0) {
    return {};
  }
  std::size_t cut = 0;  // the end of all but the last code point that may be shown
  std::size_t at = 0;
  for (std::size_t count = 0; at < utf8.size(); ++count) {
    if (count == code_points_max) {
      std::string out(utf8.substr(0, cut));
      out += ellipsis;
      return out;
    }
    if (count == code_points_max - 1) {
      cut = at;
    }
    if (byte_at(utf8, at) < 0x80) {
      ++at;
    } else {
      const Sequence sequence = sequence_at(utf8, at);
      at += sequence.valid || sequence.surrogate ? sequence.size : 1;
    }
  }
  return std::string(utf8);
}

void Writer::line() {
  if (indent_ != 0) {
    out_.push_back('\n');
    out_.append(open_.size() * indent_, ' ');
  }
}

void Writer::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  PLUMB_REQUIRE(open_.empty() ? !any_ : open_.back() == '[',
                "a value comes at the top once, in an array, or after a key");
  if (open_.empty()) {
    return;
  }
  if (any_) {
    out_.push_back(',');
  }
  line();
}

void Writer::begin(char bracket) {
  before_value();
  out_.push_back(bracket);
  open_.push_back(bracket);
  any_ = false;
}

void Writer::end(char bracket) {
  PLUMB_REQUIRE(!open_.empty() && open_.back() == (bracket == '}' ? '{' : '[') && !after_key_,
                "the bracket closes what was begun last, and no key waits for its value");
  open_.pop_back();
  if (any_) {
    line();
  }
  out_.push_back(bracket);
  any_ = true;
}

Writer& Writer::begin_object() {
  begin('{');
  return *this;
}

Writer& Writer::end_object() {
  end('}');
  return *this;
}

Writer& Writer::begin_array() {
  begin('[');
  return *this;
}

Writer& Writer::end_array() {
  end(']');
  return *this;
}

Writer& Writer::key(std::string_view name) {
  PLUMB_REQUIRE(!open_.empty() && open_.back() == '{' && !after_key_, "a key comes in an object, one for each value");
  if (any_) {
    out_.push_back(',');
  }
  line();
  append_string(out_, name);
  out_ += indent_ != 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

Writer& Writer::string(std::string_view utf8) {
  before_value();
  append_string(out_, utf8);
  any_ = true;
  return *this;
}

Writer& Writer::uint(std::uint64_t number) {
  before_value();
  append_uint(out_, number);
  any_ = true;
  return *this;
}

Writer& Writer::integer(std::int64_t number) {
  before_value();
  append_int(out_, number);
  any_ = true;
  return *this;
}

Writer& Writer::boolean(bool yes) { return raw(yes ? "true" : "false"); }

Writer& Writer::null() { return raw("null"); }

Writer& Writer::value(const Value& tree) {
  before_value();
  append_value(out_, tree);
  any_ = true;
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  before_value();
  out_ += json;
  any_ = true;
  return *this;
}

}  // namespace plumb::json
