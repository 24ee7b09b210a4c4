// What an estimate of tokens counts in a text: words by length, case and pairs of letters, digits, punctuation by
// pairs, white space by runs, and for every other script its words and letters. Each has a weight in each encoding's
// table (core/text/token_weights.hpp); the cost of a text is the sum.
//
//   struct Cost {
//     void operator()(std::uint32_t feature) { cost += weights[feature]; }
//     void letter_pairs(std::span<const std::uint32_t> features);   // the same for each: `pair` or `first_pair`
//   };
//   read_features(text, cost);
//
// The pieces are those that byte-pair encoders cut a text into before they look anything up: a word with the blank or
// the one mark before it, up to three digits, a run of marks, a line end with its indent. Linear in the text; the state
// is a few words, and any bytes are taken. Private to the estimate and to the script that fits the weights.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/ascii.hpp"
#include "core/text/token_encoded.hpp"
#include "core/text/token_scripts.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text::features {

constexpr std::uint32_t length_max = 16;  // longer words count their letters beyond one by one
constexpr std::uint32_t marks_size = 34;  // ASCII punctuation, and the line end
// How long a run the vocabularies have as one token.
constexpr std::uint32_t lines_period = 16;
constexpr std::uint32_t crlf_period = 8;
constexpr std::uint32_t marks_period = 64;
constexpr std::uint32_t letters_period = 8;

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
  digits = last_pair + 26 * 26,                       // three, two, one; after a blank
  glue = digits + 4,                                  // [mark] before a word
  mark = glue + marks_size,                           // [before 2][mark] that begins a run
  mark_pair = mark + 2 * marks_size,                  // [mark][mark]
  blanks = mark_pair + marks_size * marks_size,       // [at the start of a line 2][length]
  script_word = blanks + 2 * 24,                      // [script][before 2]
  script_letter = script_word + 2 * scripts_counted,  // [script][position 1 to 4, 5 to 8, 9 and beyond; rare; mark]
  han = script_letter + 5 * scripts_counted,          // [block of 128 characters]
  cyrillic_pair = han + 165,                          // [letter][letter] in a word, of the 32 of Russian
  symbol = cyrillic_pair + 32 * 32,                   // [kind][first, the same again]
  blanks_more = symbol + 2 * symbols_counted,         // each 128 of a run
  control,                                            // [NUL, carriage return alone, others][first, again]
  control_glue = control + 6,                         // a word behind such
  encoded = control_glue + 1,        // [base64 or such, hexadecimal][letter, capital, digit, mark][likewise]
  encoded_start = encoded + 2 * 16,  // [base64 or such, hexadecimal]
  own_letter = encoded_start + 2,    // [script][letter]: of scripts whose letters cost too much or too little alike
  same_other =
      own_letter + scripts_of_own_letters * 128,  // the 4th and further ones of one letter beyond ASCII: [bytes]
  // Runs of one thing: [length], and each period of it before that.
  lines = same_other + 3,
  crlf_lines = lines + 1 + lines_period,
  tabs = crlf_lines + 1 + crlf_period,
  same_marks = tabs + 1 + lines_period,
  same_letters = same_marks + 1 + marks_period,
  same_symbols = same_letters + 1 + letters_period,                  // [kind]
  marks_more = same_symbols + symbols_counted * (1 + lines_period),  // [mark]: each period of it beside the above
  count = marks_more + marks_size,
};

enum class Run : std::uint8_t {
  none,
  ascii_word,
  marked_word,
  script,
  digit,
  mark,
  blank,
  tab,
  line,
  symbol,
  control,
  encoded
};

template <class Sink>
class Reader {
 public:
  explicit Reader(Sink& sink) : sink_(sink) {}

