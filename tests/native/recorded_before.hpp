// Runs as earlier versions recorded them, which stored no outcome in the end.
#pragma once

#include <string>

namespace plumb::test {

// The same journal file, without the member `outcome` of its end.
inline std::string without_outcome(std::string file) {
  const std::string name = ",\"outcome\":{\"came_to\":";  // inside a string the quotes would be escaped
  const std::size_t from = file.find(name);
  if (from == std::string::npos) {
    return file;
  }
  std::size_t at = file.find('{', from);
  int depth = 0;
  for (; at < file.size(); ++at) {  // no string of an outcome contains a brace
    depth += file[at] == '{' ? 1 : file[at] == '}' ? -1 : 0;
    if (depth == 0) {
      break;
    }
  }
  return file.erase(from, at + 1 - from);
}

}  // namespace plumb::test
