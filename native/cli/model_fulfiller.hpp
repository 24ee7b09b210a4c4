// Who answers the model effects of runs that a command works on: the providers that were chosen (native/provider).
#pragma once

#include <memory>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/host/fulfil.hpp"

namespace plumb::cli {

Result<std::unique_ptr<host::Fulfiller>> model_fulfiller(const Arguments& arguments);

}  // namespace plumb::cli
