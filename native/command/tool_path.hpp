// Where the programs of declared commands are looked for: one PATH for `plumb workflow check`, runs and the server.
//
//   ToolPath tools = tool_path(command.path, root);
//   tools.text();      // PATH
//   tools.readable;    // what must be shown to a command that is isolated from homes
//   tools.variables;   // what the tools need to find themselves: RUSTUP_HOME, PYENV_ROOT, ...
//
// In this order, each folder once, and only folders that exist:
//   1. what is declared: folders of the tree (.venv/bin), absolute ones, and those below ~/
//   2. the PATH of this process; relative entries are left out
//   3. where Go, nvm, pyenv, uv, Cargo, Volta, pnpm, mise and asdf put programs for a user
//   4. /usr/local/bin, /usr/bin, /bin
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace plumb::command {

struct ToolPath {
  std::vector<std::string> folders;
  std::vector<std::string> readable;
  std::vector<std::pair<std::string, std::string>> variables;
  std::string text() const;
};
// `declared`: folders as in `path` of a declaration; `root`: the tree that relative ones lie in.
ToolPath tool_path(const std::vector<std::string>& declared, const std::string& root);

}  // namespace plumb::command
