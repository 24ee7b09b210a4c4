// How pipelines ask for work: declared commands, git work trees, and names that only one run may hold.
//
//   pin_command(out.pins, texts, "test")                                     // in prepare: refused if it is unknown
//   const run::Reply& tested = ask_command(run, {.name = "test", .tree = "T1"});
//   const run::Reply& taken =
//       ask_worktree(run, "here", "take", [&](json::Writer& json) { json.member("tree", "T1"); });
//   ask_claim(run, {.names = {"src/a.cpp", "src/b.cpp"}, .by = "T1", .wait = true});
//
// native/command/command_fulfiller.hpp and native/git/worktree_fulfiller.hpp describe requests and replies.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines {

// Pins the host's declaration of a command, or that of a repository. An error if there is none with this name.
Result<bool> pin_command(run::Pins& pins, const Texts& texts, std::string_view name, std::string_view repository = {});

struct CommandWish {
  std::string_view name;
  std::string_view tree = {};  // a tree that the run has opened; empty: an empty folder of its own
  std::string_view dir = {};
  std::string_view input = {};
  std::uint64_t time_ms = 0;            // shorter than the declared time; 0: the declared time
  bool isolation_full = false;          // a model or an agent wrote what it runs
  std::vector<std::string> files = {};  // of the tree, below `dir`: what {files} in the declaration stands for
  bool again = true;                    // if it is lost and `repeatable`, asks for it once more
};
// A command is never run twice by one effect. If its host was lost during it, its reply is `interrupted`. If the
// pinned declaration has `repeatable`, it is then asked for once more, as another effect, with a note `command_again`
// {command}.
const run::Reply& ask_command(run::Run& run, const CommandWish& wish);

// True if the pinned declaration of a command has `repeatable`, or `git`.
bool command_repeatable(const run::Run& run, std::string_view name);
bool command_has_git(const run::Run& run, std::string_view name);

// The request's `date_ms` is the run's own time, so a repeated request makes the same commits.
const run::Reply& ask_worktree(run::Run& run, std::string_view repository, std::string_view operation,
                               const std::function<void(json::Writer&)>& members);

struct ClaimNames {
  std::vector<std::string> names;
  std::string_view by = {};       // the part that claims; empty: the run
  bool wait = false;              // waits until all are free
  std::uint64_t deadline_ms = 0;  // of waiting; 0: no deadline
};
// True if all names are held now.
bool ask_claim(run::Run& run, const ClaimNames& claim);
void release_claim(run::Run& run, const ClaimNames& claim);

}  // namespace plumb::pipelines
