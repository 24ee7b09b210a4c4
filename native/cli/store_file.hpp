// Where the store of runs is: --store, else PLUMB_STORE, else `store` of plumb.yaml, else plumb/runs.db in
// $XDG_STATE_HOME or ~/.local/state. The folder of the usual place is made; that of another must be there.
#pragma once

#include <string>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"

namespace plumb::cli {

Result<std::string> store_file(const Arguments& arguments);

}  // namespace plumb::cli