  void read(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    not_hexadecimal_to_ = not_base64_to_ = at;
    while (at != end) {
      const auto byte = static_cast<unsigned char>(*at);
      if (byte < 0x80) {
        if (run_ == Run::ascii_word) {
          if (const std::size_t size = small_letters(at, end); size > 0) {
            at += size;
            continue;
          }
        } else if (ascii::is_alphanumeric(byte) && !in_word()) {
          if (const std::size_t size = encoded_from({at, static_cast<std::size_t>(end - at)}); size > 0) {
            at += size;
            continue;
          }
        }
        ascii(byte, at + 1 != end && at[1] == '\n');
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
  bool in_word() const { return run_ == Run::ascii_word || run_ == Run::marked_word || run_ == Run::digit; }

  // The size of what is encoded at the beginning of `rest`, which is then read. Everything is looked at once.
  std::size_t encoded_from(std::string_view rest) {
    if (rest.data() >= not_hexadecimal_to_ && rest.data() >= not_base64_to_) {
      const std::size_t size = encodable_size(rest);
      if (size < encoded_size_min) {
        not_hexadecimal_to_ = not_base64_to_ = rest.data() + size;
        return 0;
      }
    }
    for (const bool hexadecimal : {true, false}) {
      const char*& looked_at = hexadecimal ? not_hexadecimal_to_ : not_base64_to_;
      if (rest.data() < looked_at) {
        continue;
      }
      const Encoded found = hexadecimal ? hexadecimal_at(rest) : base64_at(rest);
      looked_at = rest.data() + found.size;
      if (found.kind != EncodedKind::none) {
        read_encoded(found.kind, rest.substr(0, found.size));
        return found.size;
      }
    }
    return 0;
  }

  void read_encoded(EncodedKind kind, std::string_view text) {
    begin(Run::encoded);
    const std::uint32_t which = kind == EncodedKind::hexadecimal ? 1 : 0;
    sink_(encoded_start + which);
    std::uint32_t last = encoded_class(static_cast<unsigned char>(text[0]));
    for (const char c : text.substr(1)) {
      const std::uint32_t next = encoded_class(static_cast<unsigned char>(c));
      sink_(encoded + which * 16 + last * 4 + next);
      last = next;
    }
    length_ = text.size();
  }

  void ascii(unsigned char c, bool before_line_end) {
    const unsigned char folded = c | 0x20U;
    if (ascii::is_lower(folded)) {
      latin(static_cast<std::uint32_t>(folded - 'a'), c != folded);
    } else if (ascii::is_digit(c)) {
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
    } else if (c == '\r' && before_line_end) {
      returned_ = true;
    } else if (c < 0x20 || c == 0x7F) {
      control_character(c);
    } else {
      punctuation(mark_of(c));
    }
  }

  // The last number is the line end's.
  static std::uint32_t mark_of(unsigned char c) {
    return c < 0x30 ? c - 0x20U : c < 0x41 ? c - 0x3AU + 16U : c < 0x61 ? c - 0x5BU + 23U : c - 0x7BU + 29U;
  }

  void control_character(unsigned char c) {
    begin(Run::control);
    const bool again = length_ > 0 && previous_ == c;
    sink_(control + (c == 0 ? 0U : c == '\r' ? 2U : 4U) + (again ? 1U : 0U));
    previous_ = c;
    ++length_;
  }

  void latin(std::uint32_t letter, bool capital) {
    if (run_ != Run::ascii_word && run_ != Run::marked_word) {
      begin(Run::ascii_word);
    }
    if (length_ > 0 && previous_ == letter && capital == last_capital_) {
      ++same_;
    } else {
      same_ended(same_letters, letters_period);
    }
    if (same_ >= 4) {
      return;
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

  // What `latin` does with small letters, none of them twice in a row, after another of their word. Gives how many were
  // read: most of what people and models write is such letters.
  std::size_t small_letters(const char* const begin, const char* const end) {
    if (last_capital_ || same_ >= 4) {
      return 0;
    }
    const std::uint64_t room = length_ < length_max ? length_max - length_ : 0;
    const char* at = begin;
    const char* const stop = static_cast<std::uint64_t>(end - begin) < room ? end : begin + room;
    std::uint32_t previous = previous_;
    std::uint32_t first = length_ == 1 ? first_pair : pair;
    std::array<std::uint32_t, length_max> pairs;
    std::size_t size = 0;
    for (; at != stop; ++at) {
      const std::uint32_t letter = static_cast<unsigned char>(*at) - std::uint32_t{'a'};
      if (letter >= 26 || letter == previous) {
        break;
      }
      pairs[size++] = first + previous * 26 + letter;
      first = pair;
      previous = letter;
    }
    if (at != begin) {
      sink_.letter_pairs({pairs.data(), size});
      last_two_ = (pairs[size - 1] - pair) % (26 * 26);
      same_ = 1;
      previous_ = previous;
      length_ += static_cast<std::uint64_t>(at - begin);
    }
    return static_cast<std::size_t>(at - begin);
  }

  void marked(char32_t c) {
    if (run_ != Run::ascii_word && run_ != Run::marked_word) {
      begin(Run::marked_word);
    }
    if (run_ == Run::ascii_word) {
      same_ended(same_letters, letters_period);
    }
    run_ = Run::marked_word;
    if (again(c)) {
      return;
    }
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
    } else if (which == previous_) {
      ++same_;
      if (same_ % marks_period == 0) {
        sink_(marks_more + which);
      }
    } else {
      same_ended(same_marks, marks_period);
    }
    if (length_ > 0 && same_ < 4) {
      sink_(mark_pair + previous_ * marks_size + which);
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
      returns_ = returned_;
      returned_ = false;
      return;
    }
    if (run_ == Run::blank || run_ == Run::tab) {
      trailing_ = true;
    }
    begin(Run::line);
    ++length_;
    returns_ = returns_ || returned_;
    returned_ = false;
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
        if (again(c)) {
          return;
        }
        ++length_;
        if (place.own < scripts_of_own_letters) {
          sink_(own_letter + place.own * 128 + (static_cast<std::uint32_t>(c) & 127U));
        }
        sink_(script_letter + 5 * place.index +
              (place.index == bytes_script ? (c < 0x800     ? 0U
                                              : c < 0x10000 ? 1U
                                                            : 2U)
               : place.rare                ? 3U
               : length_ < 5               ? 0U
               : length_ < 9               ? 1U
                                           : 2U));
        return;
      case Kind::mark:
        if (run_ == Run::ascii_word) {
          same_ended(same_letters, letters_period);
          run_ = Run::marked_word;
          previous_ = 26;
        }
        if (place.own < scripts_of_own_letters) {
          sink_(own_letter + place.own * 128 + (static_cast<std::uint32_t>(c) & 127U));
        }
        sink_(script_letter + 5 * place.index + 4);
        return;
      case Kind::symbol:
        begin(Run::symbol);
        if (c == symbol_ && place.index != emoji_symbol) {
          ++same_;
        } else {
          same_ended(same_symbols + symbol_kind_ * (1 + lines_period), lines_period);
        }
        if (same_ < 4) {
          sink_(symbol + 2 * place.index + (c == symbol_ ? 1U : 0U));
        }
        symbol_kind_ = place.index;
        symbol_ = c;
        return;
    }
  }

  // The same letter beyond ASCII the fourth time or more.
  bool again(char32_t c) {
    times_ = c == symbol_ ? times_ + 1 : 1;
    symbol_ = c;
    if (times_ < 4) {
      return false;
    }
    sink_(same_other + (c < 0x800 ? 0U : c < 0x10000 ? 1U : 2U));
    return true;
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
        same_ended(same_letters, letters_period);
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
        each(digits, length_ / 3);
        if (length_ % 3 != 0) {
          sink_(digits + (length_ % 3 == 2 ? 1U : 2U));
        }
        if (blank_before) {
          sink_(digits + 3);
        }
        break;
      }
      case Run::mark:
        same_ended(same_marks, marks_period);
        sink_(mark + (blank_before ? marks_size : 0U) + first_mark_);
        break;
      case Run::blank:
        if (length_ > 1 || trailing_) {
          const std::uint64_t size = length_ <= 16 ? length_ - 1 : length_ < 80 ? 15 + (length_ - 16) / 8 : 23;
          sink_(blanks + (before_ == Run::line ? 24U : 0U) + static_cast<std::uint32_t>(size));
          each(blanks_more, length_ / 128);
        }
        break;
      case Run::tab:
        of_length(tabs, lines_period, length_);
        break;
      case Run::line:
        if (!after_mark_ || length_ > 1) {
          of_length(returns_ ? crlf_lines : lines, returns_ ? crlf_period : lines_period, length_);
        }
        break;
      case Run::symbol:
        same_ended(same_symbols + symbol_kind_ * (1 + lines_period), lines_period);
        break;
      case Run::none:
      case Run::script:
      case Run::control:
      case Run::encoded:
        break;
    }
    before_ = run_;
    same_ = 1;
    length_before_ = length_;
    run_ = Run::none;
    length_ = 0;
    capitals_ = 0;
    last_capital_ = false;
    last_two_ = no_pair;
    trailing_ = false;
    after_mark_ = false;
    returns_ = false;
    symbol_ = 0;
  }

  void each(std::uint32_t feature, std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) {
      sink_(feature);
    }
  }

