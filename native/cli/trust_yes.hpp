// Asks whether to trust what a file proposes: at the terminal, or by --yes.
//
// --yes requires a terminal or PLUMB_TRUST_YES=1 in the environment, so that a coding agent does not trust by accident.
// No message names the variable to an agent. SECURITY.md says what this does not stop.
#pragma once

#include "native/cli/arguments.hpp"

namespace plumb::cli {

bool lets_it_hold(const Arguments& arguments);

}  // namespace plumb::cli
