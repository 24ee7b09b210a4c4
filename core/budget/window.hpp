// The budget before anything is done: what a task leaves free in a model's window.
//
//   available = window - system - plan - task - estimated output - safety margin (20 % of the window)
//   available < 8,000: the task is too large, decompose it further
//
// (Seed 004, "Pre-execution budget calculation"; 004-3: 20 % of the window, rounded up, and 8K is 8,000.) A window that
// is not known is never taken to be of any size: nothing is then computed, and the answer is `unknown`.
//
// With a model's profile (004-4) the window is what the model was found to use well: its effective context plus the
// overhead that this leaves out, never more than the context window. The system prompt counts at least the overhead.
// The margin stays 20 % of the context window.
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
  Tokens window = 0;  // what is budgeted with
  Tokens system = 0;  // the larger of what was given and the profile's overhead
  Tokens margin = 0;
  std::int64_t available = 0;  // below 0: by how much the window is exceeded
};

WindowBudget budget_window(const WindowPlan& plan);

}  // namespace plumb::budget
