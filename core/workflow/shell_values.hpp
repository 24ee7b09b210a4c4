// What the variables and substitutions in the words of a shell text stand for, as far as the text itself says so.
//
//   ShellValues values("ci");                                 // of the script ci/test.sh
//   values.learn({"D=lib"}, "");                              // a command, and the folder that it runs in
//   values.expanded("$D/x.sh", "")                            // {"lib/x.sh"}
//   values.expanded("$(dirname \"$0\")/x.sh", "")             // {top + "ci/x.sh"}
//
// Known are $PWD, $(pwd), $0 and BASH_SOURCE in `dirname`, the top of the repository, assignments of a plain text, the
// words of `for NAME in`, and what `ls` and `find` in `$(...)` would list, as patterns. What is not known stays as it
// is written. At most 100 values for one word.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::workflow {

// Begins a path that counts from the top of the repository, not from the folder in which a command runs.
inline constexpr char from_top = '\x01';
// Stands for a line of the input, as of `while read NAME`.
inline constexpr std::string_view from_input = "\x02";

class ShellValues {
 public:
  explicit ShellValues(std::string self) : self_(std::move(self)) {}

  void learn(const std::vector<std::string>& command, const std::string& dir);
  std::vector<std::string> expanded(const std::string& word, const std::string& dir) const;
  // All words of a command; once for each value of a variable that has several.
  std::vector<std::vector<std::string>> commands(const std::vector<std::string>& words, const std::string& dir) const;

 private:
  std::vector<std::string> value_of(std::string_view expression, bool command, const std::string& dir) const;

  std::string self_;  // the folder of the script
  std::map<std::string, std::vector<std::string>> variables_;
};

// The patterns of what a `find` command lists: its folders with its -name, all below them without one.
std::vector<std::string> found_patterns(const std::vector<std::string>& find);

}  // namespace plumb::workflow
