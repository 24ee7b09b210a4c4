// The artifact pipeline (seed 001): plan, generate, validate, repair at most twice, deliver or fail.
//
// What an artifact must be is its contract; what a model is told is in prompts/. A new type of artifact is a contract
// NAME and a prompt `artifact-plan-NAME`; `artifact-generate-NAME` and its kin go before the general ones where they
// are there.
//
// A request is a JSON object:
//
//   artifact_type    the name of a contract: "quiz", "flashcards", "mindmap", or one of the user's own (required)
//   content          the source, Markdown or plain text; or
//   chunks           the source as passages (core/extract/chunks.hpp), or
//   retrieval_snapshot  {"chunks": [...]}
//   options          what the plan prompt knows: num_questions, difficulty; num_cards; depth
//   token_budget     12000: all model calls of the run together
//   repair           "whole" (the artifact is written again) or "patch" (JSON Patch within what is wrong first)
//   early_stop       "degenerate" or "finding": at the first certain error that nothing free mends
//   on_unverified    "fail" or "pass": what becomes of an artifact that the judge did not settle
//   limits_ms        {"plan": 45000, "generate": 90000, "judge": 45000, "repair": 60000}: of each call
//   providers        {"plan": "extract", ...}: which provider each phase has; calls of `extract` cost no tokens
//   user_id, notebook_id, source_ids   whose it is; part of the fingerprint
//
// The result is {"artifact", "decision", "attempts", "evidence", "unverified", "warnings"}. A run that fails keeps its
// violations, those of the first version too, in a note `failed`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines::artifact {

inline constexpr std::uint64_t token_budget_default = 12'000;
inline constexpr int repairs_max = 2;

enum class Phase : std::uint8_t { plan, generate, judge, repair };
inline constexpr std::array<std::string_view, 4> phase_names = {"plan", "generate", "judge", "repair"};
inline constexpr std::array<std::uint64_t, 4> phase_limits_ms = {45'000, 90'000, 45'000, 60'000};

Result<run::Data> pipeline(run::Run& run);

Result<Prepared> prepare(const json::Value& request, const Texts& texts);

// The most tokens that a run of this input can spend: every call it may make, within its budget.
struct WorstCase {
  std::uint64_t calls = 0;   // with both repairs
  std::uint64_t tokens = 0;  // of all of them
  std::uint64_t budget = 0;  // what is really spent at most
};
WorstCase worst_case(const Prepared& prepared);

// {"job_id", "status", "progress", "artifact_type", "result"?, "error"?, "created_at", "updated_at", ...}
std::string view(const run::Journal& journal);
std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from);

}  // namespace plumb::pipelines::artifact
