// The history of models in the store of runs, as the JSON list that core/budget takes as `history`.
#pragma once

#include <string>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"

namespace plumb::cli {

// The newest 1,000 finished runs. No store yet: no history.
Result<std::string> model_history(const Arguments& arguments);

}  // namespace plumb::cli
