#include "core/budget/assign.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"

namespace plumb::budget {

namespace {

std::string number(std::uint64_t n) { return json::uint_text(n); }

Capacity capacity_of(const ContextProfile& profile, const WindowBudget& window, Tokens task) {
  switch (window.fit) {
    case Fit::unknown:
      return Capacity::unknown;
    case Fit::decompose:
      return Capacity::too_small;
    case Fit::fits:
      break;
  }
  return profile.sweet_spot && task <= *profile.sweet_spot ? Capacity::sweet_spot : Capacity::effective_context;
}

// (valid + 1) / (calls + 2), as a fraction of whole numbers.
struct Rate {
  std::uint64_t above;
  std::uint64_t below;
};
Rate rate_of(const Candidate& one, std::uint64_t calls_min) {
  return one.calls < calls_min ? Rate{1, 2} : Rate{one.valid_at_first + 1, one.calls + 2};
}

int compare(const Rate& a, const Rate& b) {
  const std::uint64_t left = a.above * b.below;
  const std::uint64_t right = b.above * a.below;
  return left < right ? -1 : left > right ? 1 : 0;
}

Tokens zone_of(const ModelProfile& model, const Candidate& one) {
  return one.capacity == Capacity::sweet_spot ? *model.context.sweet_spot : one.window.window;
}

bool before(const Wanted& wanted, std::span<const ModelProfile> models, const std::vector<Candidate>& all,
            std::size_t a, std::size_t b) {
  if (all[a].capacity != all[b].capacity) {
    return all[a].capacity == Capacity::sweet_spot;
  }
  if (const int by_rate = compare(rate_of(all[a], wanted.calls_min), rate_of(all[b], wanted.calls_min)); by_rate != 0) {
    return by_rate > 0;
  }
  const bool known = all[a].calls >= wanted.calls_min && all[b].calls >= wanted.calls_min;
  const int by_repairs = known ? compare({all[a].repairs, all[a].calls}, {all[b].repairs, all[b].calls}) : 0;
  if (by_repairs != 0) {
    return by_repairs < 0;
  }
  const Tokens zone_a = zone_of(models[a], all[a]);
  const Tokens zone_b = zone_of(models[b], all[b]);
  return zone_a != zone_b ? zone_a < zone_b : a < b;
}

std::string capacity_text(const ModelProfile& model, const Candidate& one, const WindowPlan& wanted) {
  const ContextProfile& profile = model.context;
  const std::string what = number(wanted.task) + " tokens ";
  const std::string window = profile.effective_context ? "effective context of " + number(*profile.effective_context)
                             : profile.context_window  ? "window of " + number(*profile.context_window)
                                                       : std::string();
  switch (one.capacity) {
    case Capacity::sweet_spot:
      return what + "fit its sweet spot of " + number(*profile.sweet_spot);
    case Capacity::effective_context:
      return what + "fit its " + window +
             (profile.sweet_spot ? ", not its sweet spot of " + number(*profile.sweet_spot)
                                 : ", its sweet spot is not known");
    case Capacity::too_small:
      return what + "do not fit its " + window + ": " +
             (one.window.available < 0
                  ? "with the margin it is exceeded by " + number(static_cast<Tokens>(-one.window.available))
                  : "they leave " + number(static_cast<Tokens>(one.window.available)) + ", fewer than " +
                        number(wanted.available_min));
    case Capacity::unknown:
      break;
  }
  return "its window is not known";
}

std::string history_text(const Candidate& one, const Wanted& wanted) {
  if (one.calls == 0) {
    return "no history";
  }
  return "valid at first in " + number(one.valid_at_first) + " of " + number(one.calls) + " calls" +
         (one.calls < wanted.calls_min ? ", too few to say anything" : "");
}

// Each row for the model that it names best.
void count(const Wanted& wanted, std::span<const ModelProfile> models, std::span<const History> history,
           std::vector<Candidate>& out) {
  for (const History& row : history) {
    if (!wanted.phase.empty() && !row.phase.empty() && row.phase != wanted.phase) {
      continue;
    }
    if (const std::size_t model = find_model(models, row.model); model != no_model) {
      out[model].calls += row.calls;
      out[model].valid_at_first += row.valid_at_first;
      out[model].repairs += row.repairs;
    }
  }
}

}  // namespace

Assignment assign(const Wanted& wanted, std::span<const ModelProfile> models, std::span<const History> history) {
  Assignment out;
  out.candidates.resize(models.size());
  count(wanted, models, history, out.candidates);
  std::size_t best = no_model;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ModelProfile& model = models[i];
    Candidate& one = out.candidates[i];
    one.capable = wanted.capability.empty() || std::find(model.capabilities.begin(), model.capabilities.end(),
                                                         wanted.capability) != model.capabilities.end();
    one.contradictory = !contradictions(model.context).empty();
    WindowPlan plan = wanted.window;
    plan.profile = model.context;
    one.window = budget_window(plan);
    one.capacity = capacity_of(model.context, one.window, plan.task);
    one.reason = !one.capable        ? "has not the capability '" + wanted.capability + "'"
                 : one.contradictory ? "its profile contradicts itself"
                                     : capacity_text(model, one, plan) + "; " + history_text(one, wanted);
    const bool possible = one.capable && !one.contradictory && one.capacity <= Capacity::effective_context;
    if (possible && (best == no_model || before(wanted, models, out.candidates, i, best))) {
      best = i;
    }
  }
  out.model = best;
  if (best == no_model) {
    out.reason = models.empty() ? "there is no model to choose from"
                                : "no model has the capability and a window that is known and large enough: "
                                  "decompose the task, or describe a model that fits";
    return out;
  }
  out.beyond_sweet_spot = out.candidates[best].capacity != Capacity::sweet_spot;
  out.reason = models[best].name + ": " + out.candidates[best].reason;
  if (out.beyond_sweet_spot) {
    out.reason += "; no model has a known sweet spot that large";
  }
  return out;
}

}  // namespace plumb::budget
