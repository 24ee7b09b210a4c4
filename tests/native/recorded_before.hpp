// Runs as programs recorded them before an end held what the run came to.
#pragma once

#include <string>

namespace plumb::test {

// The same journal file, without the member `outcome` of its end.
inline std::string without_outcome(std::string file) {
  const std::string name = ",\"outcome\":{\"came_to\":";  // in a text its quotes would be escaped
  const std::size_t from = file.find(name);
  if (from == std::string::npos) {
    return file;
  }
  std::size_t at = file.find('{', from);
  int depth = 0;
  for (; at < file.size(); ++at) {  // reasons are codes, names and numbers: no brace is in a string
    depth += file[at] == '{' ? 1 : file[at] == '}' ? -1 : 0;
    if (depth == 0) {
      break;
    }
  }
  return file.erase(from, at + 1 - from);
}

}  // namespace plumb::test
