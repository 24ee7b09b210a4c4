// Characters are told apart by a few ranges that most text lies in; the tables of core/text/unicode.hpp, which are
// slower, answer for the rest.
#include "core/text/sentences.hpp"

#include <algorithm>
#include <iterator>

#include "core/ascii.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

enum class Kind : std::uint8_t { other, letter, mark, digit, single };  // single: letter of a script without spaces

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

struct AsciiKinds {
  Kind kinds[128] = {};

  constexpr AsciiKinds() {
    for (char c = 'a'; c <= 'z'; ++c) {
      kinds[static_cast<unsigned char>(c)] = Kind::letter;
      kinds[static_cast<unsigned char>(c - 0x20)] = Kind::letter;
    }
    for (char c = '0'; c <= '9'; ++c) {
      kinds[static_cast<unsigned char>(c)] = Kind::digit;
    }
    kinds[static_cast<unsigned char>('_')] = Kind::letter;
  }
};

constexpr AsciiKinds ascii;

Kind kind_beyond_ascii(char32_t c);

inline Kind kind(char32_t c) { return c < 0x80 ? ascii.kinds[c] : kind_beyond_ascii(c); }

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

Decoded read(std::string_view text, std::size_t at) { return decode(text.data() + at, text.data() + text.size()); }

// The kind of the character at `at`; `other` at the end and for malformed bytes.
Kind kind_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return Kind::other;
  }
  const Decoded c = read(text, at);
  return c.valid ? kind(c.code_point) : Kind::other;
}

constexpr char32_t right_quote = 0x2019;
constexpr char32_t soft_hyphen = 0x00AD;

// Bytes of an English ending behind the apostrophe at `at`, the apostrophe's with it; 0 when there is none.
std::size_t english_ending(std::string_view text, std::size_t at) {
  const Decoded mark = read(text, at);
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
             ascii.kinds[static_cast<unsigned char>(text[at])] != Kind::other) {
        const char c = text[at++];
        folded.push_back(ascii::lower(c));
      }
      if (at > start) {
        letters += at - start;
        last = ascii.kinds[static_cast<unsigned char>(text[at - 1])];
        continue;
      }
    }
    const Decoded c = read(text, at);
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
          const Decoded more = read(text, at);
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
    const Decoded c = read(text_, at);
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
    at += read(text, at).size;
  }
  return text.substr(0, at);
}

namespace {

// Sorted, as are the lists below: they are searched by halves.
constexpr std::string_view never_last[] = {
    // Abbreviations that no sentence ends with.
    "adm",  "approx", "bzw",  "capt", "cf",   "cmdr", "col",  "cpl",  "dept", "dipl", "dr",   "drs",
    "e.g",  "eds",    "esp",  "excl", "frau", "gen",  "gov",  "herr", "hon",  "i.e",  "incl", "ing",
    "lt",   "maj",    "mlle", "mme",  "mr",   "mrs",  "ms",   "mt",   "op",   "pres", "prof", "rep",
    "resp", "rev",    "sen",  "sgt",  "sr",   "sra",  "srta", "st",   "ste",  "viz",  "vs",
};

constexpr std::string_view before_number[] = {
    // Abbreviations that no sentence ends with when a number or a bracket follows.
    "abb", "abs", "al",   "app",  "apr", "art", "aug", "ca",  "ch",   "chap", "dec", "ed",  "eq",
    "eqs", "feb", "fig",  "figs", "jan", "jul", "jun", "lit", "mar",  "no",   "nos", "nov", "nr",
    "oct", "p",   "para", "pp",   "pt",  "ref", "sec", "sep", "sept", "tab",  "v",   "vol", "z",
};

constexpr std::string_view german_months[] = {
    "april", "august", "dezember",    "februar",  "januar",  "juli",
    "juni",  "mai",    "m\xC3\xA4rz", "november", "oktober", "september",
};

constexpr WordList never_last_words(never_last);
constexpr WordList before_number_words(before_number);
constexpr WordList german_month_words(german_months);

bool is_line_end(char32_t c) {
  return c == 0x0A || c == 0x0D || c == 0x0B || c == 0x0C || c == 0x85 || c == 0x2028 || c == 0x2029;
}

enum class Stop : std::uint8_t { none, full, ellipsis, strong, anywhere };

// What a character may end a sentence as: `strong` is a question or an exclamation, `anywhere` needs no white space.
Stop stop(char32_t c) {
  switch (c) {
    case '.':
      return Stop::full;
    case 0x2026:
      return Stop::ellipsis;
    case '!':
    case '?':
    case 0x203C:
    case 0x203D:
    case 0x2047:
    case 0x2048:
    case 0x2049:
    case 0x037E:
      return Stop::strong;
    case 0x0589:  // Armenian
    case 0x061F:  // Arabic
    case 0x06D4:
    case 0x0964:  // Devanagari and its kin
    case 0x0965:
    case 0x104B:  // Myanmar
    case 0x1362:  // Ethiopic
    case 0x1367:
    case 0x17D4:  // Khmer
    case 0x3002:
    case 0xFF01:
    case 0xFF0E:
    case 0xFF1F:
    case 0xFF61:
      return Stop::anywhere;
    default:
      return Stop::none;
  }
}

// Quotes, brackets and marks of emphasis that may close behind a full stop.
bool may_close(char32_t c) {
  switch (c) {
    case '"':
    case '\'':
    case ')':
    case ']':
    case '}':
    case '*':
    case '_':
    case '`':
    case 0x00BB:
    case 0x2019:
    case 0x201D:
    case 0x203A:
    case 0x300D:
    case 0x300F:
    case 0x3009:
    case 0x300B:
    case 0x3011:
    case 0x3015:
    case 0x3017:
    case 0xFF09:
    case 0xFF3D:
      return true;
    default:
      return false;
  }
}

bool may_open(char32_t c) {
  switch (c) {
    case '"':
    case '\'':
    case '(':
    case '[':
    case '{':
    case '*':
    case '_':
    case '`':
    case 0x00A1:
    case 0x00AB:
    case 0x00BF:
    case 0x2018:
    case 0x201A:
    case 0x201C:
    case 0x201E:
    case 0x2039:
    case 0x300C:
    case 0x300E:
    case 0x3008:
    case 0x300A:
    case 0x3010:
    case 0xFF08:
      return true;
    default:
      return false;
  }
}

class Splitter {
 public:
  Splitter(std::string_view text, std::vector<TextSpan>* spans) : text_(text), spans_(spans) {}

