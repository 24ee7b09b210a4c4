// The workflow pipeline (seed 004): a plan carried out in a git repository, task by task, through a developer, the
// project's own gates and a reviewer with fresh context, a bounded number of times.
//
//   plan ─> promote ─> base ─> each task: size, claim, then rounds of develop, gate, assemble, review, verdict ─> merge
//
// A request names a plan and who works, and nothing that could be run:
//
//   {"plan": {...} | "idea": "...", "repository": "here", "at"?: "HEAD", "promoted"?: true,
//    "developer"?: "extract" | "model" | "person" | NAME, "reviewer"?: "extract" | "model",
//    "base_failures"?: "refuse" | "warn", "token_budget"?: N}
//
// Gates, developers, SOPs, protected files and times are the host's (Texts::workflow); their commands are pinned as
// `gate.NAME`, `developer.NAME` and `setup`. A plan that is not promoted waits for a person to promote it. Developers
// work in trees of the run; what they changed is read from the tree. Gates run in a checkout of their own. What is
// approved is merged onto the branch plumb/SLUG, and the gates must pass on the whole.
//
// The journal has everything: the counters of retries and reviews are those of its parts, the states of tasks are notes
// `task_state`, and view and log are folds over these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines::workflow {

Result<run::Data> pipeline(run::Run& run);
Result<Prepared> prepare(const json::Value& request, const Texts& texts);
// {"run_id", "status", "progress", "title", "slug", "branch", "tasks": [{"id", "state", "why", "rounds": [...], ...}],
// "asks"?, "result"?, "error"?}
std::string view(const run::Journal& journal);
std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from);

}  // namespace plumb::pipelines::workflow