  // One length of a run: each whole period of it, and what is left.
  void of_length(std::uint32_t first, std::uint32_t period, std::uint64_t length) {
    each(first, (length - 1) / period);
    sink_(first + 1 + static_cast<std::uint32_t>((length - 1) % period));
  }

  // Another letter, mark or symbol follows, or the run has ended.
  void same_ended(std::uint32_t first, std::uint32_t period) {
    if (same_ >= 4) {
      of_length(first, period, same_);
    }
    same_ = 1;
  }

  void word_ended() {
    if (last_two_ != no_pair && length_ > 2) {
      sink_(last_pair + last_two_);
    }
    if (before_ == Run::control) {
      sink_(control_glue);
    }
    if (before_ == Run::mark && length_before_ == 1) {
      sink_(glue + first_mark_);
    }
  }

  std::uint32_t capped() const { return static_cast<std::uint32_t>(length_ < length_max ? length_ : length_max); }

  static constexpr std::uint32_t no_pair = 0xFFFFFFFFU;

  Sink& sink_;
  const char* not_hexadecimal_to_ = nullptr;
  const char* not_base64_to_ = nullptr;
  std::uint64_t length_ = 0;         // of the run so far
  std::uint64_t length_before_ = 0;  // of the run before
  std::uint64_t capitals_ = 0;
  std::uint64_t same_ = 1;      // how often in a row the last letter, mark or symbol came
  std::uint32_t previous_ = 0;  // letter or mark
  std::uint32_t last_two_ = no_pair;
  std::uint32_t first_mark_ = 0;
  std::uint32_t script_ = 0;
  std::uint32_t symbol_kind_ = 0;
  char32_t symbol_ = 0;      // the last one, or the last letter beyond ASCII
  std::uint64_t times_ = 0;  // how often in a row that came
  Run run_ = Run::none;
  Run before_ = Run::line;
  bool first_capital_ = false;
  bool last_capital_ = false;
  bool trailing_ = false;    // blanks before a line end
  bool after_mark_ = false;  // a line end that belongs to the marks before it
  bool returned_ = false;    // a carriage return before the line end that follows
  bool returns_ = false;     // such were in this run of line ends
};

template <class Sink>
void read_features(std::string_view text, Sink& sink) {
  Reader<Sink>(sink).read(text);
}

}  // namespace plumb::text::features
