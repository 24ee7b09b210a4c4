// Identifies test files by the naming conventions of each ecosystem and by the project's own patterns.
//
//   is_test_file("src/sum.test.js")                      // true
//   is_test_file("qa/sum.txt", globs)                    // true where `workflow.tests` has "qa/**"
//   names_test(task, "src/sum.test.js")                  // false for a task that writes "src/**"
//
// Tests inside a code file (Rust's `mod tests`, doctests) are not recognised.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/workflow/plan.hpp"

namespace plumb::workflow {

bool is_test_file(std::string_view path, std::span<const std::string> more = {});

// Returns whether the task names this test, by its path or by a pattern for tests ("tests/", "**/*.test.js"). A pattern
// for a code folder does not include the tests in it.
bool names_test(const Task& task, std::string_view path, std::span<const std::string> more = {});
// Returns whether the task names any test.
bool names_tests(const Task& task, std::span<const std::string> more = {});
// Returns whether the task names this file, by its path or by a pattern that does not match every file.
bool names_file(const Task& task, std::string_view path);

}  // namespace plumb::workflow
