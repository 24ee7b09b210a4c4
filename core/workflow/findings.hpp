// Findings of a workflow, in the form that every report knows (core/contract/finding.hpp), each with the file that it
// is about: an SOP's pattern in an added line, a file beyond the task, a claim without a diff.
//
// `at` is a JSON Pointer into what was judged (a plan, a review), empty for what is about a file; then `span` has the
// line. `item` names task, SOP or gate: "Task T2".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"

namespace plumb::workflow {

struct FileFinding {
  std::string path;  // empty: about no file
  contract::Finding finding;
};

contract::Finding make_finding(std::string_view rule, contract::Severity severity, contract::FindingClass finding_class,
                               std::string at, std::string item, std::string message);
// About a line of a file; 0: the file as a whole.
FileFinding in_file(std::string path, std::uint32_t line, contract::Finding finding);

// Gives findings their numbers, and the verdict what follows from them and from what is undecided.
void settle(contract::Verdict& verdict);

// "a, b, c and 4 more", at most `shown`.
std::string some_of(const std::vector<std::string>& names, std::size_t shown = 5);

}  // namespace plumb::workflow
