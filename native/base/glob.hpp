// Globs over paths: `*` any characters but `/`, `?` one character but `/`, `[abc]`, `[a-z]`, `[!a]` one of a class,
// `{a,b}` either, `**` as a whole segment any number of directories, `\` takes the next character as it is.
// As in shells, a name that begins with `.` is matched only by a segment that begins with `.`.
//
// Matching one path takes time proportional to pattern times path; a pattern has at most 256 alternatives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace plumb {

class Glob {
 public:
  // Whether names that begin with `.` are matched only by segments that begin so, or as any other name.
  enum class Dots : std::uint8_t { hidden, like_others };

  // The error says what is wrong with the pattern.
  static Result<Glob> read(std::string_view pattern, Dots dots = Dots::hidden);
  // Does it have any of the signs above?
  static bool is_pattern(std::string_view text);

  // `path` has `/` between segments and no `.` or `..` segment that the pattern does not have.
  bool matches(std::string_view path) const;

  const std::string& pattern() const { return pattern_; }
  // The directories before the first segment with a sign: where a search begins. "" is the working directory, "/" the
  // root; else it ends with `/`. One for each alternative of the braces, without repeats.
  std::vector<std::string> roots() const;

 private:
  std::string pattern_;
  std::vector<std::vector<std::string>> alternatives_;  // each a list of segments
  Dots dots_ = Dots::hidden;
};

}  // namespace plumb
