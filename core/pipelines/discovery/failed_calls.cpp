#include "core/pipelines/discovery/failed_calls.hpp"

#include <algorithm>

#include "core/pipelines/discovery/members.hpp"

namespace plumb::pipelines::discovery {

std::vector<FailedCall> failed_calls(const json::Value* checkpoint, std::span<const json::Value> opportunities,
                                     std::string_view stage) {
  std::vector<FailedCall> out;
  const auto add = [&](const json::Value& one, std::string_view id) {
    FailedCall call{text_of(one, "stage"), text_of(one, "agent"), text_of(one, "why"), {}};
    if (!stage.empty() && call.stage != stage) {
      return;
    }
    const auto same = std::find_if(out.begin(), out.end(), [&](const FailedCall& known) {
      return known.stage == call.stage && known.agent == call.agent && known.why == call.why;
    });
    FailedCall& kept = same == out.end() ? out.emplace_back(std::move(call)) : *same;
    if (!id.empty()) {
      kept.opportunities.push_back(id);
    }
  };
  if (checkpoint != nullptr) {
    for (const json::Value& one : list_of(*checkpoint, "failures")) {
      add(one, {});
    }
  }
  for (const json::Value& opportunity : opportunities) {
    for (const json::Value& one : list_of(opportunity, "failures")) {
      add(one, text_of(opportunity, "opportunity_id"));
    }
  }
  return out;
}

}  // namespace plumb::pipelines::discovery
