#include "core/workflow/task_state.hpp"

#include <algorithm>
#include <array>

namespace plumb::workflow {

namespace {

using enum TaskState;

constexpr std::array<std::string_view, task_states> names = {
    "draft",    "ready",     "developing", "gating", "reviewing", "approved",
    "rejected", "escalated", "halted",     "failed", "landed",
};

constexpr std::array table = {
    Move{draft, ready, "its plan is promoted"},
    Move{draft, rejected, "its plan is rejected"},
    Move{ready, developing, "a developer begins"},
    Move{ready, escalated, "it is too large and cannot be cut, or a gate fails before any change"},
    Move{ready, halted, "what it comes after was not done, or a person stops it"},
    Move{ready, rejected, "it is replaced by its parts"},
    Move{ready, failed, "it cannot be begun"},
    Move{developing, gating, "something was changed"},
    Move{developing, developing, "nothing was changed, or the answer could not be used: a retry"},
    Move{developing, escalated, "its retries are used up, or a risk asks for a person"},
    Move{developing, halted, "a risk or a person stops it"},
    Move{developing, rejected, "it is cut in parts"},
    Move{developing, failed, "its developer cannot be had, or its time is over"},
    Move{gating, reviewing, "its required gates let it through"},
    Move{gating, developing, "a required gate failed: a retry"},
    Move{gating, escalated, "its retries are used up, or a gate fails the same way a third time"},
    Move{gating, halted, "its files conflict with another task's, or a person stops it"},
    Move{gating, failed, "a gate cannot be run, or its time is over"},
    Move{reviewing, approved, "its review approves it by the rules"},
    Move{reviewing, developing, "its review rejects it and it is fixable"},
    Move{reviewing, ready, "its plan was revised"},
    Move{reviewing, rejected, "it is cut in parts"},
    Move{reviewing, escalated, "its review cannot be used, or its reviews are used up"},
    Move{reviewing, halted, "its files conflict with another task's, or a person stops it"},
    Move{reviewing, failed, "its reviewer cannot be had, or its time is over"},
    Move{escalated, developing, "a person says: retry, or another model"},
    Move{escalated, approved, "a person approves it, with a reason and a name"},
    Move{escalated, rejected, "a person rejects it, or has it cut in parts"},
    Move{escalated, halted, "a person says: stop"},
    Move{approved, landed, "it is merged, and the gates let the whole through"},
    Move{approved, halted, "it conflicts with what was merged before it"},
    Move{approved, developing, "the gates fail on the whole: a retry"},
    Move{approved, escalated, "the gates fail on the whole, and its retries are used up"},
    Move{halted, ready, "a person lets it go on"},
};

}  // namespace

std::string_view state_name(TaskState state) { return names[static_cast<std::size_t>(state)]; }

std::span<const std::string_view> names_of(TaskState) { return names; }

std::optional<TaskState> state_named(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return static_cast<TaskState>(i);
    }
  }
  return std::nullopt;
}

std::span<const Move> moves() { return table; }

const Move* may_move(TaskState from, TaskState to) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Move& one) { return one.from == from && one.to == to; });
  return found == table.end() ? nullptr : &*found;
}

bool is_over(TaskState state) {
  return state == approved || state == rejected || state == halted || state == failed || state == landed;
}

}  // namespace plumb::workflow
