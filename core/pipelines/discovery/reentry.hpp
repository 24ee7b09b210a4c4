// A run that goes on from a completed one with what experiments have shown.
//
// Its request is the one of the parent run, and `experiment`:
//
//   {"parent_run_id": "r...", "results": [...], "state": {"explored": {...}, "opportunities": [...]}}
//
// `results` keep the contract experiment-result. The run begins at solution_validation with the parent's findings and
// opportunities; those with a result are designed and assessed anew, with it in mind, the others stay as they were, and
// all are ranked again. No source is read.
#pragma once

#include <string>

#include "core/json/value.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/journal.hpp"

namespace plumb::pipelines::discovery {

// The request of the run that goes on from `parent`. `results`: a list, or one.
Result<std::string> reentry_request(const run::Journal& parent, const json::Value& results);

// What is wrong with the member `experiment` of a request; it may be absent.
Result<bool> check_reentry(const json::Value& request, const Texts& texts);

}  // namespace plumb::pipelines::discovery
