// Whether somebody says that what a file proposes holds: at the terminal when asked, or with --yes.
//
// --yes counts at a terminal, or where the environment has PLUMB_TRUST_YES=1: an agent that runs commands has no
// terminal, and is never told how it would do without (SECURITY.md says what this does not stop).
#pragma once

#include "native/cli/arguments.hpp"

namespace plumb::cli {

bool lets_it_hold(const Arguments& arguments);

}  // namespace plumb::cli
