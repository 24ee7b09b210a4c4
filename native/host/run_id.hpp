// Run ids: "r" and 20 characters of lower-case base32, from the system's random source.
#pragma once

#include <string>

namespace plumb::host {

std::string new_run_id();

}  // namespace plumb::host
