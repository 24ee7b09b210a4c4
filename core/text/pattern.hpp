// Patterns: ECMA-262 regular expressions with the flag `u`, searched for in a text that may come piece by piece.
//
//   Result<Pattern> pattern = Pattern::compile("^[a-z]+$");
//   Matcher matcher(pattern.value());
//   std::size_t decided_after = 0;
//   matcher.feed("ab1", decided_after);   // Status::impossible, decided_after == 3
//
// Time is linear in the text whatever the pattern, memory is bounded by the pattern. Between two pieces the state is a
// set of states, never text, so that how a text is cut changes nothing.
//
// The language is that of ECMA-262 (2024) without the flags i, m, s, v. What differs:
// - Groups capture nothing; names of groups are checked. Greedy and lazy quantifiers say the same here.
// - An escape that only the old syntax has (\-, \_, \@: not a letter, not a digit) stands for its character, with a
//   warning.
// - What only the syntax without the flag has ([\w-.], a lone } or ], {,3}) is read as browsers read it without the
// flag:
//   its characters stand for themselves, with a warning. Beside \p{}, \u{} or a character above U+FFFF, which mean
//   something else without the flag, it is refused.
// - Look-ahead is run only at the start, beside a `^`: `^(?=...)(?!...)rest`. Look-ahead elsewhere, look-behind,
//   back-references and more than `states_max` states are refused (ErrorCode::limit). What is no regular expression at
//   all is ErrorCode::invalid_argument. Message and `column` of the error tell the place.
// - \p{} uses the tables of core/text/unicode.hpp.
//
// Counted repeats are copied: x{2,5} has five states, and ((a{1,50}){1,50}){1,50}, which would have 125,000, is refused
// before a single one is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace plumb::text {

namespace pattern {
struct Program;
class Automaton;
}  // namespace pattern

// Something to tell about a pattern that is accepted.
struct PatternWarning {
  std::string message;     // one sentence, with the place
  std::size_t column = 0;  // from 1, in UTF-16 units of the pattern
};

class Steps;  // core/text/steps.hpp

// A compiled pattern: immutable, cheap to copy, for any number of threads.
class Pattern {
 public:
  static constexpr std::size_t states_max = 10000;  // characters and classes, repeats multiplied out
  static constexpr std::size_t source_bytes_max = 262144;
  static constexpr std::size_t nesting_max = 250;  // groups within groups

  // With a budget: one that is used up is ErrorCode::limit.
  static Result<Pattern> compile(std::string_view source, Steps* steps = nullptr);

  // The error that makes `source` no regular expression by ECMA-262; nothing when it is one, even one that compile()
  // refuses to run. This is what the format "regex" asks.
  static std::optional<Error> syntax_error(std::string_view source);

  const std::vector<PatternWarning>& warnings() const;

 private:
  friend class Matcher;
  explicit Pattern(std::shared_ptr<const pattern::Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const pattern::Program> program_;
};

enum class Status : std::uint8_t {
  undecided,
  matches,     // and no continuation can undo it
  impossible,  // and no continuation can change it
};

// One search. Used again after start(); not for two threads at once.
//
// When things become certain: `impossible` as soon as no continuation can match, exactly, in patterns without
// look-ahead. `matches` as soon as every continuation matches, exactly, in patterns without look-ahead, `$`, `\b` and
// `\B`. All patterns whose whole automaton has at most 128 states (nearly all there are) are exact in both. For the
// others the status is sound: a decision is never wrong, it may come later, at the end at the latest.
//
// Memory: none beyond the object itself for those with at most 128 states. Otherwise a cache that grows with what the
// texts need, to 512 KB or 16 states, whichever is more, for the pattern and for each of its look-aheads, and in
// proportion to the states of the pattern. A full cache is emptied and filled again.
class Matcher {
 public:
  explicit Matcher(const Pattern& pattern);
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  // From now on the work is taken from `steps`, which must outlive this; nullptr: it is not counted. Once they are used
  // up nothing becomes certain any more, and what end() says means nothing.
  void meter(Steps* steps) { steps_ = steps; }
  // Begins a new text.
  void start();
  // What is certain so far; some patterns are decided before the first byte.
  Status status() const { return status_; }
  // Takes the next piece. Pieces end at the end of a character. `decided_after` is the number of bytes of this piece
  // after which the status was certain: 0 when it was certain before, the size of the piece when it is undecided.
  Status feed(std::string_view piece, std::size_t& decided_after);
  // The text has ended: does it match? Changes nothing.
  bool end() const;

  // start(), feed(text), end().
  bool search(std::string_view text);

 private:
  struct Part;  // the run of one automaton

  Status feed_parts(std::string_view piece, std::size_t& decided_after);
  bool count(std::size_t bytes);

  std::shared_ptr<const pattern::Program> program_;
  std::vector<Part> parts_;  // empty where the program is one table
  std::uint32_t row_ = 0;    // of that table
  Status status_ = Status::undecided;
  Steps* steps_ = nullptr;
};

}  // namespace plumb::text
