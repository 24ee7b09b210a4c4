// Splits shell text into its simple commands, each a list of words. Finds what a script, a recipe or `sh -c` starts
// without running a shell.
//
//   shell_commands("cd ci && ./a.sh \"x y\" > log; if ! b; then c; fi")
//       {{"cd", "ci"}, {"./a.sh", "x y"}, {"b"}, {"c"}}
//
// Handles quotes, comments, line continuations, here-documents and redirections. Variables are not expanded. The
// content of `$(...)` and backticks becomes commands of its own. A file that is the input (`< FILE`) is a word that
// begins with `input_mark`; other redirections are left out. The result only serves to find files to guard. At most
// 5,000 commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb::workflow {

inline constexpr char input_mark = '\x03';

std::vector<std::vector<std::string>> shell_commands(std::string_view text);

}  // namespace plumb::workflow
