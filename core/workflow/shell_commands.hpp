// The simple commands of a shell text, each as its words: what a script, a recipe or `sh -c` starts, seen without a
// shell.
//
//   shell_commands("cd ci && ./a.sh \"x y\" > log; if ! b; then c; fi")
//       {{"cd", "ci"}, {"./a.sh", "x y"}, {"b"}, {"c"}}
//
// Quotes, comments, line ends with a backslash, here-documents and redirections are known; variables stay as they are
// written, and what stands in `$(...)` and backticks comes as commands of its own. Words that only a running shell
// knows are not followed: this finds files to guard, and decides nothing else. At most 5,000 commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb::workflow {

std::vector<std::vector<std::string>> shell_commands(std::string_view text);

}  // namespace plumb::workflow
