// What of a Makefile is run for some targets.
//
//   recipes_of("test: build\n\tsh t.sh\nbuild:\n\tcc x.c\n", {"test"})      // "cc x.c\nsh t.sh\n"
//
// Read are rules with their targets, what these wait for, recipes, and variables that are set to a text; functions,
// conditions and pattern rules are not worked out, and lines of all branches count. At most 10,000
// lines and 1,000 targets.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::workflow {

// Recipes of these targets and of all that they wait for, as a text for a shell; of the first target where none is
// named.
std::string recipes_of(std::string_view makefile, std::span<const std::string> goals);
// Names of files behind `include`.
std::vector<std::string> included_makefiles(std::string_view makefile);

}  // namespace plumb::workflow
