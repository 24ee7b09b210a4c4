#include "native/workflow/gate_runs.hpp"

#include <sys/stat.h>

#include "core/run/data.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb::workflow {

namespace {

constexpr std::uint64_t report_bytes_max = std::uint64_t{16} << 20U;

GateResult run_gate(const GateGround& ground, const Gate& gate, const command::DeclaredCommand& declared) {
  const command::Place place{ground.folder, gate.dir, ground.scratch, ground.isolation};
  const ReportFile written(ground.folder + "/" + gate.report);
  const Result<process::Command> command = command::command_at(declared, place);
  const Result<process::Outcome> done =
      command ? process::run(command.value()) : Result<process::Outcome>(command.error());
  if (!done) {
    return gate_result(gate, {"failed", nullptr, done.error().message, 0, done.error().reason});
  }
  const run::Data value =
      run::Data::written(command::outcome_json(declared, command.value(), done.value(), command::KeepOutput()));
  std::optional<std::string> report;
  if (!gate.report.empty() && written.is_fresh()) {
    const Result<std::string> read = read_file(ground.folder + "/" + gate.report, report_bytes_max);
    report = read ? read.value() : std::string();
  }
  return gate_result(gate, {"ok", &value.value()}, report);
}

}  // namespace

std::optional<GateResult> failed_setup(const GateGround& ground) {
  const command::DeclaredCommand* setup = command::find_command(ground.section.commands, "setup");
  if (setup == nullptr || ground.scratch.empty()) {
    return std::nullopt;
  }
  Gate gate;
  gate.name = "setup";
  gate.timeout_ms = setup->time_ms;
  GateResult came = run_gate(ground, gate, *setup);
  return came.passed() ? std::nullopt : std::optional(std::move(came));
}

std::vector<GateResult> run_gates(const GateGround& ground, std::span<const std::uint32_t> which) {
  return ask_in_order(ground.section.gates, which, [&](const Gate& gate) {
    const command::DeclaredCommand* declared = command::find_command(ground.section.commands, "gate." + gate.name);
    return declared == nullptr ? gate_result(gate, {"failed", nullptr, "it is not declared"})
                               : run_gate(ground, gate, *declared);
  });
}

ReportFile::ReportFile(std::string path) : path_(std::move(path)), before_(stamp()) {}

std::pair<std::int64_t, std::uint64_t> ReportFile::stamp() const {
  struct stat about {};
  if (::stat(path_.c_str(), &about) != 0) {
    return {0, 0};
  }
  return {static_cast<std::int64_t>(about.st_mtim.tv_sec) * 1'000'000'000 + about.st_mtim.tv_nsec, about.st_ino};
}

bool ReportFile::is_fresh() const {
  const auto now = stamp();
  return now.first != 0 && now != before_;
}

}  // namespace plumb::workflow
