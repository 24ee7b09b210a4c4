// How pipelines ask for work: declared commands, git work trees, names that only one may hold.
//
//   pin_command(out.pins, texts, "test")                                     // in prepare: refused where unknown
//   const run::Reply& tested = ask_command(run, {.name = "test", .tree = "T1"});
//   const run::Reply& taken = ask_worktree(run, "here", "take", [&](json::Writer& json) { json.member("tree", "T1");
//   }); ask_claim(run, {.names = {"src/a.cpp", "src/b.cpp"}, .by = "T1", .wait = true});
//
// What they take and give stands in native/command/command_fulfiller.hpp and native/git/worktree_fulfiller.hpp.
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

// Pins the host's declaration of a command, or that of one of its repositories. An error where there is none of this
// name.
Result<bool> pin_command(run::Pins& pins, const Texts& texts, std::string_view name, std::string_view repository = {});

struct CommandWish {
  std::string_view name;
  std::string_view tree = {};  // that the run has opened; empty: an empty folder of its own
  std::string_view dir = {};
  std::string_view input = {};
  std::uint64_t time_ms = 0;    // less than what is declared
  bool isolation_full = false;  // what it runs was written by a model or an agent
  bool again = true;            // where it was lost and is `repeatable`, it is asked for once more
};
// A command is never run twice. Where its host was lost under it, its reply is `interrupted`; one whose pinned
// declaration says `repeatable` is then asked for once more, as another effect, with a note `command_again` {command}.
const run::Reply& ask_command(run::Run& run, const CommandWish& wish);

// Whether the pinned declaration of a command says `repeatable`; whether it says `git`.
bool command_repeatable(const run::Run& run, std::string_view name);
bool command_has_git(const run::Run& run, std::string_view name);

// The request's `date_ms` is the run's own time, so the same commits come of it whenever it is repeated.
const run::Reply& ask_worktree(run::Run& run, std::string_view repository, std::string_view operation,
                               const std::function<void(json::Writer&)>& members);

struct ClaimNames {
  std::vector<std::string> names;
  std::string_view by = {};       // the part on whose behalf; empty: the run
  bool wait = false;              // until all are free
  std::uint64_t deadline_ms = 0;  // of waiting; 0: none
};
// Whether all are held now.
bool ask_claim(run::Run& run, const ClaimNames& claim);
void release_claim(run::Run& run, const ClaimNames& claim);

}  // namespace plumb::pipelines
