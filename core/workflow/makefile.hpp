// Finds the recipes that make would run for given targets.
//
//   recipes_of("test: build\n\tsh t.sh\nbuild:\n\tcc x.c\n", {"test"})      // "cc x.c\nsh t.sh\n"
//
// Supports rules with targets, prerequisites and recipes, variables with a plain text, and $(CURDIR). Other functions,
// conditions and pattern rules are not evaluated; the lines of all branches count. Limits: 10,000 lines, 1,000 targets.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::workflow {

// Returns the recipes of these targets and their prerequisites as shell text. Without targets: those of the first
// target.
std::string recipes_of(std::string_view makefile, std::span<const std::string> goals);
// Returns the file names and patterns that follow `include`, also those in `$(wildcard ...)`.
std::vector<std::string> included_makefiles(std::string_view makefile);
// Returns the program that runs the recipes, if the Makefile sets SHELL.
std::string shell_of(std::string_view makefile);

}  // namespace plumb::workflow
