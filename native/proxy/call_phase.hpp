// What a proxied call is at, and what may come after what. Drawn in docs/architecture.md; a test holds both to each
// other.
//
//   CallProgress at;
//   at.enter(CallPhase::answer);   // where that cannot follow, a bug: the call ends as an error of ours
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/require.hpp"

namespace plumb::proxy {

enum class CallPhase : std::uint8_t {
  reading,  // the request; the policy knows of no call yet
  claimed,  // other proxies are asked for its Idempotency-Key
  answer,   // a model answers
  repair,   // a model mends what it has answered
  judge,    // a judge is asked, beside the answer
  over,     // the client has all that it gets
};

struct PhaseRow {
  CallPhase phase;
  std::string_view name;
  std::array<CallPhase, 4> next;  // filled up with the first
};

inline constexpr std::array<PhaseRow, 6> call_phases = {{
    {CallPhase::reading, "reading", {CallPhase::claimed, CallPhase::answer, CallPhase::over, CallPhase::claimed}},
    {CallPhase::claimed, "claimed", {CallPhase::answer, CallPhase::over, CallPhase::answer, CallPhase::answer}},
    {CallPhase::answer, "answer", {CallPhase::repair, CallPhase::judge, CallPhase::over, CallPhase::repair}},
    {CallPhase::repair, "repair", {CallPhase::repair, CallPhase::judge, CallPhase::over, CallPhase::repair}},
    // A judge that takes too long is not waited for: the answer is as it was without one.
    {CallPhase::judge, "judge", {CallPhase::repair, CallPhase::judge, CallPhase::answer, CallPhase::over}},
    {CallPhase::over, "over", {CallPhase::over, CallPhase::over, CallPhase::over, CallPhase::over}},
}};

constexpr bool may_follow(CallPhase phase, CallPhase next) {
  for (const CallPhase one : call_phases[static_cast<std::size_t>(phase)].next) {
    if (one == next) {
      return true;
    }
  }
  return false;
}

class CallProgress {
 public:
  void enter(CallPhase next) {
    PLUMB_REQUIRE(may_follow(phase_, next), "a call goes on as its table of phases says");
    phase_ = next;
  }
  bool is_repairing() const { return phase_ == CallPhase::repair; }
  bool is_judging() const { return phase_ == CallPhase::judge; }
  bool is_over() const { return phase_ == CallPhase::over; }

 private:
  CallPhase phase_ = CallPhase::reading;
};

}  // namespace plumb::proxy
