#include "core/budget/assign.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"

namespace plumb::budget {

namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

std::string number(std::uint64_t n) { return json::uint_text(n); }

Capacity capacity_of(const ContextProfile& profile, Tokens tokens) {
  if (profile.sweet_spot && tokens <= *profile.sweet_spot) {
    return Capacity::sweet_spot;
  }
  const std::optional<Tokens>& limit = profile.effective_context ? profile.effective_context : profile.context_window;
  if (!limit) {
    return profile.sweet_spot ? Capacity::too_small : Capacity::unknown;
  }
  return tokens + profile.system_prompt_overhead <= std::max(*limit, profile.context_window.value_or(0)) &&
                 tokens <= *limit
             ? Capacity::effective_context
             : Capacity::too_small;
}

// Where a profile has no sweet spot, what fits its window fits as well as can be said.
bool is_best_zone(const ContextProfile& profile, Capacity capacity) {
  return capacity == Capacity::sweet_spot || (capacity == Capacity::effective_context && !profile.sweet_spot);
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

Tokens zone_of(const ContextProfile& profile) {
  return profile.sweet_spot          ? *profile.sweet_spot
         : profile.effective_context ? *profile.effective_context
                                     : profile.context_window.value_or(tokens_max);
}

bool before(const Wanted& wanted, std::span<const ModelProfile> models, const std::vector<Candidate>& all,
            std::size_t a, std::size_t b) {
  const bool best_a = is_best_zone(models[a].context, all[a].capacity);
  const bool best_b = is_best_zone(models[b].context, all[b].capacity);
  if (best_a != best_b) {
    return best_a;
  }
  if (const int by_rate = compare(rate_of(all[a], wanted.calls_min), rate_of(all[b], wanted.calls_min)); by_rate != 0) {
    return by_rate > 0;
  }
  const bool known = all[a].calls >= wanted.calls_min && all[b].calls >= wanted.calls_min;
  const int by_repairs = known ? compare({all[a].repairs, all[a].calls}, {all[b].repairs, all[b].calls}) : 0;
  if (by_repairs != 0) {
    return by_repairs < 0;
  }
  const Tokens zone_a = zone_of(models[a].context);
  const Tokens zone_b = zone_of(models[b].context);
  return zone_a != zone_b ? zone_a < zone_b : a < b;
}

std::string capacity_text(const ModelProfile& model, const Candidate& one, Tokens tokens) {
  const ContextProfile& profile = model.context;
  const std::string what = number(tokens) + " tokens ";
  switch (one.capacity) {
    case Capacity::sweet_spot:
      return what + "fit its sweet spot of " + number(*profile.sweet_spot);
    case Capacity::effective_context:
      return what + "fit its " +
             (profile.effective_context ? "effective context of " + number(*profile.effective_context)
                                        : "window of " + number(*profile.context_window)) +
             (profile.sweet_spot ? ", not its sweet spot of " + number(*profile.sweet_spot) : "");
    case Capacity::too_small:
      return what + "do not fit its " +
             (profile.effective_context ? "effective context of " + number(*profile.effective_context)
              : profile.context_window  ? "window of " + number(*profile.context_window)
                                        : "sweet spot of " + number(*profile.sweet_spot));
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

}  // namespace

Assignment assign(const Wanted& wanted, std::span<const ModelProfile> models, std::span<const History> history) {
  Assignment out;
  out.candidates.resize(models.size());
  std::size_t best = nobody;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ModelProfile& model = models[i];
    Candidate& one = out.candidates[i];
    one.capable = wanted.capability.empty() || std::find(model.capabilities.begin(), model.capabilities.end(),
                                                         wanted.capability) != model.capabilities.end();
    one.contradictory = !contradictions(model.context).empty();
    one.capacity = capacity_of(model.context, wanted.tokens);
    for (const History& row : history) {
      if (row.model == model.name && (wanted.phase.empty() || row.phase.empty() || row.phase == wanted.phase)) {
        one.calls += row.calls;
        one.valid_at_first += row.valid_at_first;
        one.repairs += row.repairs;
      }
    }
    one.reason = !one.capable        ? "has not the capability '" + wanted.capability + "'"
                 : one.contradictory ? "its profile contradicts itself"
                                     : capacity_text(model, one, wanted.tokens) + "; " + history_text(one, wanted);
    const bool possible = one.capable && !one.contradictory && one.capacity <= Capacity::effective_context;
    if (possible && (best == nobody || before(wanted, models, out.candidates, i, best))) {
      best = i;
    }
  }
  out.model = best;
  if (best == nobody) {
    out.reason = models.empty() ? "there is no model to choose from"
                                : "no model has the capability and a window that is known and large enough: "
                                  "decompose the task, or describe a model that fits";
    return out;
  }
  out.beyond_sweet_spot = !is_best_zone(models[best].context, out.candidates[best].capacity);
  out.reason = models[best].name + ": " + out.candidates[best].reason;
  if (out.beyond_sweet_spot) {
    out.reason += "; no model has a sweet spot that large";
  }
  return out;
}

}  // namespace plumb::budget