  std::size_t run() {
    begin_line();
    while (at_ < text_.size()) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte < 0x80 && ascii.kinds[byte] != Kind::other) {
        see(1, true);
        continue;
      }
      if (byte == ' ') {
        ++at_;
        continue;
      }
      const Decoded c = read(text_, at_);
      if (is_line_end(c.code_point)) {
        end_line();
      } else if (is_white_space(c.code_point)) {
        at_ += c.size;
      } else if (stop(c.code_point) != Stop::none) {
        stops();
      } else {
        see(c.size, c.valid && kind(c.code_point) != Kind::other);
      }
    }
    end_sentence();
    return count_;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  // Takes a visible character of `size` bytes.
  void see(std::size_t size, bool of_word) {
    if (from_ == none) {
      from_ = at_;
    }
    has_word_ = has_word_ || of_word;
    at_ += size;
    to_ = at_;
  }

  void end_sentence() {
    if (has_word_) {
      ++count_;
      if (spans_ != nullptr) {
        spans_->push_back({from_, to_});
      }
    }
    from_ = none;
    has_word_ = false;
    heading_ = false;
  }

  // White space that begins with a line end.
  void end_line() {
    std::size_t ends = 0;
    while (at_ < text_.size()) {
      const Decoded c = read(text_, at_);
      if (!is_white_space(c.code_point)) {
        break;
      }
      at_ += c.size;
      if (is_line_end(c.code_point)) {
        ++ends;
        if (c.code_point == 0x0D && at_ < text_.size() && text_[at_] == '\n') {
          ++at_;
        }
      }
    }
    if (ends > 1 || heading_ || marker() > 0) {
      end_sentence();
    }
    begin_line();
  }

  // Steps over the mark of a list item or a heading.
  void begin_line() {
    while (at_ < text_.size() && ascii::is_blank(text_[at_])) {
      ++at_;
    }
    if (const std::size_t size = marker(); size > 0 && from_ == none) {
      heading_ = text_[at_] == '#';
      at_ += size;
    }
  }

  // Bytes of the mark of a list item or a heading at the beginning of a line, with the space behind it; 0 for none.
  std::size_t marker() const {
    if (at_ >= text_.size()) {
      return 0;
    }
    std::size_t to = at_;
    const Decoded c = read(text_, at_);
    switch (c.code_point) {
      case '-':
      case '*':
      case '+':
      case 0x2022:
      case 0x2023:
      case 0x2013:
      case 0x2014:
      case 0x25AA:
      case 0x25CF:
      case 0x25E6:
      case 0x00B7:
        to += c.size;
        break;
      case '#':
        while (to < text_.size() && text_[to] == '#' && to - at_ < 6) {
          ++to;
        }
        break;
      default: {
        const bool bracket = c.code_point == '(';
        to += bracket ? 1 : 0;
        const std::size_t from = to;
        while (to < text_.size() && to - from < 3 && ascii::is_digit(text_[to])) {
          ++to;
        }
        if (to == from && to + 1 < text_.size() && ascii::is_lower((text_[to] | 0x20)) && text_[to + 1] == ')') {
          ++to;
        }
        if (to == from || to >= text_.size() || (text_[to] != ')' && (bracket || text_[to] != '.'))) {
          return 0;
        }
        ++to;
      }
    }
    return to < text_.size() && ascii::is_blank(text_[to]) ? to + 1 - at_ : 0;
  }

