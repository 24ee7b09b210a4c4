// Where the checkout is that these tests were built from. A function of one file, and not a macro of all: so that what
// is compiled in one checkout is good for the others too, and a compiler cache knows it.
#pragma once

#include <string>

namespace plumb::test {

/// The absolute path of the checkout, without a slash at its end.
std::string source_dir();

}  // namespace plumb::test
