#include "core/story/grow.hpp"

#include <array>

#include "core/story/grow_parts.hpp"
#include "core/story/validate.hpp"

namespace plumb::story {

namespace {

// What only a model would add. Beats without a field that a model would fill are counted.
template <Field field>
void count_missing(Phase& phase) {
  std::uint64_t without = 0;
  for (const std::string_view beat : phase.graph().ids(NodeType::beat)) {
    without += phase.graph().at(beat).text(field).empty() ? 1U : 0U;
  }
  phase.left_out(std::string(name_of(field)) + " of beats", without);
  phase.skip("no model: what the author gave stays as it is");
}

void leave_to_a_model(Phase& phase) { phase.skip("no model: nothing is invented"); }

void validation(Phase& phase) {
  std::size_t errors = 0, warnings = 0;
  for (const contract::Finding& one : validate(phase.graph())) {
    errors += one.severity == contract::Severity::error ? 1U : 0U;
    warnings += one.severity == contract::Severity::warning ? 1U : 0U;
  }
  phase.tell(std::to_string(errors) + " errors, " + std::to_string(warnings) + " warnings");
}

using Names = std::span<const std::string_view>;
constexpr std::string_view after_dag[] = {"validate_dag"};
constexpr std::string_view after_scenes[] = {"scene_types"};
constexpr std::string_view after_arcs[] = {"enumerate_arcs"};
constexpr std::string_view after_divergence[] = {"divergence"};
constexpr std::string_view after_convergence[] = {"convergence"};
constexpr std::string_view after_collapse[] = {"collapse_linear_beats"};
constexpr std::string_view after_passages[] = {"passages"};
constexpr std::string_view after_codewords[] = {"codewords"};
constexpr std::string_view after_choices[] = {"choices"};
constexpr std::string_view after_forks[] = {"choices", "fork_beats"};
constexpr std::string_view after_hubs[] = {"choices", "fork_beats", "hub_spokes"};
constexpr std::string_view after_endings[] = {"codewords", "choices", "hub_spokes", "mark_endings"};
constexpr std::string_view after_proposals[] = {"mark_endings", "residue_proposals"};
constexpr std::string_view after_routing[] = {"apply_routing"};
constexpr std::string_view after_folding[] = {"collapse_passages"};
constexpr std::string_view after_validation[] = {"validation"};

constexpr std::array<GrowPhase, 24> phases = {{
    {"validate_dag", {}, validate_dag},
    {"scene_types", after_dag, count_missing<Field::scene_type>, true},
    {"narrative_gaps", after_scenes, count_missing<Field::narrative_function>, true},
    {"pacing_gaps", after_scenes, leave_to_a_model, true},
    {"atmospheric", after_dag, leave_to_a_model, true},
    {"path_arcs", after_dag, leave_to_a_model, true},
    {"intersections", after_dag, leave_to_a_model, true},
    {"entity_arcs", after_dag, leave_to_a_model, true},
    {"enumerate_arcs", after_dag, enumerate_arcs},
    {"divergence", after_arcs, divergence},
    {"convergence", after_divergence, convergence},
    {"collapse_linear_beats", after_convergence, collapse_linear_beats},
    {"passages", after_collapse, make_passages},
    {"codewords", after_passages, make_codewords},
    {"overlays", after_codewords, check_overlays},
    {"choices", after_codewords, make_choices},
    {"fork_beats", after_choices, fork_beats},
    {"hub_spokes", after_forks, hub_spokes},
    {"mark_endings", after_hubs, mark_endings},
    {"residue_proposals", after_endings, propose_residue},
    {"apply_routing", after_proposals, apply_routing},
    {"collapse_passages", after_routing, collapse_passages},
    {"validation", after_folding, validation},
    {"prune", after_validation, prune},
}};

// Every dependence stands before what depends on it, so none is missing and there is no circle; no name stands twice.
constexpr bool in_order() {
  for (std::size_t i = 0; i < phases.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (phases[k].name == phases[i].name) {
        return false;
      }
    }
    for (const std::string_view needed : phases[i].depends_on) {
      bool before = false;
      for (std::size_t k = 0; k < i; ++k) {
        before = before || phases[k].name == needed;
      }
      if (!before) {
        return false;
      }
    }
  }
  return true;
}
static_assert(in_order(), "a phase depends on one that is not there, or that runs after it");

}  // namespace

std::span<const GrowPhase> grow_phases() { return phases; }

PhaseNote run_grow_phase(const GrowPhase& phase, Graph& graph) {
  Phase at_work(graph, Stage::grow, std::string(phase.name));
  phase.work(at_work);
  return std::move(at_work).end();
}

std::vector<PhaseNote> grow(Graph& graph) {
  std::vector<PhaseNote> out;
  for (const GrowPhase& phase : phases) {
    out.push_back(run_grow_phase(phase, graph));
    if (out.back().status == PhaseStatus::failed) {
      break;
    }
  }
  return out;
}

PhaseNote fill_given_prose(Graph& graph) {
  Phase phase(graph, Stage::fill, "given_prose");
  std::size_t drafts = 0;
  const std::vector<std::string_view> ids = graph.ids(NodeType::passage);
  for (const std::string& id : Texts(ids.begin(), ids.end())) {
    const Node& passage = graph.at(id);
    Texts parts;
    const std::string& aside = passage.text(Field::from_aside);
    if (!aside.empty()) {
      parts.push_back(graph.at("aside::" + aside).text(Field::prose));
    } else if (passage.flag(Field::is_synthetic)) {
      parts.emplace_back();
    } else {
      parts.push_back(graph.at("beat::" + passage.text(Field::from_beat)).text(Field::prose));
      for (const std::string& beat : passage.texts(Field::merged_from)) {
        parts.push_back(graph.at("beat::" + beat).text(Field::prose));
      }
    }
    std::string prose;
    bool whole = true;
    for (const std::string& part : parts) {
      whole = whole && !part.empty();
      prose += (prose.empty() || part.empty() ? "" : "\n\n") + part;
    }
    if (whole) {
      phase.update(id, {{Field::prose, prose}}, "given in the outline");
    } else {
      phase.update(id, {{Field::draft, true}}, "the outline has no prose for it");
      ++drafts;
    }
  }
  phase.left_out("prose of passages", drafts);
  phase.tell(std::to_string(drafts) + " passages without prose");
  return std::move(phase).end();
}

}  // namespace plumb::story
