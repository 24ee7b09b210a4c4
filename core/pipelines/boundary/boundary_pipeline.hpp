// The boundary pipeline: a list of items and a contract, and nothing else: users put it between stages of their own.
//
// A request is a JSON object:
//
//   items       a list of JSON values, at most 100,000 (required)
//   contract    a name, or the contract itself (required)
//   id          a JSON Pointer to the field by which items are named to models; else the contract's `itemId`
//   name        what an item is called: "brief"; "item" where it is not said
//   consumer    {"agent", "role", "work"}: who judges, and what it does with an item
//   producer    {"agent", "role"}: who revises
//   upstream    what the items were made from: one value for all, or a list as long as `items`
//   context     what the contract's `context:` pointers read
//   window_tokens  of the model that judges; else what is known of it, else batches of 16,000
//   limits_ms   {"validate": 90000, "revise": 60000}
//   observe     ["RULE"]: rules that are only observed; "*": all
//   judge, revise  "client": a program judges, or revises, in place of a model (client_question.hpp)
//
// The result is {"decision", "items": [{"id", "name", "passed", "unverified", "value", ...}], "quality_flags", ...}:
// accepted in the original order, then warned, then failed. `decision` is the first that applies: "revise" (something
// failed), "accept_unverified", "accept_with_warnings", "accept".
#pragma once

#include <string>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines::boundary {

Result<run::Data> pipeline(run::Run& run);
Result<Prepared> prepare(const json::Value& request, const Texts& texts);
// `result` has in `items` what the next stage gets, and in `held_back` the other items.
// {"run_id", "status", "tokens_used", "tokens_wasted", "boundary", "cycles": [...], "result"?, "error"?}
std::string view(const run::Journal& journal);
// What is handed over, and what is reported beside it, from a view: {"decision", "items": [...], "warnings": [...],
// "held_back": [...], "unverified": [...], "quality_flags", "tokens", "tokens_wasted"}. Empty where the view has no
// result.
std::string envelope(const json::Value& view);
std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from);

}  // namespace plumb::pipelines::boundary
