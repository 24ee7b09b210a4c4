#include "core/text/pattern_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/text/unicode.hpp"

namespace plumb::text::pattern {

namespace {

// \p{} is looked up at most so often in one pattern.
constexpr std::size_t properties_max = 2000;
constexpr std::size_t warnings_max = 20;
constexpr char32_t no_value = 0xFFFFFFFFU;

const Ranges& digit_ranges() {
  static const Ranges ranges = {{'0', '9'}};
  return ranges;
}
const Ranges& space_ranges() {  // WhiteSpace and LineTerminator: White_Space but for U+0085, and U+FEFF
  static const Ranges ranges = {{0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
                                {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                                {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
  return ranges;
}
const Ranges& word_ranges() {
  static const Ranges ranges = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  return ranges;
}
std::size_t utf8_cut(std::string_view text, std::size_t size_max) {
  std::size_t size = std::min(text.size(), size_max);
  while (size > 0 && size < text.size() && is_continuation(text[size])) {
    --size;
  }
  return size;
}

}  // namespace

void PatternReader::note_old(std::size_t offset, std::string what) {
  if (warnings_.size() < warnings_max) {
    const Error place = error_at(ErrorCode::invalid_argument, std::move(what), source_, offset);
    warnings_.push_back({place.message, place.column});
  }
}

void PatternReader::note_without_flag(std::size_t offset, std::string what) {
  if (!without_flag_) {
    without_flag_ =
        error_at(ErrorCode::invalid_argument,
                 what + " is not allowed beside what only the flag u has; put a \\ before it", source_, offset);
  }
  note_old(offset, what + " belongs to the syntax without the flag u; it is read as the character");
}

bool PatternReader::braces_repeat() const {
  std::size_t at = at_ + 1;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < end_ && ascii::is_digit(source_[at])) {
      ++at;
    }
    return at > first;
  };
  if (!sees('{') || !digits()) {
    return false;
  }
  if (at < end_ && source_[at] == ',') {
    ++at;
    digits();
  }
  return at < end_ && source_[at] == '}';
}

bool PatternReader::class_escape(std::size_t from, Ranges& out) {
  const char32_t c = char_;
  switch (c) {
    case 'd':
      out = digit_ranges();
      break;
    case 'D':
      out = complement(digit_ranges());
      break;
    case 's':
      out = space_ranges();
      break;
    case 'S':
      out = complement(space_ranges());
      break;
    case 'w':
      out = word_ranges();
      break;
    case 'W':
      out = complement(word_ranges());
      break;
    case 'p':
    case 'P':
      property_escape(from, static_cast<char>(c), out);
      return true;
    default:
      return false;
  }
  next();
  return true;
}

bool PatternReader::property(std::string_view name, Ranges& out) {
  for (const auto& [known, ranges] : known_properties_) {
    if (known == name) {
      out = ranges;
      return true;
    }
  }
  if (!append_property(name, out)) {
    return false;
  }
  if (known_properties_.size() < 16) {
    known_properties_.emplace_back(std::string(name), out);
  }
  return true;
}

char32_t PatternReader::character_escape(std::size_t from, bool in_class) {
  const char32_t c = char_;
  if (at_ >= end_) {
    fail(from, "there is a \\ at the end of the pattern");
    return 0;
  }
  next();
  switch (c) {
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case 'c':
      if (at_ < end_ && ascii::is_letter(char_)) {
        const char32_t control = char_ % 32;
        next();
        return control;
      }
      fail(from, "\\c must go on with a letter from A to Z");
      return 0;
    case '0':
      if (at_ < end_ && ascii::is_digit(char_)) {
        fail(from, "\\0 must not go on with a digit; write \\x00 for the character");
      }
      return 0;
    case 'x': {
      const char32_t value = hexadecimal(2);
      if (value == no_value) {
        fail(from, "\\x must go on with two hexadecimal digits");
        return 0;
      }
      return value;
    }
    case 'u':
      return unicode_escape(from);
    default:
      break;
  }
  if (is_syntax_character(c) || c == '/' || (in_class && c == '-')) {
    return c;
  }
  if (ascii::is_letter(c) || ascii::is_digit(c)) {
    fail(from, std::string("there is no escape \\") + static_cast<char>(c));
    return c;
  }
  std::string text;
  append_utf8(text, c);
  note_old(from, "the escape \\" + text + " belongs to the old syntax; it is read as " + text);
  return c;
}

char32_t PatternReader::hexadecimal(std::size_t digits) {
  std::uint32_t value = 0;
  const std::size_t from = at_;
  for (std::size_t i = 0; i < digits; ++i) {
    const std::int32_t digit = at_ < end_ ? ascii::hex_value(char_) : -1;
    if (digit < 0) {
      step(from);
      return no_value;
    }
    value = value * 16 + static_cast<std::uint32_t>(digit);
    next();
  }
  return static_cast<char32_t>(value);
}

char32_t PatternReader::unicode_escape(std::size_t from) {
  if (take('{')) {
    with_flag_ = true;
    std::uint32_t value = 0;
    std::size_t digits = 0;
    while (more() && ascii::hex_value(char_) >= 0) {
      value = std::min(value * 16 + static_cast<std::uint32_t>(ascii::hex_value(char_)), std::uint32_t{0x110000});
      next();
      ++digits;
    }
    if (digits == 0 || value > code_point_last || !take('}')) {
      fail(from, "\\u{...} must hold the hexadecimal number of a code point, at most 10FFFF");
      return 0;
    }
    return static_cast<char32_t>(value);
  }
  const char32_t value = hexadecimal(4);
  if (value == no_value) {
    fail(from, "\\u must go on with four hexadecimal digits or {...}");
    return 0;
  }
  if (value >= 0xD800 && value <= 0xDBFF) {
    const std::size_t after = at_;
    if (take(std::string_view("\\u"))) {
      const char32_t low = hexadecimal(4);
      if (low != no_value && low >= 0xDC00 && low <= 0xDFFF) {
        with_flag_ = true;
        return 0x10000 + ((value - 0xD800) << 10U) + (low - 0xDC00);
      }
    }
    step(after);
  }
  return value;
}

// After \p or \P.
void PatternReader::property_escape(std::size_t from, char kind, Ranges& out) {
  next();
  with_flag_ = true;
  const std::size_t close = source_.find('}', at_);
  if (!take('{') || close == std::string_view::npos) {
    fail(from, std::string("\\") + kind + " must go on with {property}");
    return;
  }
  const std::string_view name = source_.substr(at_, close - at_);
  if (name.size() > 100 || !property(name, out)) {
    fail(from, "there is no Unicode property " + std::string(name.substr(0, utf8_cut(name, 100))) +
                   " for \\p; names are written exactly, as in \\p{Letter} or \\p{Script=Greek}");
    return;
  }
  if (++properties_ > properties_max) {
    fail(from, "the pattern has more than 2,000 \\p", ErrorCode::limit);
  }
  if (kind == 'P') {
    out = complement(out);
  }
  step(close + 1);
}

}  // namespace plumb::text::pattern
