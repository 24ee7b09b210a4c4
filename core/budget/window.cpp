#include "core/budget/window.hpp"

#include <algorithm>

namespace plumb::budget {

WindowBudget budget_window(const WindowPlan& plan) {
  WindowBudget out;
  const ContextProfile& profile = plan.profile;
  out.system = std::max(plan.system, profile.system_prompt_overhead);
  if (!profile.context_window) {
    return out;
  }
  out.window = *profile.context_window;
  if (profile.effective_context) {
    out.window = std::min(out.window, *profile.effective_context + profile.system_prompt_overhead);
  }
  out.margin = part_up(*profile.context_window, plan.margin);
  const Tokens taken = out.system + plan.plan + plan.task + plan.output + out.margin;
  out.available = static_cast<std::int64_t>(out.window) - static_cast<std::int64_t>(taken);
  out.fit = out.available < static_cast<std::int64_t>(plan.available_min) ? Fit::decompose : Fit::fits;
  return out;
}

}  // namespace plumb::budget
