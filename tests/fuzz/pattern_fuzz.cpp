// A pattern is searched for with the same answer as RE2 gives, however the text is cut, and what is certain early is
// true at the end.
//
// The bytes of the input choose a pattern from the part of the language that both sides have, and a text. The pattern's
// own text is fuzzed too: whatever it is, it is compiled or refused with a reason.
#include <re2/re2.h>

#include <algorithm>

#include "core/text/pattern.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace {

using plumb::text::Matcher;
using plumb::text::Pattern;
using plumb::text::Status;

class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  unsigned next(unsigned bound) {
    if (at_ >= bytes_.size()) {
      return 0;
    }
    return static_cast<unsigned char>(bytes_[at_++]) % bound;
  }
  bool over() const { return at_ >= bytes_.size(); }
  std::string_view rest() const { return bytes_.substr(at_); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// \w, \d and \b mean the same to both; \s, the dot before line ends other than LF, and case do not and are left out.
constexpr const char* atoms[] = {"a",    "b",    "c",      "-",      ".", "\\d",   "\\w",        "\\D", "\\W",
                                 "[ab]", "[^a]", "[a-c-]", "[^\\d]", "é", "[é-ü]", "\\x{1F600}", "\\.", "\\n"};
constexpr const char* ecma_atoms[] = {"a",    "b",    "c",      "-",      ".", "\\d",   "\\w",        "\\D", "\\W",
                                      "[ab]", "[^a]", "[a-c-]", "[^\\d]", "é", "[é-ü]", "\\u{1F600}", "\\.", "\\n"};
constexpr const char* letters[] = {"a", "b", "c", "d", "-", "1", ".", " ", "\n", "é", "ü", "😀", "Z", "_"};

struct Both {
  std::string ecma;
  std::string re2;
  void add(const char* text) {
    ecma += text;
    re2 += text;
  }
};

void expression(Choices& choices, Both& out, unsigned depth) {
  const unsigned terms = choices.next(4);
  for (unsigned i = 0; i <= terms; ++i) {
    const unsigned kind = choices.next(12);
    if (kind == 0 && i > 0) {
      out.add("|");
      continue;
    }
    if (kind == 1) {
      constexpr const char* assertions[] = {"^", "$", "\\b", "\\B"};
      out.add(assertions[choices.next(4)]);
      continue;
    }
    if (kind <= 4 && depth < 4) {
      out.add("(?:");
      expression(choices, out, depth + 1);
      out.add(")");
    } else {
      const unsigned atom = choices.next(std::size(atoms));
      out.ecma += ecma_atoms[atom];
      out.re2 += atoms[atom];
    }
    constexpr const char* repeats[] = {"", "", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "{3,5}"};
    out.add(repeats[choices.next(std::size(repeats))]);
  }
}

// RE2 looks for \\B between the bytes of a character too, where ECMA-262 has no position.
bool re2_sees_other_places(std::string_view pattern, std::string_view text) {
  return pattern.find("\\B") != std::string_view::npos &&
         std::any_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) < 0; });
}

void cut_and_compare(const Pattern& pattern, std::string_view pattern_text, std::string_view text, bool expected) {
  Matcher matcher(pattern);
  if (re2_sees_other_places(pattern_text, text)) {
    expected = matcher.search(text);  // then only the cuts are compared
  }
  plumb::fuzz::expect(matcher.search(text) == expected, "the answer is not RE2's", pattern_text, text);
  plumb::fuzz::Numbers numbers(text);
  std::size_t first_decided = text.size() + 1;
  for (unsigned way = 0; way < 4; ++way) {
    matcher.start();
    std::size_t decided = matcher.status() == Status::undecided ? text.size() + 1 : 0;
    std::size_t from = 0;
    while (from < text.size()) {
      std::size_t to = way == 0 ? text.size() : way == 1 ? from + 1 : from + 1 + numbers.below(7);
      to = std::min(to, text.size());
      while (to < text.size() && (static_cast<unsigned char>(text[to]) & 0xC0U) == 0x80U) {
        ++to;  // pieces end at the end of a character
      }
      std::size_t after = 0;
      const Status status = matcher.feed(text.substr(from, to - from), after);
      if (status != Status::undecided) {
        plumb::fuzz::expect((status == Status::matches) == expected, "what was certain is not true", pattern_text,
                            text);
        decided = std::min(decided, from + after);
      }
      from = to;
    }
    plumb::fuzz::expect(matcher.end() == expected, "the cut of the text changes the answer", pattern_text, text);
    if (way == 0) {
      first_decided = decided;
    }
    plumb::fuzz::expect(decided == first_decided, "the cut of the text changes when it is decided", pattern_text, text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (size > 1 && data[0] == '/') {  // "/pattern/text": any pattern at all, our own properties only
    const std::size_t end = input.find('/', 1);
    const std::string_view source = input.substr(1, end == std::string_view::npos ? end : end - 1);
    auto pattern = Pattern::compile(source);
    if (!pattern) {
      plumb::fuzz::expect(!pattern.error().message.empty(), "a refusal has a reason");
      return 0;
    }
    plumb::fuzz::expect(!Pattern::syntax_error(source), "what compiles is a regular expression", source);
    std::string text;  // valid UTF-8, whatever the bytes are
    for (const char c : end == std::string_view::npos ? std::string_view() : input.substr(end + 1)) {
      text += static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : letters[static_cast<unsigned char>(c) % 14];
    }
    Matcher matcher(pattern.value());
    cut_and_compare(pattern.value(), source, text, matcher.search(text));
    return 0;
  }
  Choices choices(input);
  Both both;
  expression(choices, both, 0);
  auto pattern = Pattern::compile(both.ecma);
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(8 << 20);
  const RE2 oracle(both.re2, options);
  if (!oracle.ok()) {
    return 0;  // refused by RE2 alone: a repeat of a repeat, too large
  }
  plumb::fuzz::expect(static_cast<bool>(pattern), "RE2 takes a pattern that is refused here", both.ecma,
                      pattern ? std::string_view() : std::string_view(pattern.error().message));
  std::string text;
  for (unsigned i = 0; i < 24 && !choices.over(); ++i) {
    text += letters[choices.next(std::size(letters))];
    if (i % 4 == 0) {
      cut_and_compare(pattern.value(), both.ecma, text, RE2::PartialMatch(text, oracle));
    }
  }
  cut_and_compare(pattern.value(), both.ecma, text, RE2::PartialMatch(text, oracle));
  return 0;
}
