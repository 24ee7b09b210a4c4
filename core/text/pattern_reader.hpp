// The source of a pattern, one character ahead, and its escapes: what the parser of pattern_parse.cpp is built on.
//
// Only the first error is kept: from then on more() is false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/pattern_parse.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text::pattern {

constexpr bool is_syntax_character(char32_t c) {
  return c < 0x80 && std::string_view("^$\\.*+?()[]{}|").find(static_cast<char>(c)) != std::string_view::npos;
}

class PatternReader {
 public:
  explicit PatternReader(std::string_view source) : source_(source), end_(source.size()) { step(0); }

 protected:
  // Puts the reader before the character at byte `offset`.
  void step(std::size_t offset) {
    at_ = offset;
    if (at_ >= end_) {
      at_ = end_;
      char_ = 0;
      size_ = 0;
      return;
    }
    const Decoded c = decode(source_.data() + at_, source_.data() + end_);
    char_ = c.code_point;
    size_ = c.size;
    if (!c.valid) {
      fail(at_, "the pattern is not valid UTF-8");
    }
  }
  void next() { step(at_ + size_); }
  bool more() const { return at_ < end_ && !error_; }
  bool sees(char c) const { return at_ < end_ && char_ == static_cast<unsigned char>(c); }
  bool sees(std::string_view text) const { return source_.substr(at_, text.size()) == text; }
  bool take(char c) {
    if (!sees(c)) {
      return false;
    }
    next();
    return true;
  }
  bool take(std::string_view text) {
    if (!sees(text)) {
      return false;
    }
    step(at_ + text.size());
    return true;
  }

  void fail(std::size_t offset, std::string message, ErrorCode code = ErrorCode::invalid_argument) {
    if (!error_) {
      error_ = error_at(code, std::move(message), source_, offset);
    }
  }

  // Notes that `what`, at byte `offset`, is of the syntax without the flag `u`, and how it is read.
  void note_old(std::size_t offset, std::string what);
  // The same for what changes how the whole is read there: \p{} and code points above U+FFFF exist only with the flag.
  void note_without_flag(std::size_t offset, std::string what);

  // Whether a number of repeats in braces begins here. Other braces are characters.
  bool braces_repeat() const;
  // After the backslash at byte `from`: whether it is \d \D \s \S \w \W \p{} or \P{}, and the set.
  bool class_escape(std::size_t from, Ranges& out);
  // After the backslash: a character.
  char32_t character_escape(std::size_t from, bool in_class);
  // After "\u": XXXX, a pair XXXX\uXXXX, or {X...}.
  char32_t unicode_escape(std::size_t from);

  std::string_view source_;
  std::size_t end_;
  std::size_t at_ = 0;
  char32_t char_ = 0;
  std::size_t size_ = 0;
  std::optional<Error> error_;
  std::vector<PatternWarning> warnings_;
  std::optional<Error> without_flag_;  // the first such place, as the error that it is with the flag
  bool with_flag_ = false;             // something exists only with the flag

 private:
  void property_escape(std::size_t from, char kind, Ranges& out);
  bool property(std::string_view name, Ranges& out);
  char32_t hexadecimal(std::size_t digits);

  std::size_t properties_ = 0;
  std::vector<std::pair<std::string, Ranges>> known_properties_;
};

}  // namespace plumb::text::pattern
