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
//                    A number that is given binds; without one the usual number is a most, and one is enough
//   token_budget     all model calls of the run together; without one what `usual_token_budget` says of the source
//   repair           "whole" (the artifact is written again) or "patch" (JSON Patch within what is wrong first)
//   early_stop       "degenerate" or "finding": at the first certain error that nothing free mends
//   language         a tag of BCP 47, "de": in what the artifact is written; else the source's, if it is evident
//   on_unverified    "fail" or "pass": what becomes of an artifact that the judge did not settle
//   salvage          true: where fewer items than asked for stand at the end, those that do are the result
//   limits_ms        {"plan": {"idle": 45000, "total": 600000}, ...}: of each call; a number is the total
//   providers        {"plan": "extract", ...}: which provider each phase has; calls of `extract` cost no tokens
//   user_id, notebook_id, source_ids   whose it is; part of the fingerprint
//
// The result is {"artifact", "decision", "attempts", "evidence", "unverified", "warnings"}; of a salvaged one also
// {"partial": true, "asked", "kept"}. A run that fails keeps its violations, those of the first version too, and the
// best artifact there was in a note `failed`: the items that nothing is wrong with, where there are some.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/model_call.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines::artifact {

// A budget that nobody gave: 60,000 for instructions and answers, and the source eight times (plan, artifact, both
// repairs and a judgement after each may show it), at most 100,000. Seed 001's 12,000 ends most runs over a chapter at
// their first repair. The argument is the safe estimate of the source, in tokens.
inline constexpr std::uint64_t token_budget_base = 60'000;
inline constexpr std::uint64_t token_budget_usual_max = 100'000;
std::uint64_t usual_token_budget(std::uint64_t source_tokens);
inline constexpr int repairs_max = 2;

enum class Phase : std::uint8_t { plan, generate, judge, repair };
inline constexpr std::array<std::string_view, 4> phase_names = {"plan", "generate", "judge", "repair"};
// Between tokens, and in all: what streams steadily is let finish.
inline constexpr std::array<CallLimits, 4> phase_limits = {
    {{45'000, 600'000}, {90'000, 600'000}, {45'000, 600'000}, {60'000, 600'000}}};

// The contract that a run is held to.
inline constexpr std::string_view pin_contract = "contract";

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
