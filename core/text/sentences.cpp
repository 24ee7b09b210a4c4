#include "core/text/sentences.hpp"

#include <algorithm>
#include <iterator>

#include "core/ascii.hpp"
#include "core/text/character_kinds.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
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
      if (byte < 0x80 && ascii_kinds.kinds[byte] != CharacterKind::other) {
        see(1, true);
        continue;
      }
      if (byte == ' ') {
        ++at_;
        continue;
      }
      const Decoded c = decode_at(text_, at_);
      if (is_line_end(c.code_point)) {
        end_line();
      } else if (is_white_space(c.code_point)) {
        at_ += c.size;
      } else if (stop(c.code_point) != Stop::none) {
        stops();
      } else {
        see(c.size, c.valid && kind(c.code_point) != CharacterKind::other);
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
      const Decoded c = decode_at(text_, at_);
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
    const Decoded c = decode_at(text_, at_);
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
      const Decoded c = decode_at(text_, at_);
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
      const Decoded c = decode_at(text_, at_);
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
      return !(kind_before(start) == CharacterKind::digit && kind_at(text_, end) == CharacterKind::digit);
    }
    const Decoded behind = decode_at(text_, at_);
    if (!is_white_space(behind.code_point)) {
      return kind(behind.code_point) == CharacterKind::single &&
             (strongest == Stop::strong || kind_before(start) == CharacterKind::single);
    }
    std::size_t next = at_;
    char32_t first = 0;
    while (next < text_.size()) {
      const Decoded c = decode_at(text_, next);
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
      const Decoded c = decode_at(text_, to);
      if (kind(c.code_point) != CharacterKind::letter) {
        break;
      }
      append_folded(month, c.code_point);
      to += c.size;
    }
    return german_month_words.contains(month);
  }

  CharacterKind kind_before(std::size_t at) const {
    std::size_t from = at;
    while (from > 0 && at - from < 4) {
      --from;
      if (!is_continuation(text_[from])) {
        return kind_at(text_, from);
      }
    }
    return CharacterKind::other;
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
