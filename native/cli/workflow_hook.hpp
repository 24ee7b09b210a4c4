// `plumb workflow check --hook`: reads what a coding agent writes to standard input, and answers it.
//
//   exit code 0   the agent may stop; {"systemMessage"} on standard output informs its user
//   exit code 2   the agent must continue; standard error is its feedback
//   exit code 1   the agent may stop; standard error tells its user about a problem that the agent did not cause
//
// The input is one JSON object. `stop_hook_active` is true when a hook has already blocked this agent once; it may then
// stop. `cwd` is the agent's folder. Empty or unknown input counts as an empty object. Reads at most 1 MB in 5 seconds.
#pragma once

#include <string>

#include "core/result.hpp"

namespace plumb::cli {

struct AgentSays {
  bool stopped_before = false;
  std::string folder;
};
AgentSays read_agent();

// `feedback` is for the agent, `for_user` for its user. Returns the exit code.
int answer_agent(const AgentSays& agent, const std::string& feedback, const std::string& for_user);
// Reports a problem that no change of the agent can cause. Returns exit code 1.
int tell_user(const Error& error);

}  // namespace plumb::cli
