// The verdict on a text that has ended.

#include "core/contract/engine/stream.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/require.hpp"
#include "core/stable_sort.hpp"

namespace plumb::contract {

Verdict make_verdict(Engine& engine) {
  write_asks(engine);
  Verdict verdict;
  verdict.contract = engine.program->name;
  verdict.hash = engine.program->hash;
  verdict.bytes = engine.stream.bytes;
  verdict.clean = engine.stream.clean;
  verdict.signals = engine.stream.signals;
  verdict.valid = !engine.findings.any_error && !engine.findings.limit_reached;
  auto by_walk = [&](std::uint32_t a, std::uint32_t b) {
    return engine.found[a].walk != engine.found[b].walk ? engine.found[a].walk < engine.found[b].walk
                                                        : engine.found[a].finding.id < engine.found[b].finding.id;
  };
  stable_sort(engine.findings.kept, by_walk);
  // stopAt: a broken keyword hides what comes later for the same schema object at the same instance.
  std::vector<const Found*> stops;
  for (std::uint32_t i : engine.findings.kept) {
    Found& f = engine.found[i];
    for (const Found* stop : stops) {
      bool below = f.walk.size() > stop->walk_of_node &&
                   std::equal(stop->walk.begin(), stop->walk.begin() + stop->walk_of_node, f.walk.begin());
      bool same_keyword = below && (f.walk[stop->walk_of_node] >> 40U) == (stop->walk[stop->walk_of_node] >> 40U);
      if (below && !same_keyword && f.kw != Kw::syntax && f.kw != Kw::limit) {
        f.finding.shadowed_by = stop->finding.shadowed_by != 0 ? stop->finding.shadowed_by : stop->finding.id;
        break;
      }
    }
    if (f.stops && f.finding.shadowed_by == 0) {
      stops.push_back(&f);
    }
    verdict.findings.push_back(with_causes(engine, i, 0));
  }
  for (const auto& [rule, count] : engine.findings.more_by_rule) {
    verdict.more.emplace_back(rule, count);
  }
  stable_sort(verdict.more);
  stable_sort(engine.findings.others,
              [&](std::uint32_t a, std::uint32_t b) { return engine.found[a].walk < engine.found[b].walk; });
  verdict.undecided.reserve(engine.findings.others.size());
  verdict.scorecard.reserve(engine.findings.others.size());
  engine.findings.line_locations.clear();
  for (std::uint32_t i : engine.findings.others) {
    Found& f = engine.found[i];
    if (f.what == Found::What::undecided) {
      verdict.undecided.push_back(f.not_decided);
    } else {
      verdict.scorecard.push_back(f.score);
      engine.findings.line_locations.push_back(f.not_decided.schema_location);
      for (auto& label : f.labels) {
        verdict.labels.push_back(std::move(label));
      }
    }
  }
  give_reasons(engine, verdict);
  if (engine.findings.any_block) {
    verdict.decision = Decision::block;
  } else if (engine.findings.any_error) {
    verdict.decision = Decision::revise;
  } else if (engine.findings.limit_reached || engine.findings.context_missing) {
    verdict.decision = Decision::undecided;
  } else if (engine.findings.any_warning) {
    verdict.decision = Decision::accept_with_warnings;
  } else {
    verdict.decision = Decision::accept;
  }
  return verdict;
}

}  // namespace plumb::contract
