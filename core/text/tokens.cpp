// Costs are counted in hundredths of a token, so that the result is the same everywhere.

#include "core/text/tokens.hpp"

#include "core/text/utf8.hpp"

namespace plumb::text {

namespace {

enum class Class : std::uint8_t { letter, digit, blank, line, mark, wide, dense, other };

// Scripts by block: what matters is how vocabularies cut them, not which they are.
Class class_of(char32_t c) {
  if (c < 0x80) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter                   ? Class::letter
           : c >= '0' && c <= '9'   ? Class::digit
           : c == '\n' || c == '\r' ? Class::line
           : c == ' ' || c == '\t'  ? Class::blank
                                    : Class::mark;
  }
  if (c < 0x250) {
    return Class::letter;  // Latin with marks
  }
  if (c < 0x900) {
    return Class::other;  // Greek, Cyrillic, Hebrew, Arabic
  }
  if (c < 0x2000) {
    return Class::dense;  // Indic scripts, Thai, Georgian
  }
  if (c < 0x2E80) {
    return Class::mark;  // punctuation, arrows, symbols
  }
  return Class::wide;  // Chinese, Japanese, Korean; emoji
}

struct Weights {
  std::uint64_t word = 0;    // a word of up to `letters_free` letters
  std::uint64_t letter = 0;  // each letter beyond
  std::uint64_t letters_free = 0;
  std::uint64_t capital = 0;     // a capital within a word
  std::uint64_t mark = 0;        // the first mark of a run
  std::uint64_t more_marks = 0;  // each further one
  std::uint64_t other = 0;
  std::uint64_t dense = 0;
  std::uint64_t wide = 0;
};

constexpr Weights likely_weights = {100, 12, 7, 40, 85, 35, 32, 40, 80};
constexpr Weights safe_weights = {120, 25, 5, 80, 100, 70, 90, 130, 160};

class Count {
 public:
  explicit Count(const Weights& weights) : weights_(weights) {}

  void add(char32_t c, Class cls) {
    if (cls != last_) {
      run_ = 0;
    }
    ++run_;
    switch (cls) {
      case Class::letter: {
        const bool capital = c >= 'A' && c <= 'Z';
        hundredths_ += run_ == 1 ? weights_.word : run_ > weights_.letters_free ? weights_.letter : 0;
        hundredths_ += run_ > 1 && capital && !last_capital_ ? weights_.capital : 0;
        last_capital_ = capital;
        break;
      }
      case Class::digit:
        hundredths_ += run_ % 3 == 1 ? 100 : 0;
        break;
      case Class::blank:
        hundredths_ += run_ == 2 ? 100 : run_ % 16 == 0 ? 100 : 0;  // one alone goes with the word behind it
        break;
      case Class::line:
        hundredths_ += run_ == 1 ? 60 : 10;
        break;
      case Class::mark:
        hundredths_ += run_ == 1 ? weights_.mark : weights_.more_marks;
        break;
      case Class::other:
        hundredths_ += weights_.other;
        break;
      case Class::dense:
        hundredths_ += weights_.dense;
        break;
      case Class::wide:
        hundredths_ += weights_.wide;
        break;
    }
    last_ = cls;
  }

  std::uint64_t tokens() const { return (hundredths_ + 99) / 100; }

 private:
  const Weights& weights_;
  std::uint64_t hundredths_ = 0;
  std::uint64_t run_ = 0;
  Class last_ = Class::line;
  bool last_capital_ = false;
};

}  // namespace

TokenEstimate estimate_tokens(std::string_view utf8) {
  Count likely(likely_weights);
  Count safe(safe_weights);
  const char* at = utf8.data();
  const char* const end = at + utf8.size();
  while (at != end) {
    const Decoded next = decode(at, end);
    const Class cls = class_of(next.code_point);
    likely.add(next.code_point, cls);
    safe.add(next.code_point, cls);
    at += next.size;
  }
  return {likely.tokens(), safe.tokens()};
}

}  // namespace plumb::text
