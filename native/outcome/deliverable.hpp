// What a run was begun for: the artifact, the items, the report. One text for each pipeline, of what its view shows;
// the commands that run them, `plumb runs resume`, `plumb runs result` and GET /v1/runs/{id}/result write the same.
#pragma once

#include <string>
#include <string_view>

#include "core/contract/render.hpp"
#include "core/json/value.hpp"
#include "core/run/journal.hpp"

namespace plumb::outcome {

// Empty where the view has none (yet).
std::string deliverable(std::string_view pipeline, const json::Value& view, const contract::TextStyle& style);

// What the text of a pipeline's deliverable is: "application/json", "text/markdown; charset=utf-8".
std::string_view media_type(std::string_view pipeline);

// Of a run of `artifact` that failed: the best of what was made and rejected, marked as that, with what is wrong with
// it and how many items were asked for and kept, as one JSON object. Empty where nothing was made.
std::string rejected_artifact(const run::Journal& journal);

}  // namespace plumb::outcome
