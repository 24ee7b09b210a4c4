// The phases of a proxied call, and the allowed transitions. docs/architecture.md has the diagram; a test compares
// both.
//
//   CallProgress at;
//   at.enter(CallPhase::answer);   // a transition that is not allowed is a bug: the call ends as an internal error
#pragma once

#include <array>
#include <cstdint>

#include "native/base/phase_table.hpp"

namespace plumb::proxy {

enum class CallPhase : std::uint8_t {
  reading,  // the request; the policy does not know the call yet
  claimed,  // other proxies are asked about its Idempotency-Key
  answer,   // a model answers
  repair,   // a model repairs its answer
  judge,    // a judge is asked about the answer
  over,     // the client has everything it will get
};

inline constexpr std::array<PhaseRow<CallPhase, 4>, 6> call_phases = {{
    {CallPhase::reading, "reading", {CallPhase::claimed, CallPhase::answer, CallPhase::over, CallPhase::claimed}},
    {CallPhase::claimed, "claimed", {CallPhase::answer, CallPhase::over, CallPhase::answer, CallPhase::answer}},
    {CallPhase::answer, "answer", {CallPhase::repair, CallPhase::judge, CallPhase::over, CallPhase::repair}},
    {CallPhase::repair, "repair", {CallPhase::repair, CallPhase::judge, CallPhase::over, CallPhase::repair}},
    // A judge that takes too long is dropped; the answer stays as it was.
    {CallPhase::judge, "judge", {CallPhase::repair, CallPhase::judge, CallPhase::answer, CallPhase::over}},
    {CallPhase::over, "over", {CallPhase::over, CallPhase::over, CallPhase::over, CallPhase::over}},
}};

class CallProgress : public PhaseProgress<call_phases> {
 public:
  CallProgress() : PhaseProgress(CallPhase::reading) {}
  bool is_repairing() const { return is(CallPhase::repair); }
  bool is_judging() const { return is(CallPhase::judge); }
  bool is_over() const { return is(CallPhase::over); }
};

}  // namespace plumb::proxy
