#include "core/pipelines/discovery/failed_calls.hpp"

#include <algorithm>

namespace plumb::pipelines::discovery {

Fields FailedCall::fields() {
  static constexpr Field table[] = {field<&FailedCall::stage>("stage"), field<&FailedCall::agent>("agent"),
                                    field<&FailedCall::why>("why"), field<&FailedCall::opportunities>("opportunities")};
  return table;
}

std::vector<FailedCall> failed_calls(const std::vector<Failure>& checkpoint, const std::vector<Chain>& opportunities,
                                     std::optional<Stage> stage) {
  std::vector<FailedCall> out;
  const auto add = [&](const Failure& one, const std::string& id) {
    if (stage && one.stage != *stage) {
      return;
    }
    const auto same = std::find_if(out.begin(), out.end(), [&](const FailedCall& known) {
      return known.stage == one.stage && known.agent == one.agent && known.why == one.why;
    });
    FailedCall& kept = same == out.end() ? out.emplace_back(FailedCall{one.stage, one.agent, one.why, {}}) : *same;
    if (!id.empty()) {
      kept.opportunities.push_back(id);
    }
  };
  for (const Failure& one : checkpoint) {
    add(one, {});
  }
  for (const Chain& opportunity : opportunities) {
    for (const Failure& one : opportunity.failures) {
      add(one, opportunity.id);
    }
  }
  return out;
}

}  // namespace plumb::pipelines::discovery
