#include "core/pipelines/pipelines.hpp"

#include <array>
#include <utility>

#include "core/pipelines/artifact/artifact.hpp"
#include "core/pipelines/artifact/calibration.hpp"
#include "core/pipelines/boundary/boundary_pipeline.hpp"
#include "core/pipelines/discovery/discovery.hpp"
#include "core/pipelines/outcomes.hpp"
#include "core/pipelines/research/research.hpp"
#include "core/pipelines/story/story.hpp"
#include "core/pipelines/workflow/workflow.hpp"

namespace plumb::pipelines {

namespace {

using run::EffectKind;

// PLUMB_EDGE: the command for small machines is without the last two (cmake/native.cmake).
constexpr Known all[] = {
    {{"artifact", 2, artifact::pipeline},
     "Plans, generates, validates and repairs a quiz, flashcards, a mindmap or an artifact of your own contract.",
     artifact::prepare,
     artifact::view,
     artifact::log_lines,
     {EffectKind::model, EffectKind::person}},
    {{"calibration", 1, calibration::pipeline},
     "Measures how often the judge of artifacts is wrong, with claims that a person has labelled.",
     calibration::prepare,
     calibration::view,
     calibration::log_lines,
     {EffectKind::model, EffectKind::person}},
    {{"boundary", 2, boundary::pipeline},
     "Judges items by the contract of who will work with them, and has those that are sent back revised, at most "
     "twice.",
     boundary::prepare,
     boundary::view,
     boundary::log_lines,
     {EffectKind::model, EffectKind::person}},
    {{"research", 2, research::pipeline},
     "Turns a question into an objective, searches in rounds, and reports with a citation for every claim.",
     research::prepare,
     research::view,
     research::log_lines,
     {EffectKind::model, EffectKind::search, EffectKind::person}},
    {{"discovery", 2, discovery::pipeline},
     "Makes ranked opportunities, with evidence, of conversations, figures, code and documents, for people to decide "
     "on.",
     discovery::prepare,
     discovery::view,
     discovery::log_lines,
     {EffectKind::model, EffectKind::read, EffectKind::person}},
#if !defined(PLUMB_EDGE)
    {{"story", 1, story::pipeline},
     "Makes a branching story of an outline, phase by phase, and proves that it can be read to an end.",
     story::prepare,
     story::view,
     story::log_lines,
     {}},
    {{"workflow", 2, workflow::pipeline},
     "Carries out a plan in a git repository, task by task, through a developer, the project's gates and a reviewer.",
     workflow::prepare,
     workflow::view,
     workflow::log_lines,
     {EffectKind::model, EffectKind::command, EffectKind::person, EffectKind::claim, EffectKind::worktree}},
#endif
};

// Ends of all of them hold what the run came to.
constexpr auto all_told = [] {
  auto rows = std::to_array(all);
  for (Known& one : rows) {
    one.pipeline.came_to = came_to;
  }
  return rows;
}();

// Symbols of log lines; longer ones first.
constexpr std::pair<std::string_view, std::string_view> symbols[] = {
    {"⚠️", "[!]"}, {"⚙️", "[*]"}, {"✅", "[ok]"}, {"❌", "[failed]"}, {"🔧", "[fix]"}, {"📋", "[plan]"},
    {"🔨", "[make]"},   {"✓", "ok"},       {"✗", "x"},    {"→", "->"},       {"≥", ">="},    {"≤", "<="}};

}  // namespace

std::span<const Known> known_pipelines() { return all_told; }

const Known* known_pipeline(std::string_view name) {
  for (const Known& one : all_told) {
    if (one.pipeline.name == name) {
      return &one;
    }
  }
  return nullptr;
}

std::string ascii_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t taken = 0;
    for (const auto& [symbol, ascii] : symbols) {
      if (text.starts_with(symbol)) {
        out += ascii;
        taken = symbol.size();
        break;
      }
    }
    if (taken == 0) {
      out += text.front();
      taken = 1;
    }
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace plumb::pipelines