  // A run of characters that may end a sentence, with what closes behind it.
  void stops() {
    const std::size_t start = at_;
    std::size_t points = 0;
    Stop strongest = Stop::none;
    while (at_ < text_.size()) {
      const Decoded c = read(text_, at_);
      const Stop here = stop(c.code_point);
      if (here == Stop::none) {
        break;
      }
      points += here == Stop::full ? 1 : here == Stop::ellipsis ? 3 : 0;
      strongest = here > strongest ? here : strongest;
      see(c.size, false);
    }
    if (strongest == Stop::full && points > 1) {
      strongest = Stop::ellipsis;
    }
    const std::size_t end = at_;
    while (at_ < text_.size()) {
      const Decoded c = read(text_, at_);
      if (!may_close(c.code_point)) {
        break;
      }
      see(c.size, false);
    }
    if (ends_sentence(start, end, strongest)) {
      end_sentence();
    }
  }

  bool ends_sentence(std::size_t start, std::size_t end, Stop strongest) const {
    if (at_ == text_.size()) {
      return true;
    }
    if (strongest == Stop::anywhere) {
      return !(kind_before(start) == Kind::digit && kind_at(text_, end) == Kind::digit);
    }
    const Decoded behind = read(text_, at_);
    if (!is_white_space(behind.code_point)) {
      return kind(behind.code_point) == Kind::single &&
             (strongest == Stop::strong || kind_before(start) == Kind::single);
    }
    std::size_t next = at_;
    char32_t first = 0;
    while (next < text_.size()) {
      const Decoded c = read(text_, next);
      if (!is_white_space(c.code_point) && !may_open(c.code_point)) {
        first = c.code_point;
        break;
      }
      next += c.size;
    }
    if (next == text_.size()) {
      return true;
    }
    if (is_lower_case(first)) {
      return false;
    }
    if (strongest == Stop::ellipsis) {
      return start == 0 || text_[start - 1] != '[';
    }
    return strongest == Stop::strong || !is_abbreviation(start, next);
  }

  // Whether the full stop at `point` belongs to the word before it, given what comes next.
  bool is_abbreviation(std::size_t point, std::size_t next) const {
    constexpr std::size_t longest = 8;
    std::size_t from = point;
    bool letters = true;
    bool points = false;
    while (from > 0 && point - from <= longest) {
      const char c = text_[from - 1];
      const bool letter = ascii::is_letter(c);
      const bool digit = ascii::is_digit(c);
      if (!letter && !digit && c != '.') {
        break;
      }
      letters = letters && !digit;
      points = points || c == '.';
      --from;
    }
    const std::size_t size = point - from;
    if (size == 0 || size > longest || (from > 0 && static_cast<unsigned char>(text_[from - 1]) >= 0x80)) {
      return false;
    }
    const std::string_view word = text_.substr(from, size);
    const char first = text_[next];
    const bool before_digit = ascii::is_digit(first) || (next > at_ && text_[next - 1] == '(');
    if (!letters) {
      return from == from_ || is_german_date(word, next);
    }
    std::string lower(word);
    for (char& c : lower) {
      c = c == '.' ? c : static_cast<char>(c | 0x20);
    }
    if (never_last_words.contains(lower) || (before_digit && before_number_words.contains(lower))) {
      return true;
    }
    // Initials: J. Smith, U.S. law, but not the pronoun and not a.m. before a capital.
    const char last = word.back();
    const bool capital = ascii::is_upper(last);
    return capital && (size == 1 ? last != 'I' : points && word[size - 2] == '.');
  }

  // 3. Mai
  bool is_german_date(std::string_view day, std::size_t next) const {
    if (day.size() > 2 || day.find('.') != std::string_view::npos) {
      return false;
    }
    std::string month;
    std::size_t to = next;
    while (to < text_.size() && to - next < 10) {
      const Decoded c = read(text_, to);
      if (kind(c.code_point) != Kind::letter) {
        break;
      }
      append_folded(month, c.code_point);
      to += c.size;
    }
    return german_month_words.contains(month);
  }

  Kind kind_before(std::size_t at) const {
    std::size_t from = at;
    while (from > 0 && at - from < 4) {
      --from;
      if (!is_continuation(text_[from])) {
        return kind_at(text_, from);
      }
    }
    return Kind::other;
  }

  std::string_view text_;
  std::vector<TextSpan>* spans_;
  std::size_t at_ = 0;
  std::size_t from_ = none;
  std::size_t to_ = 0;
  std::size_t count_ = 0;
  bool has_word_ = false;
  bool heading_ = false;
};

}  // namespace

std::vector<TextSpan> sentences(std::string_view text) {
  std::vector<TextSpan> spans;
  Splitter(text, &spans).run();
  return spans;
}

std::size_t count_sentences(std::string_view text) { return Splitter(text, nullptr).run(); }

}  // namespace plumb::text
