// What a proxied call is at, and what may come after what. Drawn in docs/architecture.md; a test holds both to each
// other.
//
//   CallProgress at;
//   at.enter(CallPhase::answer);   // where that cannot follow, a bug: the call ends as an error of ours
#pragma once

#include <array>
#include <cstdint>

#include "native/base/phase_table.hpp"

namespace plumb::proxy {

enum class CallPhase : std::uint8_t {
  reading,  // the request; the policy knows of no call yet
  claimed,  // other proxies are asked for its Idempotency-Key
  answer,   // a model answers
  repair,   // a model mends what it has answered
  judge,    // a judge is asked, beside the answer
  over,     // the client has all that it gets
};

inline constexpr std::array<PhaseRow<CallPhase, 4>, 6> call_phases = {{
    {CallPhase::reading, "reading", {CallPhase::claimed, CallPhase::answer, CallPhase::over, CallPhase::claimed}},
    {CallPhase::claimed, "claimed", {CallPhase::answer, CallPhase::over, CallPhase::answer, CallPhase::answer}},
    {CallPhase::answer, "answer", {CallPhase::repair, CallPhase::judge, CallPhase::over, CallPhase::repair}},
    {CallPhase::repair, "repair", {CallPhase::repair, CallPhase::judge, CallPhase::over, CallPhase::repair}},
    // A judge that takes too long is not waited for: the answer is as it was without one.
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
