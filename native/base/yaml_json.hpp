// A part of plumb.yaml as JSON, for what the core reads itself. Plain scalars that are JSON numbers, true, false or
// null stay these; everything else is a text. What an alias stands for is written out each time: beyond 100,000 values
// or 128 levels it throws YAML::Exception, which read_yaml() reports as what is wrong with the file.
#pragma once

#include <string>

namespace YAML {
class Node;
}

namespace plumb {

std::string yaml_json(const YAML::Node& node);

}  // namespace plumb
