// Which files of a repository are tests: by the conventions of the ecosystems, and by what a project declares.
//
//   is_test_file("src/sum.test.js")                      // true
//   is_test_file("qa/sum.txt", globs)                    // true where `workflow.tests` has "qa/**"
//   names_test(task, "src/sum.test.js")                  // false for a task that writes "src/**"
//
// Tests that stand inside a file of code (Rust's `mod tests`, doctests) are not seen.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/workflow/plan.hpp"

namespace plumb::workflow {

bool is_test_file(std::string_view path, std::span<const std::string> more = {});

// Whether a task names this test: by its path, or by a pattern that stands for tests ("tests/", "**/*.test.js"). A
// folder of code allows the code in it, not the tests beside it.
bool names_test(const Task& task, std::string_view path, std::span<const std::string> more = {});
// Whether it names any test.
bool names_tests(const Task& task, std::span<const std::string> more = {});
// Whether a task names a file: by its path, or by a pattern that does not stand for all files.
bool names_file(const Task& task, std::string_view path);

}  // namespace plumb::workflow
