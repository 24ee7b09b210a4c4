// GROW: from beats to passages, choices and codewords, by code alone. Named phases in the seed's order (ADR-017), each
// a function of the graph that leaves one note; a host may run them one by one, with anything between.
//
//   for (const GrowPhase& phase : grow_phases()) notes.push_back(run_grow_phase(phase, graph));
//
// What a model would add (scene types, gaps, atmosphere, arcs of entities, labels in the story's voice) is left out and
// counted in the notes. A phase that finds the graph unfit fails and changes nothing; what follows is not run.
//
// Bounds: 64 arcs by the dilemmas that are hard, or four times the size's arcs; 2,000 beats.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/story/phase.hpp"

namespace plumb::story {

struct GrowPhase {
  std::string_view name;
  std::span<const std::string_view> depends_on;
  void (*work)(Phase& phase);
  bool model_only = false;  // there is nothing for code to do; `work` counts what is left out
};

// In the order in which they run; every dependence comes before, which the build checks.
std::span<const GrowPhase> grow_phases();

PhaseNote run_grow_phase(const GrowPhase& phase, Graph& graph);
// All of them, up to one that fails.
std::vector<PhaseNote> grow(Graph& graph);

// FILL as far as authors have written: prose of beats and asides becomes that of passages; the others are drafts.
PhaseNote fill_given_prose(Graph& graph);

}  // namespace plumb::story
