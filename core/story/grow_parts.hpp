// The work of GROW's phases, one function each. Private to GROW.
#pragma once

#include <string>
#include <string_view>

#include "core/story/phase.hpp"

namespace plumb::story {

// grow_arcs.cpp
void validate_dag(Phase& phase);
void enumerate_arcs(Phase& phase);
void divergence(Phase& phase);
void convergence(Phase& phase);
// grow_passages.cpp
void collapse_linear_beats(Phase& phase);
void make_passages(Phase& phase);
void make_codewords(Phase& phase);
void check_overlays(Phase& phase);
void collapse_passages(Phase& phase);
void prune(Phase& phase);
// grow_choices.cpp
void make_choices(Phase& phase);
void fork_beats(Phase& phase);
void hub_spokes(Phase& phase);
void mark_endings(Phase& phase);
// routing_apply.cpp
void propose_residue(Phase& phase);
void apply_routing(Phase& phase);

// The words of a way that is the only one on: its own, else "Continue" in the story's language.
std::string only_way_label(const Graph& graph, const std::string& own);
// `wanted`, or that with an x for each node that is in the way.
std::string free_id(const Graph& graph, std::string wanted);

}  // namespace plumb::story
