// An author's outline: read under the contract `outline` (core/contracts/story/outline.json) and the rules that lie
// across it, and given to the graph as the stages DREAM, BRAINSTORM and SEED.
//
//   OutlineReading read = read_outline(json);
//   if (read.outline) for (PhaseNote& note : seed_phases(*read.outline, graph)) ...
//
// A beat belongs to the paths it names, and to all where it names none. An arc has one path of each dilemma; a beat is
// in it when, of each dilemma of which it names paths, it names the arc's.
//
// Bounds: those of the contract, and the size's number of dilemmas that are explored with both answers (vignette 1,
// short 3, standard 4, long 5; seed-003's sizes).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/story/findings.hpp"
#include "core/story/graph.hpp"
#include "core/story/phase.hpp"

namespace plumb::story {

struct StorySize {
  std::string_view name;
  std::uint32_t passages_min, passages_max, arcs_max, dilemmas_max, beats_min, beats_max;  // beats: of a path
};
std::span<const StorySize> story_sizes();
const StorySize& size_named(std::string_view name);  // "standard" for a name that is none

struct OutlineAside {
  std::string kind;  // residue, ending, spoke, fork
  std::string at;    // beat id, or empty
  Texts when;        // path raw ids
  std::string summary, prose, label;
  std::string pointer;
};

struct OutlineAnswer {
  std::string id, description, theme, mood, consequence, word;
  Texts effects;
  bool is_default = false;
  bool explored = true;
};

struct OutlineDilemma {
  std::string id, question, why_it_matters, policy, ending_salience, residue_weight, ending_tone;
  std::optional<std::int64_t> payoff_budget;
  Texts involves;
  std::vector<OutlineAnswer> answers;
};

struct OutlineEntity {
  std::string id, category, name, concept_text, overlays;  // overlays: JSON, with codeword ids
};

struct OutlineBeat {
  std::string id, summary, prose, label, location, scene, function;
  Texts paths, after, commits, advances, reveals, complicates, entities, gate;  // paths and gate as path raw ids
  bool ending = false;
};

struct OutlineInteraction {
  std::string a, b, type;  // a before b
};

struct Outline {
  std::string title, author, language, ifid, size, genre, audience;
  Texts tone, themes;
  std::vector<OutlineEntity> entities;
  std::vector<OutlineDilemma> dilemmas;
  std::vector<OutlineInteraction> interactions;
  std::vector<OutlineBeat> beats;
  std::vector<OutlineAside> asides;
  Places places;  // of nodes, in the JSON text
};

struct OutlineReading {
  contract::Verdict verdict;
  std::optional<Outline> outline;  // when no error was found
};

OutlineReading read_outline(std::string_view text);
// The same of a text that somebody has held against the contract already, with this verdict.
OutlineReading read_judged_outline(std::string_view text, contract::Verdict verdict);

// A phase that gives the graph its part of an outline, and leaves one note.
struct GivenPhase {
  Stage stage;
  std::string_view name;
  PhaseNote (*work)(const Outline& outline, Graph& graph);
};
// In their order: vision, entities, dilemmas, paths, beats, analyses, interactions.
std::span<const GivenPhase> given_phases();
// All of them.
std::vector<PhaseNote> seed_phases(const Outline& outline, Graph& graph);

}  // namespace plumb::story
