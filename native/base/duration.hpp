// A duration, as people write it on the command line and in plumb.yaml: "90d", "12h", "30m", "45s", and "forever".
#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.hpp"

namespace plumb {

// In milliseconds, at most 100 years; 0 is "forever". The error has no place.
Result<std::uint64_t> read_duration(std::string_view text);

}  // namespace plumb
