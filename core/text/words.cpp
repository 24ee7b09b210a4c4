#include "core/text/words.hpp"

#include <algorithm>
#include <iterator>

#include "core/ascii.hpp"
#include "core/text/character_kinds.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

using Kind = CharacterKind;

struct Range {
  char32_t first;
  char32_t last;
};

// Blocks of scripts that are written without spaces between words. Not all in them are letters.
constexpr Range without_spaces[] = {
    {0x0E00, 0x0FFF},                                                                            // Thai, Lao, Tibetan
    {0x1000, 0x109F},                                                                            // Myanmar
    {0x1780, 0x17FF},                                                                            // Khmer
    {0x1950, 0x19DF},                                                                            // Tai Le, New Tai Lue
    {0x1A20, 0x1AAF},                                                                            // Tai Tham
    {0x2E80, 0x2FDF},                                                                            // radicals
    {0x3005, 0x3007},   {0x3021, 0x3029}, {0x3031, 0x3035}, {0x303B, 0x303C}, {0x3041, 0x30FF},  // kana
    {0x3105, 0x312F},                                                                            // Bopomofo
    {0x31A0, 0x31BF},   {0x31F0, 0x31FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xA000, 0xA4CF},  // Yi
    {0xA9E0, 0xA9FF},   {0xAA60, 0xAA7F}, {0xAA80, 0xAADF},                                      // Tai Viet
    {0xF900, 0xFAFF},   {0xFF66, 0xFF9F},                                                        // kana in half width
    {0x16FE0, 0x18DFF},  // Tangut, Nushu, Khitan
    {0x1AFF0, 0x1B2FF},  // kana
    {0x20000, 0x3FFFF},
};

bool in_block_without_spaces(char32_t c) {
  const auto* const found = std::upper_bound(std::begin(without_spaces), std::end(without_spaces), c,
                                             [](char32_t value, const Range& range) { return value < range.first; });
  return found != std::begin(without_spaces) && c <= std::prev(found)->last;
}

Kind kind_by_category(char32_t c) {
  switch (category(c)) {
    case Category::lu:
    case Category::ll:
    case Category::lt:
    case Category::lm:
    case Category::lo:
      return in_block_without_spaces(c) ? Kind::single : Kind::letter;
    case Category::mn:
    case Category::mc:
    case Category::me:
      return Kind::mark;
    case Category::nd:
    case Category::nl:
    case Category::no:
      return c == 0x3007 || (c >= 0x3021 && c <= 0x3029) ? Kind::single : Kind::digit;
    case Category::pc:
      return Kind::letter;
    default:
      return c == 0x00AD || c == 0x200C || c == 0x200D ? Kind::mark : Kind::other;
  }
}

}  // namespace

Kind kind_beyond_ascii(char32_t c) {
  if (c >= 0x00C0 && c <= 0x024F) {
    return c == 0x00D7 || c == 0x00F7 ? Kind::other : Kind::letter;
  }
  if ((c >= 0x0400 && c <= 0x0481) || (c >= 0x048A && c <= 0x052F) || (c >= 0x03A3 && c <= 0x03CE) ||
      (c >= 0x05D0 && c <= 0x05EA) || (c >= 0x0620 && c <= 0x064A) || (c >= 0x0904 && c <= 0x0939) ||
      (c >= 0xAC00 && c <= 0xD7A3)) {
    return Kind::letter;
  }
  if ((c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3041 && c <= 0x3096) || (c >= 0x30A1 && c <= 0x30FA) ||
      (c >= 0x3400 && c <= 0x4DBF)) {
    return Kind::single;
  }
  if ((c >= 0x0300 && c <= 0x036F) || (c >= 0x093E && c <= 0x094D)) {
    return Kind::mark;
  }
  if ((c >= 0x2010 && c <= 0x203E) || (c >= 0x3000 && c <= 0x3004) || (c >= 0x3008 && c <= 0x3020)) {
    return Kind::other;
  }
  return kind_by_category(c);
}

namespace {

constexpr char32_t right_quote = 0x2019;
constexpr char32_t soft_hyphen = 0x00AD;

// Bytes of an English ending behind the apostrophe at `at`, the apostrophe's with it; 0 when there is none.
std::size_t english_ending(std::string_view text, std::size_t at) {
  const Decoded mark = decode_at(text, at);
  if (mark.code_point != '\'' && mark.code_point != right_quote) {
    return 0;
  }
  constexpr std::string_view endings[] = {"s", "t", "d", "m", "re", "ve", "ll"};
  for (const std::string_view ending : endings) {
    const std::string_view there = text.substr(std::min(text.size(), at + mark.size), ending.size());
    bool same = there.size() == ending.size();
    for (std::size_t i = 0; same && i < ending.size(); ++i) {
      same = (there[i] | 0x20) == ending[i];
    }
    if (same && kind_at(text, at + mark.size + ending.size()) == Kind::other) {
      return mark.size + ending.size();
    }
  }
  return 0;
}

}  // namespace

