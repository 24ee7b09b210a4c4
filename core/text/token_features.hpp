// What an estimate of tokens counts in a text: words by length, case and pairs of letters, digits, punctuation by
// pairs, white space by runs, and for every other script its words and letters. Each has a weight in each encoding's
// table (core/text/token_weights.hpp); the cost of a text is the sum.
//
//   read_features(text, [&](std::uint32_t feature) { cost += weights[feature]; });
//
// The pieces are those that byte-pair encoders cut a text into before they look anything up: a word with the blank or
// the one mark before it, up to three digits, a run of marks, a line end with its indent. Linear in the text; the state
// is a few words, and any bytes are taken. Private to the estimate and to the script that fits the weights.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/text/token_scripts.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text::features {

constexpr std::uint32_t length_max = 16;  // longer words count their letters beyond one by one
constexpr std::uint32_t marks_size = 34;  // ASCII punctuation, and the line end

// Where each kind of feature begins.
enum Base : std::uint32_t {
  base = 0,                                           // once a text: nothing
  word = 1,                                           // [case 4][before 2][length]: of ASCII letters
  word_more = word + 4 * 2 * length_max,              // a letter beyond length_max
  hump,                                               // a capital behind a small letter
  marked_word,                                        // [before 2][length]: a Latin word with a letter beyond ASCII
  marked_letter = marked_word + 2 * length_max,       // [U+00C0 to U+017F], [U+1EA0 to U+1EFF], others
  pair = marked_letter + 192 + 96 + 1,                // [letter][letter] in a word
  first_pair = pair + 26 * 26,                        // [letter][letter] at its start
  last_pair = first_pair + 26 * 26,                   // [letter][letter] at its end
  digits = last_pair + 26 * 26,                       // three, two, one; behind a blank
  glue = digits + 4,                                  // [mark] that stands before a word
  mark = glue + marks_size,                           // [before 2][mark] that begins a run
  mark_pair = mark + 2 * marks_size,                  // [mark][mark]
  same_marks = mark_pair + marks_size * marks_size,   // the 4th, 8th, 16th, 32nd and each further 32nd of the same
  blanks = same_marks + 5,                            // [at the start of a line 2][length]
  tabs = blanks + 2 * 24,                             // [length]
  lines = tabs + 8,                                   // one, two, three and more line ends
  script_word = lines + 3,                            // [script][before 2]
  script_letter = script_word + 2 * scripts_counted,  // [script][position 1 to 4, 5 to 8, 9 and beyond; rare; mark]
  han = script_letter + 5 * scripts_counted,          // [block of 128 characters]
  cyrillic_pair = han + 165,                          // [letter][letter] in a word, of the 32 of Russian
  symbol = cyrillic_pair + 32 * 32,                   // [kind][first, the same again]
  count = symbol + 2 * symbols_counted,
};

enum class Run : std::uint8_t { none, ascii_word, marked_word, script, digit, mark, blank, tab, line, symbol };

template <class Sink>
class Reader {
 public:
  explicit Reader(Sink& sink) : sink_(sink) {}

