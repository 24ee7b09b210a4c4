// What a run was begun for: the artifact, the items, the report. One text for each pipeline; whatever hands it over
// (the commands that run a pipeline, `plumb runs resume` and `result`, the routes of runs and jobs) takes it from here.
//
// The law of delivery: the verdict on the bytes that are handed over equals the verdict in the run's end. The bytes are
// read and judged again before they leave. An error of what is below says that they differ: a bug of ours, and nothing
// is to be handed over.
#pragma once

#include <string>
#include <string_view>

#include "core/contract/render.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "core/run/journal.hpp"

namespace plumb::outcome {

// Empty where the run has none (yet).
Result<std::string> deliverable(const pipelines::Known& known, const run::Journal& journal,
                                const contract::TextStyle& style);

// What the text of a pipeline's deliverable is: "application/json", "text/markdown; charset=utf-8".
std::string_view media_type(std::string_view pipeline);

// The pipeline's view, with the artifact in it where there is one; of a run that has ended also `outcome`, `reasons`.
Result<std::string> view_of(const pipelines::Known& known, const run::Journal& journal);

// Of a run of `artifact` that failed: the best of what was made and rejected, marked as that, with what is wrong with
// it and how many items were asked for and kept, as one JSON object. Empty where nothing was made.
Result<std::string> rejected_artifact(const run::Journal& journal);
bool has_rejected_artifact(const run::Journal& journal);

// Whether these bytes are the artifact that a run of `artifact` ended with: they are read as its value, and its
// contract says of them what the run's end says. Of a part that was salvaged, the contract but for numbers of items.
Result<bool> is_as_judged(const run::Journal& journal, std::string_view artifact);

}  // namespace plumb::outcome
