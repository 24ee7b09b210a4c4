#include "native/workflow/gate_runs.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/run/data.hpp"
#include "core/workflow/findings.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb::workflow {

namespace {

constexpr std::uint64_t report_bytes_max = std::uint64_t{16} << 20U;

// When the changed files were last written, in their order.
std::vector<std::pair<std::int64_t, std::uint64_t>> written_at(const GateGround& ground) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> out;
  for (const std::string& path : ground.changed) {
    out.push_back(ReportFile(ground.folder + "/" + path).stamp());
  }
  return out;
}

// A gate checks; what it changes, nobody has judged.
void fail_if_it_wrote(GateResult& result, const GateGround& ground,
                      const std::vector<std::pair<std::int64_t, std::uint64_t>>& before) {
  const std::vector<std::pair<std::int64_t, std::uint64_t>> now = written_at(ground);
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] != before[i]) {
      changed.push_back(ground.changed[i]);
    }
  }
  if (!changed.empty() && result.passed()) {
    result.outcome = GateOutcome::failed;
    result.words = "gate '" + result.gate + "' wrote to " + some_of(changed, 5) +
                   ": a gate only checks, so give the command that changes files as its `fix`";
  }
}

// The time of all gates together, if the project declares one (`times: {gates: 5m}`).
class TimeLeft {
 public:
  explicit TimeLeft(const WorkflowSection& section) : begun_(std::chrono::steady_clock::now()) {
    if (const auto said = section.times.find("gates_ms"); said != section.times.end()) {
      all_ms_ = said->second;
    }
  }
  std::optional<std::uint64_t> ms() const {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun_);
    const auto took_ms = static_cast<std::uint64_t>(took.count());
    return all_ms_ ? std::optional(*all_ms_ - std::min(*all_ms_, took_ms)) : std::nullopt;
  }

 private:
  std::chrono::steady_clock::time_point begun_;
  std::optional<std::uint64_t> all_ms_;
};

GateResult run_gate(const GateGround& ground, const Gate& gate, const command::DeclaredCommand& declared,
                    std::optional<std::uint64_t> left_ms = std::nullopt) {
  if (left_ms && *left_ms == 0) {
    return gate_result(gate, {"timed_out", nullptr, {}, 1});
  }
  const auto before = written_at(ground);
  const command::Place place{ground.folder, gate.dir, ground.scratch, ground.isolation};
  const ReportFile written(ground.folder + "/" + gate.report);
  Result<process::Command> command = command::command_at(declared, place);
  const bool own = !left_ms || !command || command.value().limits.time_ms <= *left_ms;
  if (!own) {
    command.value().limits.time_ms = *left_ms;
  }
  const Result<process::Outcome> done = command ? command::run_on(command.value(), files_of(gate, ground.changed))
                                                : Result<process::Outcome>(command.error());
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
  GateResult out = gate_result(gate, {"ok", &value.value(), {}, own ? 0 : *left_ms}, report);
  out.waived = std::find(ground.waived.begin(), ground.waived.end(), gate.name) != ground.waived.end();
  if (!ground.scratch.empty()) {
    fail_if_it_wrote(out, ground, before);
  }
  return out;
}

// Gates by turns of several threads: each takes the first whose `after` is done.
class SideBySide {
 public:
  SideBySide(std::span<const Gate> gates, std::span<const std::uint32_t> which,
             const std::function<GateResult(const Gate& gate)>& ask)
      : gates_(gates), which_(which), ask_(ask), results_(which.size()), taken_(which.size()) {}

  std::vector<GateResult> run() {
    const std::size_t processors = std::max<std::size_t>(1, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < std::min(processors, which_.size()); ++i) {
      threads.emplace_back([this] { work(); });
    }
    for (std::thread& one : threads) {
      one.join();
    }
    std::vector<GateResult> out;
    for (std::optional<GateResult>& one : results_) {
      out.push_back(std::move(*one));
    }
    return out;
  }

 private:
  const Gate& gate(std::size_t at) const { return gates_[which_[at]]; }

  bool waits(std::size_t at) const {
    for (std::size_t i = 0; i < which_.size(); ++i) {
      const std::vector<std::string>& after = gate(at).after;
      if (!results_[i] && std::find(after.begin(), after.end(), gate(i).name) != after.end()) {
        return true;
      }
    }
    return false;
  }

  // The first that nobody has taken and that waits for no other; the number of gates: none now.
  std::size_t next() const {
    std::size_t at = 0;
    while (at < which_.size() && (taken_[at] || waits(at))) {
      ++at;
    }
    return at;
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (std::find(taken_.begin(), taken_.end(), false) != taken_.end()) {
      const std::size_t at = next();
      if (at == which_.size()) {
        done_.wait(lock);
        continue;
      }
      taken_[at] = true;
      std::vector<GateResult> before;
      for (const std::optional<GateResult>& one : results_) {
        if (one) {
          before.push_back(*one);
        }
      }
      const std::optional<std::string> because = held_up_by(gate(at), before);
      lock.unlock();
      GateResult result = because ? skipped_gate(gate(at), *because) : ask_(gate(at));
      lock.lock();
      results_[at] = std::move(result);
      done_.notify_all();
    }
  }

  std::span<const Gate> gates_;
  std::span<const std::uint32_t> which_;
  const std::function<GateResult(const Gate& gate)>& ask_;
  std::vector<std::optional<GateResult>> results_;
  std::vector<bool> taken_;
  std::mutex mutex_;
  std::condition_variable done_;
};

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
  const TimeLeft left(ground.section);
  const std::function<GateResult(const Gate& gate)> ask = [&](const Gate& gate) {
    const command::DeclaredCommand* declared = command::find_command(ground.section.commands, "gate." + gate.name);
    return declared == nullptr ? gate_result(gate, {"failed", nullptr, "it is not declared"})
                               : run_gate(ground, gate, *declared, left.ms());
  };
  return ground.section.parallel ? SideBySide(ground.section.gates, which, ask).run()
                                 : ask_in_order(ground.section.gates, which, ask);
}

Result<process::Outcome> run_fix(const GateGround& ground, const Gate& gate) {
  const command::DeclaredCommand* declared = command::find_command(ground.section.commands, "fix." + gate.name);
  if (declared == nullptr) {
    return Error{ErrorCode::not_found, "gate '" + gate.name + "' has no fix", "", 0, 0};
  }
  const Result<process::Command> command =
      command::command_at(*declared, {ground.folder, gate.dir, ground.scratch, ground.isolation});
  return command ? command::run_on(command.value(), files_of(gate, ground.changed))
                 : Result<process::Outcome>(command.error());
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