  void read(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
      const auto byte = static_cast<unsigned char>(*at);
      if (byte < 0x80) {
        ascii(byte);
        ++at;
        continue;
      }
      const Decoded next = decode(at, end);
      other(next.code_point);
      at += next.size;
    }
    finish();
  }

 private:
  void ascii(unsigned char c) {
    const unsigned char folded = c | 0x20U;
    if (folded >= 'a' && folded <= 'z') {
      latin(static_cast<std::uint32_t>(folded - 'a'), c != folded);
    } else if (c >= '0' && c <= '9') {
      begin(Run::digit);
      ++length_;
    } else if (c == ' ') {
      begin(Run::blank);
      ++length_;
    } else if (c == '\n') {
      line_end();
    } else if (c == '\t') {
      begin(Run::tab);
      ++length_;
    } else if (c != '\r') {
      punctuation(mark_of(c));
    }
  }

  // Controls are 0; the last number is the line end's.
  static std::uint32_t mark_of(unsigned char c) {
    return c < 0x20 || c == 0x7F ? 0U
           : c < 0x30            ? c - 0x20U
           : c < 0x41            ? c - 0x3AU + 16U
           : c < 0x61            ? c - 0x5BU + 23U
                                 : c - 0x7BU + 29U;
  }

  void latin(std::uint32_t letter, bool capital) {
    if (run_ != Run::ascii_word && run_ != Run::marked_word) {
      begin(Run::ascii_word);
    }
    if (length_ > 0 && previous_ < 26) {
      if (capital && !last_capital_) {
        sink_(hump);
      } else {
        const std::uint32_t two = previous_ * 26 + letter;
        sink_((length_ == 1 ? first_pair : pair) + two);
        last_two_ = two;
      }
    }
    capitals_ += capital ? 1 : 0;
    first_capital_ = length_ == 0 ? capital : first_capital_;
    last_capital_ = capital;
    previous_ = letter;
    if (++length_ > length_max) {
      sink_(word_more);
    }
  }

  void marked(char32_t c) {
    if (run_ != Run::ascii_word && run_ != Run::marked_word) {
      begin(Run::marked_word);
    }
    run_ = Run::marked_word;
    sink_(marked_letter + (c >= 0xC0 && c < 0x180      ? static_cast<std::uint32_t>(c) - 0xC0U
                           : c >= 0x1EA0 && c < 0x1F00 ? 192U + static_cast<std::uint32_t>(c) - 0x1EA0U
                                                       : 288U));
    previous_ = 26;
    last_two_ = no_pair;
    if (++length_ > length_max) {
      sink_(word_more);
    }
  }

  void punctuation(std::uint32_t which) {
    if (run_ != Run::mark) {
      begin(Run::mark);
      first_mark_ = which;
      same_ = 1;
    } else {
      same_ = which == previous_ ? same_ + 1 : 1;
      if (same_ < 4) {
        sink_(mark_pair + previous_ * marks_size + which);
      } else if (same_ == 4 || same_ == 8 || same_ == 16 || same_ % 32 == 0) {
        sink_(same_marks + (same_ == 4 ? 0U : same_ == 8 ? 1U : same_ == 16 ? 2U : same_ == 32 ? 3U : 4U));
      }
    }
    previous_ = which;
    ++length_;
  }

  void line_end() {
    if (run_ == Run::mark) {
      const std::uint32_t behind = previous_;
      finish();
      sink_(mark_pair + behind * marks_size + (marks_size - 1));
      run_ = Run::line;
      length_ = 1;
      after_mark_ = true;
      return;
    }
    if (run_ == Run::blank || run_ == Run::tab) {
      trailing_ = true;
    }
    begin(Run::line);
    ++length_;
  }

  void other(char32_t c) {
    const Place place = place_of(c);
    switch (place.kind) {
      case Kind::latin:
        marked(c);
        return;
      case Kind::han:
        begin(Run::script);
        script_ = han_script;
        sink_(han + place.index);
        ++length_;
        return;
      case Kind::letter:
        if (run_ != Run::script || script_ != place.index) {
          const bool joined = run_ == Run::script;
          begin_script(place.index, joined);
        }
        if (place.index == cyrillic_script) {
          const std::uint32_t letter = place.rare ? 32U : static_cast<std::uint32_t>(c) & 31U;
          if (length_ > 0 && letter < 32 && previous_ < 32) {
            sink_(cyrillic_pair + previous_ * 32 + letter);
          }
          previous_ = letter;
        }
        ++length_;
        sink_(script_letter + 5 * place.index + (place.rare ? 3U : length_ < 5 ? 0U : length_ < 9 ? 1U : 2U));
        return;
      case Kind::mark:
        if (run_ == Run::ascii_word) {
          run_ = Run::marked_word;
          previous_ = 26;
        }
        sink_(script_letter + 5 * place.index + 4);
        return;
      case Kind::symbol:
        begin(Run::symbol);
        sink_(symbol + 2 * place.index + (c == symbol_ ? 1U : 0U));
        symbol_ = c;
        return;
    }
  }

  void begin_script(std::uint32_t script, bool joined) {
    if (joined) {
      finish();
    }
    begin(Run::script);
    script_ = script;
    length_ = 0;
    sink_(script_word + 2 * script + (before_ == Run::blank ? 1U : 0U));
  }

  void begin(Run run) {
    if (run_ == run) {
      return;
    }
    finish();
    run_ = run;
  }

  // What can be told of a run only when it has ended.
  void finish() {
    const bool blank_before = before_ == Run::blank;
    switch (run_) {
      case Run::ascii_word: {
        const std::uint32_t casing = capitals_ == 0                     ? 0U
                                     : capitals_ == length_             ? 2U
                                     : first_capital_ && capitals_ == 1 ? 1U
                                                                        : 3U;
        sink_(word + (casing * 2 + (blank_before ? 1U : 0U)) * length_max + capped() - 1);
        word_ended();
        break;
      }
      case Run::marked_word:
        sink_(marked_word + (blank_before ? length_max : 0U) + (length_ == 0 ? 1U : capped()) - 1);
        word_ended();
        break;
      case Run::digit: {
        // Half a million digits are still one run.
        for (std::uint64_t i = 0; i < length_ / 3; ++i) {
          sink_(digits);
        }
        if (length_ % 3 != 0) {
          sink_(digits + (length_ % 3 == 2 ? 1U : 2U));
        }
        if (blank_before) {
          sink_(digits + 3);
        }
        break;
      }
      case Run::mark:
        sink_(mark + (blank_before ? marks_size : 0U) + first_mark_);
        break;
      case Run::blank:
        if (length_ > 1 || trailing_) {
          const std::uint64_t size = length_ <= 16 ? length_ - 1 : length_ < 80 ? 15 + (length_ - 16) / 8 : 23;
          sink_(blanks + (before_ == Run::line ? 24U : 0U) + static_cast<std::uint32_t>(size));
        }
        break;
      case Run::tab:
        sink_(tabs + static_cast<std::uint32_t>(length_ < 8 ? length_ - 1 : 7));
        break;
      case Run::line:
        if (!after_mark_ || length_ > 1) {
          sink_(lines + (length_ == 1 ? 0U : length_ == 2 ? 1U : 2U));
        }
        break;
      case Run::none:
      case Run::script:
      case Run::symbol:
        break;
    }
    before_ = run_;
    length_before_ = length_;
    run_ = Run::none;
    length_ = 0;
    capitals_ = 0;
    last_capital_ = false;
    last_two_ = no_pair;
    trailing_ = false;
    after_mark_ = false;
    symbol_ = 0;
  }

  void word_ended() {
    if (last_two_ != no_pair && length_ > 2) {
      sink_(last_pair + last_two_);
    }
    if (before_ == Run::mark && length_before_ == 1) {
      sink_(glue + first_mark_);
    }
  }

  std::uint32_t capped() const { return static_cast<std::uint32_t>(length_ < length_max ? length_ : length_max); }

  static constexpr std::uint32_t no_pair = 0xFFFFFFFFU;

  Sink& sink_;
  std::uint64_t length_ = 0;         // of the run so far
  std::uint64_t length_before_ = 0;  // of the run before
  std::uint64_t capitals_ = 0;
  std::uint64_t same_ = 0;      // how often the last mark stands in a row
  std::uint32_t previous_ = 0;  // letter or mark
  std::uint32_t last_two_ = no_pair;
  std::uint32_t first_mark_ = 0;
  std::uint32_t script_ = 0;
  char32_t symbol_ = 0;
  Run run_ = Run::none;
  Run before_ = Run::line;
  bool first_capital_ = false;
  bool last_capital_ = false;
  bool trailing_ = false;    // blanks before a line end
  bool after_mark_ = false;  // a line end that belongs to the marks before it
};

template <class Sink>
void read_features(std::string_view text, Sink sink) {
  Reader<Sink>(sink).read(text);
}

}  // namespace plumb::text::features
