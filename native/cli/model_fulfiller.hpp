// Who answers the model effects of runs that a command works on: the providers that were chosen (native/provider), by
// --provider-PHASE and --provider, variables and plumb.yaml.
#pragma once

#include <memory>
#include <vector>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/host/fulfil.hpp"
#include "native/provider/choice.hpp"

namespace plumb::cli {

struct Models {
  std::vector<provider::Choice> choices;  // one for each phase
  std::unique_ptr<host::Fulfiller> fulfiller;
};
Result<Models> models_of(const Arguments& arguments);
Result<std::unique_ptr<host::Fulfiller>> model_fulfiller(const Arguments& arguments);

// --provider, --provider-PHASE
std::vector<OptionSpec> provider_options();

}  // namespace plumb::cli
