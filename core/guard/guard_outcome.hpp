// How a guarded answer ended: what was judged, what was done about it, and what that took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/guard/guard_options.hpp"
#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"

namespace plumb::guard {

struct PartVerdict {
  std::string part;      // "text", or "calls/0"
  std::string tool;      // of a call
  std::string contract;  // its name
  bool judged = false;   // else `reason` says why not
  std::string reason;
  Mode mode = Mode::observe;
  contract::Verdict verdict;
  std::vector<std::string> fixes;  // free fixes and repairs, each a JSON Patch operation as JSON text
};

struct StoppedCall {
  std::string why;  // "finding" or "degenerate"
  std::string detail;
  std::string rule;
  std::string at;
  std::uint64_t at_byte = 0;
  std::uint64_t written_tokens = 0;  // estimated
};

// What was asked of a judge. `why`: it failed, or there is none.
struct JudgeCount {
  std::uint32_t calls = 0;
  std::uint32_t failed = 0;
  std::uint32_t holds = 0;
  std::uint32_t broken = 0;
  std::uint32_t open = 0;
  std::string why;
  bool any() const { return calls + holds + broken + open > 0; }
};

struct GuardOutcome {
  bool ok = false;         // the client has, or may have, all of `reply`; else `failure` says why not
  wire::ModelReply reply;  // as the client has it; usage is of all calls together
  std::optional<wire::Failure> failure;
  contract::Decision decision = contract::Decision::accept;  // the gravest of the parts
  bool valid = true;
  std::vector<PartVerdict> parts;
  std::uint32_t attempts = 0;  // repair calls made
  std::uint64_t tokens_spent = 0;
  std::uint64_t tokens_saved = 0;  // by stops, estimated
  bool tokens_estimated = false;   // some call did not tell its usage
  std::vector<StoppedCall> stopped;
  JudgeCount judge;
  std::string note;  // why no further repair was tried, or empty
};

}  // namespace plumb::guard
