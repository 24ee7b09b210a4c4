// The provider `extract`: a model effect answered by rule from its `task` (core/extract), without any model.
#pragma once

#include <string>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::provider {

// The text of the answer. `task` has `name` (artifact.plan, artifact.generate, artifact.judge or artifact.repair),
// `kind`, `chunks`, and what the step works on: `options` (count, depth), `plan`, `artifact`, `verdict`. The error
// names what is missing, by pointer.
Result<std::string> extract_answer(const json::Value* task);

}  // namespace plumb::provider
