// The one way to run a declared command in a tree: for `command` effects of runs, and for the gates of
// `plumb workflow check` and `prove`.
//
//   Place place{tree, "src", scratch, process::Isolation::full};
//   Result<process::Command> command = command_at(declared, place);
//   Result<process::Outcome> outcome = process::run(command.value());
//   std::string reply = outcome_json(declared, outcome.value(), keep);
//
// In every place it sees the same: PATH (tool_path.hpp), LANG=C.UTF-8, GIT_CEILING_DIRECTORIES, and the variables of
// its `env`. HOME and TMPDIR are private in a place with isolation, and the person's own without.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "native/command/declared_command.hpp"
#include "native/process/command.hpp"

namespace plumb::command {

struct Place {
  std::string root;     // the tree, which it may write
  std::string dir;      // below it: where it starts
  std::string scratch;  // a folder with `home` and `tmp` for this command; unused without isolation
  std::optional<process::Isolation> isolation;  // the least of it; nothing: as the person would run it themselves
  std::string hidden = {};                      // a folder that is out of its sight
  std::string input = {};                       // what it reads; also in the file {task_file}
};
// The errors: `dir` leads out of the tree, a folder of `writable` is not there, the input cannot be written.
Result<process::Command> command_at(const DeclaredCommand& what, const Place& place);

// Runs it. Its word {files} stands for those of `files` that lie in its folder. What is too long for one start (128 KB
// of names) becomes several, one after another within the time of one: the first that fails gives the exit code. If
// none of the files is there, nothing runs and the exit code is 0.
Result<process::Outcome> run_on(process::Command command, const std::vector<std::string>& files,
                                process::Stop* stop = nullptr);

// Keeps an output that is too long for a reply, and gives the name under which it is found.
using KeepOutput = std::function<Result<std::string>(const std::string& text)>;
// The value of the `command` effect's reply (command_fulfiller.hpp). Without `keep` what is left out is only counted.
std::string outcome_json(const DeclaredCommand& what, const process::Command& command, const process::Outcome& outcome,
                         const KeepOutput& keep);

}  // namespace plumb::command
