// Forks: a new run that begins with what another one had settled, for other prompts, another input, or another try.
//
//   Result<Forked> forked = fork(pipeline, "r2", input, pins, {.journal = &old, .without = {"write.1"}}, {}, now);
//   forked.value().machine   // goes on from there; the old journal stays as it is
//
// The pipeline is called with the new input and pins, and what it asks for is looked up in the old journal: a part that
// had finished is taken over whole, with its notes, calls and the signals before it, whatever the pins are now; outside
// of these a reply is taken over where the request has not changed by a byte. So nothing settled is paid for again, no
// stale reply is used, and a part that the new input no longer enters is left behind, not a mismatch.
//
// What is cut: entries from number `at` on, and the parts of `without` with all that comes behind them. Parts side by
// side of those stay, in whatever order they ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/machine.hpp"

namespace plumb::run {

struct ForkOf {
  const Journal* journal = nullptr;       // may be read by other threads too
  std::uint64_t at = 0;                   // entries before this one; 0: all
  std::vector<std::string> without = {};  // scopes: "write.1", "stage.0/call"
};

struct Forked {
  Machine machine;
  std::uint64_t taken = 0;        // entries
  std::vector<std::string> left;  // finished parts before the cut that this run does not enter, outermost only
};

// The errors: a cut that is none, a pipeline that is another one or older, and a run that would end at once (why): one
// that fails, or that has nothing to ask for and no note to make anew.
Result<Forked> fork(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins, const ForkOf& of,
                    const MachineOptions& options, std::uint64_t now_ms);

// The run that this journal was forked from; empty: it was begun.
std::string forked_from(const Journal& journal);
// How many of its entries, from the second on, come from there.
std::uint64_t taken_over(const Journal& journal);

}  // namespace plumb::run
