// An outline's part of the graph, stage by stage, each phase one note.
#include <algorithm>
#include <array>

#include "core/story/outline.hpp"

namespace plumb::story {

namespace {

FieldValue given(const std::string& text) { return text.empty() ? FieldValue() : FieldValue(text); }
FieldValue given(const Texts& texts) { return texts.empty() ? FieldValue() : FieldValue(texts); }

std::string path_of(const OutlineDilemma& dilemma, const OutlineAnswer& answer) {
  return dilemma.id + "__" + answer.id;
}

PhaseNote vision(const Outline& outline, Graph& graph) {
  Phase phase(graph, Stage::dream, "vision");
  phase.create("vision::vision",
               {{Field::title, outline.title},
                {Field::author, given(outline.author)},
                {Field::language, outline.language},
                {Field::ifid, given(outline.ifid)},
                {Field::genre, given(outline.genre)},
                {Field::tone, given(outline.tone)},
                {Field::themes, given(outline.themes)},
                {Field::audience, given(outline.audience)},
                {Field::size, outline.size}},
               "given in the outline");
  return std::move(phase).end();
}

PhaseNote entities(const Outline& outline, Graph& graph) {
  Phase phase(graph, Stage::brainstorm, "entities");
  for (const OutlineEntity& one : outline.entities) {
    phase.create("entity::" + one.id,
                 {{Field::category, one.category},
                  {Field::name, one.name},
                  {Field::idea, given(one.concept_text)},
                  {Field::overlays, given(one.overlays)}},
                 "given in the outline");
  }
  return std::move(phase).end();
}

PhaseNote dilemmas(const Outline& outline, Graph& graph) {
  Phase phase(graph, Stage::brainstorm, "dilemmas");
  for (const OutlineDilemma& one : outline.dilemmas) {
    const std::string id = "dilemma::" + one.id;
    phase.create(id, {{Field::question, one.question}, {Field::why_it_matters, given(one.why_it_matters)}},
                 "given in the outline");
    for (const std::string& entity : one.involves) {
      if (!phase.graph().has_edge(EdgeKind::involves, id, "entity::" + entity)) {
        phase.add_edge(EdgeKind::involves, id, "entity::" + entity, "given in the outline");
      }
    }
    for (const OutlineAnswer& answer : one.answers) {
      const std::string answer_id = "answer::" + path_of(one, answer);
      phase.create(answer_id, {{Field::description, answer.description}, {Field::is_default_path, answer.is_default}},
                   "given in the outline");
      phase.add_edge(EdgeKind::has_answer, id, answer_id, "one of two answers");
    }
  }
  return std::move(phase).end();
}

PhaseNote paths(const Outline& outline, Graph& graph) {
  Phase phase(graph, Stage::seed, "paths");
  for (const OutlineDilemma& one : outline.dilemmas) {
    Texts explored, unexplored;
    for (const OutlineAnswer& answer : one.answers) {
      (answer.explored ? explored : unexplored).push_back(answer.id);
      if (!answer.explored) {
        continue;
      }
      const std::string name = path_of(one, answer);
      phase.create("path::" + name,
                   {{Field::name, answer.description},
                    {Field::is_canonical, answer.is_default},
                    {Field::theme, given(answer.theme)},
                    {Field::mood, given(answer.mood)}},
                   answer.is_default ? "the default answer" : "an answer that is explored");
      phase.add_edge(EdgeKind::explores, "path::" + name, "answer::" + name, "the answer of this path");
      phase.create("consequence::" + name,
                   {{Field::description, answer.consequence.empty() ? answer.description : answer.consequence},
                    {Field::effects, given(answer.effects)},
                    {Field::word, given(answer.word)}},
                   answer.consequence.empty() ? "what the answer says" : "given in the outline");
      phase.add_edge(EdgeKind::has_consequence, "path::" + name, "consequence::" + name, "what follows from the path");
    }
    phase.update("dilemma::" + one.id, {{Field::explored, given(explored)}, {Field::unexplored, given(unexplored)}},
                 "answers that are explored, and that are not");
  }
  return std::move(phase).end();
}

void edges_of(Phase& phase, const OutlineBeat& beat) {
  const std::string id = "beat::" + beat.id;
  const auto add = [&](EdgeKind kind, const Texts& all, std::string_view prefix) {
    for (const std::string& one : all) {
      const std::string to = std::string(prefix) + one;
      if (!phase.graph().has_edge(kind, id, to)) {
        phase.add_edge(kind, id, to, "given in the outline");
      }
    }
  };
  if (beat.paths.empty()) {
    for (const std::string_view path : phase.graph().ids(NodeType::path)) {
      phase.add_edge(EdgeKind::belongs_to, id, path, "it names no path, so it belongs to all");
    }
  }
  add(EdgeKind::belongs_to, beat.paths, "path::");
  add(EdgeKind::sequenced_after, beat.after, "beat::");
  add(EdgeKind::commits, beat.commits, "dilemma::");
  add(EdgeKind::advances, beat.advances, "dilemma::");
  add(EdgeKind::reveals, beat.reveals, "dilemma::");
  add(EdgeKind::complicates, beat.complicates, "dilemma::");
  add(EdgeKind::appears, beat.entities, "entity::");
}

PhaseNote beats(const Outline& outline, Graph& graph) {
  Phase phase(graph, Stage::seed, "beats");
  std::int64_t position = 0;
  for (const OutlineBeat& beat : outline.beats) {
    Texts gates;
    for (const std::string& path : beat.gate) {
      gates.push_back("codeword::" + path + "_committed");
    }
    std::sort(gates.begin(), gates.end());
    phase.create("beat::" + beat.id,
                 {{Field::summary, beat.summary},
                  {Field::position, position++},
                  {Field::prose, given(beat.prose)},
                  {Field::label, given(beat.label)},
                  {Field::location, given(beat.location)},
                  {Field::scene_type, given(beat.scene)},
                  {Field::narrative_function, given(beat.function)},
                  {Field::gates, given(gates)},
                  {Field::is_ending, beat.ending ? FieldValue(true) : FieldValue()}},
                 "given in the outline");
  }
  for (const OutlineBeat& beat : outline.beats) {
    edges_of(phase, beat);
  }
  for (std::size_t i = 0; i < outline.asides.size(); ++i) {
    const OutlineAside& aside = outline.asides[i];
    const std::string id = "aside::" + std::to_string(i);
    phase.create(id,
                 {{Field::kind, aside.kind},
                  {Field::position, static_cast<std::int64_t>(i)},
                  {Field::summary, aside.summary},
                  {Field::prose, given(aside.prose)},
                  {Field::label, given(aside.label)}},
                 "given in the outline");
    if (!aside.at.empty()) {
      phase.add_edge(EdgeKind::at, id, "beat::" + aside.at, "given in the outline");
    }
    for (const std::string& path : aside.when) {
      if (!phase.graph().has_edge(EdgeKind::when, id, "path::" + path)) {
        phase.add_edge(EdgeKind::when, id, "path::" + path, "given in the outline");
      }
    }
  }
  return std::move(phase).end();
}

// What an outline does not say of a dilemma is soft with a budget of 2, as where an analysis fails (ADR-013); told.
PhaseNote analyses(const Outline& outline, Graph& graph) {
  Phase phase(graph, Stage::seed, "analyses");
  std::uint64_t without = 0;
  for (const OutlineDilemma& one : outline.dilemmas) {
    without += one.policy.empty() ? 1U : 0U;
    const std::string policy = one.policy.empty() ? "soft" : one.policy;
    phase.update("dilemma::" + one.id,
                 {{Field::convergence_policy, policy},
                  {Field::payoff_budget, one.payoff_budget.value_or(policy == "soft" ? 2 : 0)},
                  {Field::ending_salience, one.ending_salience.empty() ? std::string("none") : one.ending_salience},
                  {Field::residue_weight, one.residue_weight.empty() ? std::string("cosmetic") : one.residue_weight},
                  {Field::ending_tone, given(one.ending_tone)}},
                 one.policy.empty() ? "no policy was given: soft" : "given in the outline");
  }
  phase.left_out("analyses of dilemmas (taken as soft)", without);
  return std::move(phase).end();
}

PhaseNote interactions(const Outline& outline, Graph& graph) {
  Phase phase(graph, Stage::seed, "interactions");
  for (const OutlineInteraction& one : outline.interactions) {
    phase.add_edge(*edge_named(one.type), "dilemma::" + one.a, "dilemma::" + one.b, "given in the outline");
  }
  return std::move(phase).end();
}

}  // namespace

std::span<const GivenPhase> given_phases() {
  static constexpr std::array<GivenPhase, 7> all = {{{Stage::dream, "vision", vision},
                                                     {Stage::brainstorm, "entities", entities},
                                                     {Stage::brainstorm, "dilemmas", dilemmas},
                                                     {Stage::seed, "paths", paths},
                                                     {Stage::seed, "beats", beats},
                                                     {Stage::seed, "analyses", analyses},
                                                     {Stage::seed, "interactions", interactions}}};
  return all;
}

std::vector<PhaseNote> seed_phases(const Outline& outline, Graph& graph) {
  std::vector<PhaseNote> out;
  for (const GivenPhase& phase : given_phases()) {
    out.push_back(phase.work(outline, graph));
  }
  return out;
}

}  // namespace plumb::story
