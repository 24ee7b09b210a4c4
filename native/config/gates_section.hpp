// `gates` in plumb.yaml: whether the rules of boundaries reject, or are only observed (docs/boundaries.md).
//
//   gates: observe                  # all rules of all boundaries; the default is bind
//   gates: {observe: [coherent]}    # these rules and boundaries
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace YAML {
class Node;
}

namespace plumb {

// The rules and boundaries that are only observed; "*" is all. Errors carry file, line and column.
Result<std::vector<std::string>> read_gates_section(const std::string& file, const YAML::Node& node);

}  // namespace plumb
