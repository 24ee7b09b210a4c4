// Coding agents that people have, as developers of a workflow: how they are started without a terminal, with the task
// on standard input or in a file, in a tree that is a git repository.
//
//   name          started as                                     reads its key from   keeps its settings in
//   claude-code   claude -p --permission-mode acceptEdits        ANTHROPIC_API_KEY    ~/.claude, ~/.claude.json
//   codex         codex exec --skip-git-repo-check               OPENAI_API_KEY       ~/.codex
//                 --sandbox workspace-write -
//   aider         aider --yes-always --no-auto-commits           OPENAI_API_KEY,      ~/.aider.conf.yml
//                 --no-check-update --message-file {task_file}   ANTHROPIC_API_KEY
//
// From the agents' own documentation, 2026-11; none of them was tried with a model here. What plumb.yaml says beside
// the preset goes before it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "native/command/declared_command.hpp"

namespace plumb::command {

// Their names.
const std::vector<std::string_view>& agent_presets();
// nullptr where there is none of the name.
const DeclaredCommand* agent_preset(std::string_view name);

}  // namespace plumb::command
