// The discovery pipeline (seed 000): from what users say, what is measured, code and documents to ranked opportunities
// that people decide on. docs/discovery.md is the manual; stages.hpp has its state machine.
//
// A request is a JSON object:
//
//   sources           {"conversations": ROOT, "analytics": ROOT, "repo": ROOT, "docs": ROOT}: names of declared roots
//                     (required, at least one)
//   target_domain     what it is about, for the prompts
//   time_window_days  of what has a date, back from the newest; all where it is not said
//   scope_dirs, doc_paths   folders of the repo and of the docs; all where there are none
//   review            true: people decide at the end; false (the default): it ends when all is ranked
//   window_tokens, call_ms
//
// The result is {"rankings", "decisions", "order", "opportunities", "findings"} with counts; the artifacts stand in the
// checkpoints, which are notes, and in view().
#pragma once

#include <string>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines::discovery {

Result<run::Data> pipeline(run::Run& run);
Result<Prepared> prepare(const json::Value& request, const Texts& texts);
std::string view(const run::Journal& journal);
std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from);

}  // namespace plumb::pipelines::discovery
