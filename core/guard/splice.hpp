// A whole artifact that begins with what a client already has, and goes on with what a repair gives.
//
//   Result<std::string> whole = continued(released, repaired);
//
// `released` ends after a unit (core/guard/units.hpp), with containers open. Each of them, from the innermost on, goes
// on with what the repaired artifact has in that place after what was released: items from the same number on, members
// whose names have not been released; then it closes. Values are taken as they are written.
//
// Items that were released must be in the repaired artifact too, each equal to what was released, so that an item
// can neither be lost nor come twice: else the error says which one differs.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::guard {

Result<std::string> continued(std::string_view released, std::string_view repaired);

}  // namespace plumb::guard
