// The states of a task, and the one table by which it moves (004-57). View, routes and page show these names.
//
//   may_move(TaskState::gating, TaskState::reviewing)    // "its required gates let it through"
//
// A state without a way out is an end: approved goes on to landed only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace plumb::workflow {

enum class TaskState : std::uint8_t {
  draft,
  ready,
  developing,
  gating,
  reviewing,
  approved,
  rejected,
  escalated,
  halted,
  failed,
  landed,
};
inline constexpr std::size_t task_states = 11;

std::string_view state_name(TaskState state);  // "developing"
std::span<const std::string_view> names_of(TaskState);
std::optional<TaskState> state_named(std::string_view name);

struct Move {
  TaskState from;
  TaskState to;
  std::string_view when;  // "its required gates let it through"
};
std::span<const Move> moves();
// nullptr: it does not move so.
const Move* may_move(TaskState from, TaskState to);
// Nothing of it is under way any more: approved, rejected, halted, failed or landed.
bool is_over(TaskState state);

}  // namespace plumb::workflow
