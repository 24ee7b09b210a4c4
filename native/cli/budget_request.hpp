// What `plumb budget OPERATION` was asked, as the JSON object that core/budget/operations.hpp takes.
//
//   plumb budget window request.json                          a file, or - for standard input
//   plumb budget window window=32000 task=@task.md            members, one by one
//   plumb budget window request.json window=64000             both; what is said last holds
//
// The value of NAME=VALUE is JSON where it is that, else a text; @FILE is the text of a file, or its JSON where the
// file's name ends in .json. `models`, `policy` and `thresholds` come from `budget` in plumb.yaml where nobody says
// them, and the registry from --registry or PLUMB_MODELS.
#pragma once

#include <string>

#include "core/budget/operations.hpp"
#include "core/result.hpp"
#include "native/cli/arguments.hpp"

namespace plumb::cli {

Result<std::string> budget_request(const Arguments& arguments, const budget::Operation& operation);

}  // namespace plumb::cli
