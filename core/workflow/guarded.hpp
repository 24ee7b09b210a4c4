// Finds changes to guarded files: files that a gate runs and existing tests. A developer who may change these can make
// any gate pass.
//
//   Guards guards = guards_of(gates, read);                        // once, on what was there before
//   Guarded found = guarded_changes(task, guards, changes, versions, Severity::error);
//   found.findings     // rules `gate-file` and `test-changed`: each file that the task does not name
//   found.again        // gates that are to be run once more with what `found.paths` were before
//
// New tests, and new lines in a test, are allowed: the second gate run with the original file shows what they hide.
// If a gate uses only part of a file (the scripts of package.json), only that part is compared.
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
  bool cut = false;  // it runs more than that
  static std::span<const json::Field> fields();
};

struct Guards {
  std::vector<GateFiles> gates;
  std::vector<std::string> tests;  // the project's own patterns, in addition to the conventions
  static std::span<const json::Field> fields();
};
Guards guards_of(std::span<const Gate> gates, std::vector<std::string> tests, const ReadText& read);

// A file before and after the change; nullopt if it does not exist.
using Versions = std::function<std::pair<std::optional<std::string>, std::optional<std::string>>(const std::string&)>;

struct Guarded {
  std::vector<FileFinding> findings;
  std::vector<std::string> paths;  // guarded files that existed and were changed
  std::vector<std::string> fresh;  // new guarded files, without tests
  std::vector<std::string> again;  // names of gates
  bool named = true;               // whether the task names all of them
  std::vector<std::string> cut;    // gates that run more files than are guarded
};
Guarded guarded_changes(const Task& task, const Guards& guards, const Changes& changes, const Versions& versions,
                        contract::Severity severity);
// Returns `again` with the gates that they depend on.
std::vector<std::uint32_t> gates_again(std::span<const Gate> gates, const std::vector<std::string>& again);

// Findings for gates that pass now but fail with the original files: rule `base-file`, one for each gate.
std::vector<FileFinding> failures_with_base(const Guarded& guarded, std::span<const GateResult> results,
                                            contract::Severity severity);

// Findings for changed files outside the task, except new tests: rule `scope`.
std::vector<FileFinding> beyond_files(const Task& task, std::span<const std::string> tests, const Changes& changes,
                                      contract::Severity severity);

}  // namespace plumb::workflow
