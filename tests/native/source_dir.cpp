#include "tests/native/source_dir.hpp"

namespace plumb::test {

std::string source_dir() { return PLUMB_SOURCE_DIR; }

}  // namespace plumb::test
