// minLength, maxLength, our `length` and notBlank: how many characters a string has, and where they begin and end. They
// share what is counted while it comes (Token::points, points_trimmed, leading, blank).
//
// The longest lengths decide with the character that is too many, unless the text is folded to lower case, which may
// change its length; all others at the end of the string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/contract/engine/strings.hpp"
#include "core/contract/program.hpp"
#include "core/text/fold.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::contract {

struct Engine;

// Whether a text certainly keeps them. False: it is left to the engine.
inline bool lengths_accept(const StringPart& s, std::string_view text) {
  const std::size_t size = text.size();
  if (s.not_blank && (size == 0 || (!plain_byte(text.front()) && text::is_blank(text)))) {
    return false;
  }
  if (size < s.min_length || (s.min_length > 0 && size < s.min_length * 4 && text::code_points(text) < s.min_length)) {
    return false;
  }
  if (size > s.max_length && text::code_points(text) > s.max_length) {
    return false;
  }
  if (!s.has_length) {
    return true;
  }
  if (s.length_fold.lowercase) {
    return false;
  }
  const std::string_view trimmed =
      !s.length_fold.trim || (size > 0 && plain_byte(text.front()) && plain_byte(text.back())) ? text
                                                                                               : text::trim(text);
  return trimmed.size() >= s.length_min &&
         (trimmed.size() >= s.length_min * 4 || text::code_points(trimmed) >= s.length_min) &&
         (trimmed.size() <= s.length_max || text::code_points(trimmed) <= s.length_max);
}
// Bytes of an unfinished text by which nothing is certain about it, and whether it may go on beyond them.
std::uint64_t lengths_calm(const StringPart& s);
bool lengths_may_go_on(const StringPart& s, std::string_view text);
// Whether nothing is asked but notBlank.
bool only_not_blank(const StringPart& s);
// Whether all of the text is needed at its end.
inline bool lengths_need_text(const StringPart& s) { return s.length_fold.lowercase; }

// Counts a piece of the string that is being read; what becomes certain with it is due.
void feed_lengths(Engine& engine, const StringPiece& piece);
// Reports a length that a piece has exceeded.
void report_too_long(Engine& engine, const StringRuns::Due& due);
// What only the end of the string decides.
void judge_lengths(Engine& engine, std::uint32_t index, const StringPart& s);
// The length that `length` asks for, of the text that has been read.
std::uint64_t folded_length(Engine& engine, const StringPart& s);

}  // namespace plumb::contract
