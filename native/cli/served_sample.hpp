// `plumb serve --sample PORT`: a sample of a model, in front of nothing.
#pragma once

#include "native/cli/arguments.hpp"

namespace plumb::cli {

// Serves until SIGINT or SIGTERM; the exit code.
int serve_sample(const Arguments& arguments);

}  // namespace plumb::cli
