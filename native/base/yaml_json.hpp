// A part of plumb.yaml as JSON, for what the core reads itself. Plain scalars that are JSON numbers, true, false or
// null stay these; everything else is a text. Bounded by the depth that yaml-cpp itself allows.
#pragma once

#include <string>

namespace YAML {
class Node;
}

namespace plumb {

std::string yaml_json(const YAML::Node& node);

}  // namespace plumb
