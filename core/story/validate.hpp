// What must hold of a grown story, on the graph alone (what needs a walk through all readings is core/story/play.hpp).
//
// Rules and severities: single_start E, all_passages_reachable E, all_endings_reachable E, spine_arc_exists E,
// dilemmas_resolved E, gate_satisfiability E, gate_co_satisfiability E, passage_dag_cycles E, routing_coverage_ce E,
// convergence_policy_compliance E for hard and W for soft, prose_neutrality E for heavy and W for light, arc_divergence
// W, max_consecutive_linear W, codeword_gate_coverage W, forward_path_reachability W, commits_timing W,
// routing_coverage_me W, ambiguous_labels W. Lists are cut to five ids. Source: seed-003's validation table.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "core/contract/finding.hpp"
#include "core/story/graph.hpp"

namespace plumb::story {

// In the order of the rules above.
std::vector<contract::Finding> validate(const Graph& graph);

// The dilemmas that convergence_policy_compliance has a finding about; their ids are of the graph.
std::set<std::string_view> dilemmas_against_policy(const Graph& graph);

}  // namespace plumb::story
