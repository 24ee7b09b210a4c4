// Changes of what decides: of files that a gate runs, and of tests that were there before. A developer who may change
// these can make any gate pass.
//
//   Guards guards = guards_of(gates, read);                        // once, on what was there before
//   Guarded found = guarded_changes(task, guards, changes, versions, Severity::error);
//   found.findings     // rules `gate-file` and `test-changed`: each file that the task does not name
//   found.again        // gates that are to be run once more with what `found.paths` were before
//
// A new test is free, and so are lines that are added to a test: what they could hide, the run with the old file shows.
// A file of which a part counts (package.json: its scripts) is compared by that part.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/workflow/changes.hpp"
#include "core/workflow/gate_results.hpp"
#include "core/workflow/run_files.hpp"
#include "core/workflow/test_files.hpp"

namespace plumb::workflow {

struct GateFiles {
  std::string gate;
  std::vector<RunFile> files;
  static std::span<const json::Field> fields();
};

struct Guards {
  std::vector<GateFiles> gates;
  std::vector<std::string> tests;  // patterns that the project declares beside the conventions
  static std::span<const json::Field> fields();
};
Guards guards_of(std::span<const Gate> gates, std::vector<std::string> tests, const ReadText& read);

// A file before and after the change; nothing where it is not there.
using Versions = std::function<std::pair<std::optional<std::string>, std::optional<std::string>>(const std::string&)>;

struct Guarded {
  std::vector<FileFinding> findings;
  std::vector<std::string> paths;  // guarded files that changed and were there before
  std::vector<std::string> fresh;  // that were not: no tests
  std::vector<std::string> again;  // names of gates
  bool named = true;               // the task names all of them
};
Guarded guarded_changes(const Task& task, const Guards& guards, const Changes& changes, const Versions& versions,
                        contract::Severity severity);
// `again`, with the gates that these come after.
std::vector<std::uint32_t> gates_again(std::span<const Gate> gates, const std::vector<std::string>& again);

// What it means that a gate that passed does not pass with the files of before: rule `base-file`, one a gate.
std::vector<FileFinding> failures_with_base(const Guarded& guarded, std::span<const GateResult> results,
                                            contract::Severity severity);

// Files beyond what the task may write, without new tests: rule `scope`.
std::vector<FileFinding> beyond_files(const Task& task, std::span<const std::string> tests, const Changes& changes,
                                      contract::Severity severity);

}  // namespace plumb::workflow
