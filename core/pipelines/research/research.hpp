// The research pipeline (seed 002): intake, then rounds of questions, each searched until it is answered or brings
// nothing new; then a report in which every claim cites what it is quoted from.
//
//   Intake               one tool call: asks the user one question, or starts with an objective and success criteria
//   Brain.evaluate       done, or the next one to three questions; sees answers, never searches
//   Researcher.evaluate  done, or the next query, for one question; sees what its searches brought
//   Search               one query, answered by the passages that were found, with their sources
//   Answer, Report       claims with quotes; a quote that stands in no passage proves nothing
//
// What each may say is its contract (core/contracts/intake.json and its kin). What breaks a gate goes back to its
// author with the reason, at most twice. Nobody's words are rewritten: a question or query that still breaks one is
// dropped, and a round without a question ends the run. What the planner calls met is held against the words of the
// criterion (core/extract/floor.hpp). Notes, one of each as it happens: intake_decision, lookup, gate, brain_round,
// search, cycle, question_done, report.
//
// A request is a JSON object:
//
//   question       what the user wants to know (required)
//   answers        ["..."]: what is answered to the intake's questions, in their order, without asking
//   constraints    ["Norway", "2023"]: what the objective must say
//   ask            "person" (the run waits for an answer) or "never" (it goes on with its best reading)
//   search         {"providers": ["corpus"], "limit": 8, "lookup": ["searxng"]}
//   limits         {"rounds": 10, "minutes": 15, "questions": 3, "searches_min": 3, "searches_max": 15}
//   token_budget   200000: all model calls of the run together
//   judge          "model" (what no rule decides is asked, of who decides) or "rules"; by default model where one
//   decides providers      {"brain": "extract", ...}: of the phases intake, brain, researcher and finish (who answers
//   and writes) user_id        whose it is; part of the fingerprint
//
// An intake question is a `person` effect: {"question", "kind": "text" or "choice", "options", "signal": "answer-1"}.
// It is answered with {"decision": "the text, or the option"}. The signal `stop` ends the run at its next effect with a
// report of what is known; so do time, tokens and a provider that fails.
//
// The result is {"objective", "ended", "success_criteria", "report", "claims", "citations", "questions", "metrics",
// ...}.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines::research {

inline constexpr std::array<std::string_view, 4> phase_names = {"intake", "brain", "researcher", "finish"};
inline constexpr std::uint64_t token_budget_default = 200'000;
inline constexpr int rejections_max = 2;
inline constexpr std::size_t intake_questions_max = 3;
inline constexpr std::size_t question_bytes_max = 8'000;

struct Limits {
  std::uint64_t rounds = 10;
  std::uint64_t minutes = 15;
  std::uint64_t questions = 3;
  std::uint64_t searches_min = 3;
  std::uint64_t searches_max = 15;
  static std::span<const json::Field> fields();
};

Result<run::Data> pipeline(run::Run& run);

Result<Prepared> prepare(const json::Value& request, const Texts& from);

// The most that a run of this input can spend, whoever answers. Each call may be made once more where the world fails.
struct WorstCase {
  std::uint64_t calls = 0;
  std::uint64_t budget = 0;  // of tokens, which as a rule ends a run long before; 0: they cost nothing
};
WorstCase worst_case(const Prepared& prepared);

// {"job_id", "status", "progress", "question", "asks"?, "rounds": [...], "gates": [...], "result"?, "error"?, ...}
std::string view(const run::Journal& journal);
std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from);

}  // namespace plumb::pipelines::research
