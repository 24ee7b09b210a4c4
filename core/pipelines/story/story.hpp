// The story pipeline: an outline carried through every phase of core/story, each a part of the run with one note.
//
// A request is {"outline": {...}}, under the contract `outline`; one with errors is refused, with the first and how
// many there are. Nothing is asked of anybody: the run goes from its begin to its end in one step.
//
// The journal has for each phase a note `story_phase` (its mutations with what was before, warnings, what was left out,
// and the graph's hash after it: core/story/phase.hpp) in a scope of its own, "grow-choices". The graph is the fold of
// these notes, so a phase is there whole or not at all. Rewinding is a fork that ends before a phase: what stands
// before it is taken over and not worked out again. Where the fork has another outline, what is taken over must be what
// that outline gives; else the run fails and says to which phase it would have to be rewound.
//
// The result is a StoryResult: what validation and play came to. All else is a projection of the journal (story_of).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"
#include "core/story/make.hpp"

namespace plumb::pipelines::story {

Result<run::Data> pipeline(run::Run& run);
Result<Prepared> prepare(const json::Value& request, const Texts& texts);
// {"run_id", "status", "progress", "title", "phases": [{"stage", "phase", "entry", "at_ms", ...}], "result"?, "story"?,
// "error"?}: `story` is story.json, of a run that came to a sound one.
std::string view(const run::Journal& journal);
std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from);

struct StoryResult {
  std::string decision;
  bool valid = false;
  std::uint64_t errors = 0, warnings = 0;
  std::string graph, book;                // hashes; no book: there was none to be made
  std::optional<std::uint64_t> passages;  // of the book
  std::uint64_t endings = 0, endings_reached = 0, states = 0;
  std::string play;  // complete, undecided
  static std::span<const json::Field> fields();
};

// A phase that a journal holds.
struct StoredPhase {
  plumb::story::PhaseNote note;
  std::uint64_t entry = 0;  // its note's number
  std::uint64_t at_ms = 0;  // its note's stamp: the time of its mutations
};
// The phases in their order. The error: of a journal that is of another pipeline, or was tampered with.
Result<std::vector<StoredPhase>> phases_of(const run::Journal& journal);
// The outline that the run was begun with, as JSON; as good as the journal.
std::string_view outline_of(const run::Journal& journal);
// The story as the journal has it: the fold, judged again.
Result<plumb::story::Made> story_of(const run::Journal& journal);
// The graph after the first `phases` of them.
Result<plumb::story::Graph> graph_of(const std::vector<StoredPhase>& phases, std::size_t count);

// Where a journal is cut to rewind it to before a phase, "grow/choices", or a whole stage, "grow".
struct Cut {
  std::uint64_t at = 0;             // the fork's: entries before this one stay
  std::vector<std::string> behind;  // phases that are left behind: "grow/choices"
};
// The error names the phases that there are.
Result<Cut> cut_at(const run::Journal& journal, std::string_view phase);

}  // namespace plumb::pipelines::story
