// Window: how much of a model's window a task leaves free, before it begins.
//
//   available = window - system - plan - task - estimated output - safety margin (20 % of the window)
//   available < 8,000: the task is too large and must be decomposed
//
// The rule is seed 004, "Pre-execution budget calculation"; 004-3 sets 20 % of the window, rounded up, and 8K as
// 8,000. No size is assumed for an unknown window: nothing is computed, and the answer is `unknown`.
//
// With a model's profile (004-4), the window is the part that the model uses well: its effective context plus the
// overhead, which the effective context leaves out, but never more than the context window. The system prompt counts
// at least the overhead. The margin stays 20 % of the context window.
//
//   WindowPlan plan;
//   plan.profile.context_window = 32'000; plan.system = 2'000; plan.task = 6'000; plan.output = 1'000;
//   budget_window(plan).available == 16'600
#pragma once

#include <cstdint>
#include <optional>

#include "core/budget/profile.hpp"
#include "core/budget/tokens_of.hpp"

namespace plumb::budget {

struct WindowPlan {
  ContextProfile profile;  // context_window alone is enough
  Tokens system = 0;
  Tokens plan = 0;
  Tokens task = 0;
  Tokens output = 0;
  Share margin = percent(20);
  Tokens available_min = 8'000;
};

enum class Fit : std::uint8_t { fits, decompose, unknown };

struct WindowBudget {
  Fit fit = Fit::unknown;
  Tokens window = 0;  // the size that the budget is computed with
  Tokens system = 0;  // the larger of the given size and the profile's overhead
  Tokens margin = 0;
  std::int64_t available = 0;  // below 0: the window is exceeded by this much
};

WindowBudget budget_window(const WindowPlan& plan);

}  // namespace plumb::budget