void append_folded(std::string& out, char32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(ascii::is_upper(c) ? c + 0x20 : c));
  } else if (c == right_quote) {
    out.push_back('\'');
  } else if (c != soft_hyphen) {
    char32_t lower[2];
    const std::uint32_t count = to_lower(c, lower);
    for (std::uint32_t i = 0; i < count; ++i) {
      append_utf8(out, lower[i]);
    }
  }
}

namespace {

// The end of the word that begins at `from`, where there is a letter, a mark or a digit. Appends its folded form.
std::size_t read_word(std::string_view text, std::size_t from, std::string& folded, bool& single_letter) {
  std::size_t at = from;
  std::size_t letters = 0;
  Kind last = Kind::other;
  single_letter = false;
  while (at < text.size()) {
    if (!single_letter) {
      // ASCII in one go.
      const std::size_t start = at;
      while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80 &&
             ascii_kinds.kinds[static_cast<unsigned char>(text[at])] != Kind::other) {
        const char c = text[at++];
        folded.push_back(ascii::lower(c));
      }
      if (at > start) {
        letters += at - start;
        last = ascii_kinds.kinds[static_cast<unsigned char>(text[at - 1])];
        continue;
      }
    }
    const Decoded c = decode_at(text, at);
    const Kind here = c.valid ? kind(c.code_point) : Kind::other;
    if (single_letter ? here != Kind::mark : (here == Kind::single && at > from)) {
      break;
    }
    if (here != Kind::other) {
      single_letter = single_letter || here == Kind::single;
      append_folded(folded, c.code_point);
      at += c.size;
      ++letters;
      last = here == Kind::mark ? last : here;
      continue;
    }
    if (last == Kind::digit && (c.code_point == '.' || c.code_point == ',' || c.code_point == ':') &&
        kind_at(text, at + 1) == Kind::digit) {
      folded.push_back(static_cast<char>(c.code_point));
      ++at;
      continue;
    }
    if (last == Kind::letter) {
      if (const std::size_t size = english_ending(text, at); size > 0) {
        for (const std::size_t to = at + size; at < to;) {
          const Decoded more = decode_at(text, at);
          append_folded(folded, more.code_point);
          at += more.size;
        }
      } else if (text.substr(at, 2) == "++" && kind_at(text, at + 2) == Kind::other) {
        folded += "++";
        at += 2;
      } else if (c.code_point == '#' && letters == 1 && kind_at(text, at + 1) == Kind::other) {
        folded.push_back('#');
        ++at;
      }
    }
    break;
  }
  return at;
}

}  // namespace

bool is_written_without_spaces(char32_t c) { return kind(c) == Kind::single; }
bool is_word_character(char32_t c) { return kind(c) != Kind::other; }

bool is_letter_or_mark(char32_t c) {
  const Kind k = kind(c);
  return (k == Kind::letter && c != '_') || k == Kind::mark || k == Kind::single;
}

bool is_upper_case(char32_t c) {
  if (c < 0x80) {
    return ascii::is_upper(c);
  }
  if ((c >= 0x0590 && c < 0x10A0) || (c >= 0x2E80 && c < 0xA640) || (c >= 0xAC00 && c < 0xFB00)) {
    return false;  // scripts without case
  }
  const Category k = category(c);
  return k == Category::lu || k == Category::lt;
}

bool is_lower_case(char32_t c) {
  if (c < 0x80) {
    return ascii::is_lower(c);
  }
  if ((c >= 0x0590 && c < 0x10A0) || (c >= 0x2E80 && c < 0xA640) || (c >= 0xAC00 && c < 0xFB00)) {
    return false;
  }
  return category(c) == Category::ll;
}

Words::Words(std::string_view text, std::size_t count_max) : text_(text.substr(0, std::size_t{1} << 31U)) {
  constexpr std::size_t usual_bytes = 6;  // of a word with its space
  folded_.reserve(std::min(text_.size(), count_max < text_.size() ? count_max * usual_bytes : text_.size()));
  words_.reserve(std::min(text_.size() / usual_bytes + 1, count_max));
  for (std::size_t at = 0; at < text_.size();) {
    if (text_[at] == ' ') {
      ++at;
      continue;
    }
    const Decoded c = decode_at(text_, at);
    if (!c.valid || kind(c.code_point) == Kind::other || kind(c.code_point) == Kind::mark) {
      at += c.size;
      continue;
    }
    if (words_.size() == count_max) {
      complete_ = false;
      return;
    }
    Word word;
    word.from = static_cast<std::uint32_t>(at);
    word.folded_from = static_cast<std::uint32_t>(folded_.size());
    at = read_word(text_, at, folded_, word.single_letter);
    word.to = static_cast<std::uint32_t>(at);
    words_.push_back(word);
  }
}

std::string_view first_code_points(std::string_view text, std::size_t code_points_max) {
  if (text.size() <= code_points_max) {
    return text;
  }
  std::size_t at = 0;
  for (std::size_t count = 0; at < text.size() && count < code_points_max; ++count) {
    at += decode_at(text, at).size;
  }
  return text.substr(0, at);
}

}  // namespace plumb::text
