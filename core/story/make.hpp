// From an outline to a story that is judged: every phase in order, validation and play. Each phase is a function of
// outline and graph, so a host that keeps the notes may run them one by one, and come to the same from the notes alone.
//
//   Made made = make_story(outline_json);
//   if (made.book && made.verdict.valid) ship(*made.book, ShipFormat::html);
//   Result<Made> again = story_from(outline_json, made.notes);
//
// A finding about a node has the place in the outline that the node was made from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/story/book.hpp"
#include "core/story/grow.hpp"
#include "core/story/outline.hpp"
#include "core/story/phase.hpp"
#include "core/story/play.hpp"

namespace plumb::story {

struct Made {
  contract::Verdict verdict;     // of the outline, or of the story where the outline is well
  std::vector<PhaseNote> notes;  // empty where the outline has errors
  Graph graph;
  std::optional<Book> book;  // where GROW came to its end
  PlayOutcome play;
};

Made make_story(std::string_view outline_json);
Made make_story(std::string_view text, OutlineReading read);

// One phase of a story without a model: of an outline, of GROW, or what FILL has of the author's prose.
struct StoryPhase {
  Stage stage = Stage::dream;
  std::string_view name;
  const GivenPhase* given = nullptr;
  const GrowPhase* grow = nullptr;
};
// All, in their order; what follows a phase that failed is not run.
const std::vector<StoryPhase>& story_phases();
PhaseNote run_story_phase(const StoryPhase& phase, const Outline& outline, Graph& graph);

// What the notes come to. `notes` may end before the last phase: then there is no book, and nothing is judged.
Made judge_story(std::string_view text, OutlineReading read, std::vector<PhaseNote> notes, Graph graph);
// The same from what a journal holds: the notes are folded, and each hash must be met.
Result<Made> story_from(std::string_view outline_json, std::vector<PhaseNote> notes);
Result<Made> story_from(std::string_view text, OutlineReading read, std::vector<PhaseNote> notes);
// Whether the notes of an outline's phases are those that this outline gives; else the first that is not: "seed/beats".
std::string first_that_differs(const Outline& outline, const std::vector<PhaseNote>& notes);

// Of a story in a file: Twee 3, story.json, our HTML, or an outline as JSON; told by how the text begins, and of JSON
// by its `format`.
enum class StoryForm : unsigned char { twee, book, html, outline };
StoryForm form_of(std::string_view text);
std::string_view name_of(StoryForm form);  // "Twee", "story.json", "HTML", "outline"
// An outline as its author writes it, in YAML: only who reads files reads that.
bool is_yaml_outline(std::string_view text);

struct Checked {
  contract::Verdict verdict;
  std::string format;  // "SugarCube", "Harlowe", "story.json", "outline", ...
  std::string title;   // of what is no outline
  PlayOutcome play;
  std::uint64_t passages = 0;
  std::uint64_t unread = 0;     // places that were not read; the first 200 are findings of the rule `unread`
  std::uint64_t unread_at = 0;  // the first of them: byte in the text
};
// What the undecided rule `coverage` says; `first`: the place, "line 3, column 1".
std::string coverage_text(const Checked& of, const std::string& first);
// What the text is, and what to do, where it is a story in a form that is not read. Else empty.
std::string unread_form(std::string_view text);
// The error is that of a text that is no story at all.
Result<Checked> check_story(std::string_view text);
Result<Checked> check_story(std::string_view text, OutlineReading (*outline)(std::string_view outline_json));

}  // namespace plumb::story
