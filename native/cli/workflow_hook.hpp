// `plumb workflow check --hook`: what an agent's program says on standard input, and how it is answered.
//
//   exit code 0   the agent goes on; with {"systemMessage"} on standard output where its user is to know something
//   exit code 2   it does not: standard error is for the agent
//   exit code 1   the agent goes on, and its user is shown standard error: trouble that the agent did not make
//
// Claude Code, Codex and others that took over its hooks write one JSON object: `stop_hook_active` says that the agent
// was held back once already, and is let go now; `cwd` is its folder. Who writes nothing, or something else, is served
// as if nothing had been said. At most 1 MB is read, for 5 seconds.
#pragma once

#include <string>

#include "core/result.hpp"

namespace plumb::cli {

struct AgentSays {
  bool stopped_before = false;
  std::string folder;
};
AgentSays read_agent();

// What is wrong, for the agent, and what its user is to know. The exit code.
int answer_agent(const AgentSays& agent, const std::string& feedback, const std::string& for_user);
// Trouble that no change of the agent's could make.
int tell_user(const Error& error);

}  // namespace plumb::cli
