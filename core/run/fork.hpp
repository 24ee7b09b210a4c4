// Forks: a new run that begins with the finished work of another run, for other prompts, another input, or another
// try.
//
//   Result<Forked> forked = fork(pipeline, "r2", input, pins, {.journal = &old, .without = {"write.1"}}, {}, now);
//   forked.value().machine   // continues from there; the old journal does not change
//
// The pipeline is called with the new input and pins, and its effects are looked up in the old journal. A finished
// part is taken over whole, with its notes, its calls and the signals before it, whatever the pins are now. Outside
// finished parts, a reply is taken over only if its request is the same, byte for byte. So no finished work is paid
// for twice and no stale reply is used. A finished part that the new run does not enter is left behind, which is no
// error.
//
// The cut: entries from number `at` on are dropped, and so are the parts in `without` with everything after them.
// Parts beside those stay, in whatever order they ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/machine.hpp"

namespace plumb::run {

struct ForkOf {
  const Journal* journal = nullptr;       // other threads may read it too
  std::uint64_t at = 0;                   // only entries before this one; 0: all
  std::vector<std::string> without = {};  // scopes: "write.1", "stage.0/call"
};

struct Forked {
  Machine machine;
  std::uint64_t taken = 0;        // number of entries that were taken over
  std::vector<std::string> left;  // finished parts before the cut that this run does not enter; only the outermost
};

// Errors: the cut is invalid, the pipeline is another one or older, or the new run would end at once (the error says
// why), because it fails, or has no effect to ask for and no note to make again.
Result<Forked> fork(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins, const ForkOf& of,
                    const MachineOptions& options, std::uint64_t now_ms);

// The id of the run that this journal was forked from; empty if it is not a fork.
std::string forked_from(const Journal& journal);
// The number of entries, from the second on, that come from that run.
std::uint64_t taken_over(const Journal& journal);

}  // namespace plumb::run
