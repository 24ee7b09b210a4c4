// Gates that this process runs itself, for `plumb workflow check` and `prove`. A gate is the declared command
// `gate.NAME`, run as runs do it (native/command/command_run.hpp) and judged as runs do it (core/workflow).
//
//   GateGround ground{section, folder, scratch, isolation};
//   if (auto failed = failed_setup(ground)) ...          // of a fresh copy
//   std::vector<GateResult> results = run_gates(ground, which);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/workflow/gate_results.hpp"
#include "native/command/command_run.hpp"
#include "native/config/workflow_section.hpp"

namespace plumb::workflow {

struct GateGround {
  const WorkflowSection& section;
  std::string folder;   // the files
  std::string scratch;  // of ours, with `home` and `tmp` in it and `folder` below it; empty: `folder` is the checkout
  std::optional<process::Isolation> isolation;
  std::vector<std::string> changed = {};  // paths that {files} in a gate's command is made of
  std::vector<std::string> waived = {};   // gates that others need not wait for to pass
};
// What a fresh copy needs before its gates run: `setup` of the declaration. Nothing: there is none, or it is done.
std::optional<GateResult> failed_setup(const GateGround& ground);
// In their order, or side by side where the section has `parallel`: as many as there are processors, each after those
// of its `after`. The results are in the order of `which`. In a copy, a gate that writes to a changed file
// fails: the gates after it would see what nobody commits.
std::vector<GateResult> run_gates(const GateGround& ground, std::span<const std::uint32_t> which);
// The `fix` of a gate. The error: it was not started.
Result<process::Outcome> run_fix(const GateGround& ground, const Gate& gate);

// Detects whether a gate wrote its report during this run. An older report does not count.
class ReportFile {
 public:
  explicit ReportFile(std::string path);
  bool is_fresh() const;
  std::pair<std::int64_t, std::uint64_t> stamp() const;  // time of change, inode

 private:
  std::string path_;
  std::pair<std::int64_t, std::uint64_t> before_;
};

}  // namespace plumb::workflow
