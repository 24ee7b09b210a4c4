// The registry of models: --registry FILE where the command has it, else PLUMB_MODELS, else `budget: {models: FILE}` of
// plumb.yaml. Budgets and runs look a model up in the same one.
#pragma once

#include <string>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"

namespace plumb::cli {

struct ModelRegistry {
  std::string file;  // empty: there is none
  std::string json;  // the list of models
};

// `configured`: from plumb.yaml, or empty. The file holds {"models": [...]}, or the list itself.
Result<ModelRegistry> model_registry(const Arguments& arguments, const std::string& configured);

}  // namespace plumb::cli
