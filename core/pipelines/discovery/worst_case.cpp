#include "core/pipelines/discovery/worst_case.hpp"

#include "core/run/boundary.hpp"

namespace plumb::pipelines::discovery {

namespace {

constexpr std::uint64_t asked = 2;  // an answer that breaks its contract is asked for once more
// One that crosses a boundary is judged, and revised, into parts that are judged; these are revised and judged again.
constexpr std::uint64_t crossing = 2 + 3 * run::boundary_parts_max;
// Three agents look at each solution, two at each specification.
constexpr std::uint64_t solution = 3 * asked * dialogue_rounds_max;
constexpr std::uint64_t specification = 2 * asked * dialogue_rounds_max;

std::uint64_t batches_of(const ExplorerCoverage& explorer) {
  for (std::size_t i = 0; i < source_names.size(); ++i) {
    if (explorer.source == source_names[i]) {
      const std::uint64_t batch = limits_of(static_cast<SourceKind>(i)).batch;
      return (explorer.reviewed + batch - 1) / batch;
    }
  }
  return 0;
}

}  // namespace

std::uint64_t stage_calls_max(Stage stage, const std::vector<ExplorerCoverage>& explorers, std::size_t opportunities) {
  // What is left in a stage is at least as much as it was given: parts stand in the place of the whole.
  const std::uint64_t chains = opportunities;
  switch (stage) {
    case Stage::exploration: {
      std::uint64_t batches = 0;
      for (const ExplorerCoverage& one : explorers) {
        batches += batches_of(one);
      }
      return asked * batches;
    }
    case Stage::opportunity_framing:
      return asked + crossing * chains;
    case Stage::solution_validation:
      return (solution + crossing) * chains;
    case Stage::feasibility_risk:
      return (specification + crossing) * chains;
    case Stage::prioritization:
      return asked;
    case Stage::human_review:
      break;
  }
  return 0;
}

}  // namespace plumb::pipelines::discovery
