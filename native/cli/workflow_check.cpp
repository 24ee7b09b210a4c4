// `plumb workflow check`: what is changed in a checkout, judged by gates, SOPs and scope, as a workflow judges it. For
// an agent's hook, before a commit, and in CI. It needs no store and no model.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/json/writer.hpp"
#include "core/run/effect.hpp"
#include "core/workflow/changes.hpp"
#include "core/workflow/findings.hpp"
#include "core/workflow/gate_results.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/report.hpp"
#include "native/cli/story_parts.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/workflow_parts.hpp"
#include "native/cli/workflow_seen.hpp"
#include "native/git/checkout.hpp"
#include "native/process/command.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t report_bytes_max = std::uint64_t{16} << 20U;

struct Place {
  std::string folder;   // where gates are run
  std::string scratch;  // of ours, with it in it; empty: it is the checkout
  bool isolated = false;
  process::Isolation least = process::Isolation::full;
};

workflow::GateResult run_gate(const workflow::Gate& gate, const Place& place) {
  process::Command command;
  command.argv = gate.argv;
  command.folder = place.folder + (gate.dir.empty() ? "" : "/" + gate.dir);
  command.limits.time_ms = gate.timeout_ms;
  const auto from_here = [&](const char* name) {
    if (const char* value = std::getenv(name)) {
      command.environment.emplace_back(name, value);
    }
  };
  if (place.isolated) {
    command.environment = {{"HOME", place.scratch + "/home"},
                           {"TMPDIR", place.scratch + "/tmp"},
                           {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                           {"LANG", "C.UTF-8"}};
    command.writable = {place.scratch};
    for (const std::string& folder : gate.writable) {
      const char* home = std::getenv("HOME");
      command.writable.push_back(folder.starts_with("~/") ? (home == nullptr ? "" : home) + folder.substr(1) : folder);
    }
    command.network = gate.network;
    command.least = place.least;
  } else {
    // In the user's own checkout, as the user would run it.
    for (const char* name : {"HOME", "PATH", "LANG", "TMPDIR", "TERM"}) {
      from_here(name);
    }
    command.writable = {place.folder, "/tmp"};
    for (const char* name : {"HOME", "TMPDIR"}) {
      const char* folder = std::getenv(name);
      if (folder != nullptr && *folder == '/') {
        command.writable.emplace_back(folder);
      }
    }
    command.network = true;
    command.most = process::Isolation::partial;
    command.as_user = true;
  }
  for (const std::string& name : gate.env) {
    from_here(name.c_str());
  }
  const Result<process::Outcome> done = process::run(command);
  if (!done) {
    return workflow::gate_result(gate, {"failed", nullptr, done.error().message});
  }
  std::string text;
  json::Writer json(text);
  json.begin_object()
      .member("end", process::end_name(done.value().end))
      .key("exit_code")
      .integer(done.value().exit_code);
  if (done.value().signal != 0) {
    json.key("signal").integer(done.value().signal);
  }
  json.member("stdout", done.value().out.text()).member("stderr", done.value().err.text());
  json.member_uint("duration_ms", done.value().duration_ms).end_object();
  const run::Data value = run::Data::written(std::move(text));
  std::string report;
  if (!gate.report.empty()) {
    const Result<std::string> read = read_file(place.folder + "/" + gate.report, report_bytes_max);
    report = read ? read.value() : std::string();
  }
  return workflow::gate_result(gate, {"ok", &value.value()},
                               gate.report.empty() ? std::nullopt : std::optional<std::string_view>(report));
}

std::vector<workflow::GateResult> run_gates(const std::vector<workflow::Gate>& gates,
                                            const std::vector<std::string>& changed, const Place& place) {
  std::vector<workflow::GateResult> out;
  for (const std::uint32_t i : workflow::gates_for(gates, changed)) {
    const auto because = workflow::held_up_by(gates[i], out);
    out.push_back(because ? workflow::skipped_gate(gates[i], *because) : run_gate(gates[i], place));
  }
  return out;
}

// What a fresh copy needs before its gates run: `setup` of the declaration. Nothing: there is none, or it is done.
std::optional<workflow::GateResult> failed_setup(const WorkflowSection& section, const Place& place) {
  const command::DeclaredCommand* setup = command::find_command(section.commands, "setup");
  if (setup == nullptr || place.scratch.empty()) {
    return std::nullopt;
  }
  workflow::Gate gate;
  gate.name = "setup";
  gate.command = command::command_text(*setup);
  gate.argv = setup->argv;
  gate.env = setup->env;
  gate.writable = setup->writable;
  gate.network = setup->network;
  gate.timeout_ms = setup->time_ms;
  workflow::GateResult came = run_gate(gate, place);
  return came.passed() ? std::nullopt : std::optional(std::move(came));
}

contract::Verdict verdict_of(std::vector<contract::Finding> findings) {
  contract::Verdict out;
  out.contract = "workflow";
  out.findings = std::move(findings);
  workflow::settle(out);
  return out;
}

using FindingsByFile = std::map<std::string, std::vector<contract::Finding>>;

void add_gates(const std::vector<workflow::GateResult>& results, FindingsByFile& by_file) {
  for (const workflow::GateResult& one : results) {
    std::vector<contract::Finding>& list = by_file["gate " + one.gate];
    if (!one.passed()) {
      list.push_back(workflow::make_finding(
          "gate", one.required ? contract::Severity::error : contract::Severity::warning, contract::FindingClass::inner,
          "", "Gate " + one.gate, one.words + (one.output.empty() ? "" : "\n" + json::excerpt(one.output, 4'000))));
    }
  }
}

// Errors but for those of gates, a line each.
std::string feedback_of(const FindingsByFile& by_file) {
  std::string feedback;
  for (const auto& [file, findings] : by_file) {
    for (const contract::Finding& one : findings) {
      if (one.severity == contract::Severity::error && one.rule != "gate") {
        feedback += file + (one.span.line > 0 ? ":" + std::to_string(one.span.line) : "") + ": " + one.message + "\n";
      }
    }
  }
  return feedback;
}

}  // namespace

int run_workflow_check(const Arguments& arguments) {
  const Result<git::Checkout> checkout = git::find_checkout(repository_of(arguments), arguments.has("--repo"));
  if (!checkout) {
    return fail(checkout.error());
  }
  const Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  for (const std::string& one : work.value().told) {
    if (!arguments.has("--hook")) {  // an agent is told of its change alone
      note(one);
    }
  }
  const workflow::Repository& here = work.value().here();
  if (here.not_held) {
    return fail(*here.not_held);
  }
  Result<SeenChange> seen = see_change(arguments, checkout.value(), work.value());
  if (!seen) {
    return fail(seen.error());
  }
  const workflow::Changes& changes = seen.value().changes;
  const std::vector<std::string> paths = changes.paths();
  std::vector<workflow::FileFinding> found = std::move(seen.value().findings);
  const auto add = [&](std::vector<workflow::FileFinding> more) {
    found.insert(found.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  workflow::Task task;
  task.id = "check";
  for (const std::string& glob : arguments.list("--files")) {
    task.files.push_back({glob, workflow::Access::write});
  }
  if (!task.files.empty()) {
    std::vector<std::string> protect = here.section.protect;
    if (!here.section.protect_said) {
      protect.assign(workflow::protected_usual().begin(), workflow::protected_usual().end());
    }
    add(workflow::beyond_task(task, changes));
    add(workflow::protected_changes(task, protect, {}, changes));
  }
  const std::vector<workflow::Gate>& gates = here.section.gates;
  std::vector<workflow::GateResult> results;
  if (gates.empty()) {
    note(std::string(workflow::no_gates_warning));
  } else if (!arguments.has("--no-gates") && !paths.empty()) {
    Place place;
    place.folder = seen.value().folder;
    place.scratch = seen.value().scratch;
    place.isolated = arguments.has("--isolated");
    place.least = work.value().repositories.partial ? process::Isolation::partial : process::Isolation::full;
    std::optional<workflow::GateResult> setup = failed_setup(here.section, place);
    results = setup ? std::vector<workflow::GateResult>{std::move(*setup)} : run_gates(gates, paths, place);
  }
  FindingsByFile by_file;
  for (const std::string& path : paths) {
    by_file[path];
  }
  for (workflow::FileFinding& one : found) {
    by_file[one.path].push_back(std::move(one.finding));
  }
  const workflow::GatesVerdict gated = workflow::judge_gates(results);
  add_gates(results, by_file);
  if (arguments.has("--hook")) {
    std::string feedback = feedback_of(by_file);
    feedback += gated.passed ? "" : gated.feedback;
    if (feedback.empty()) {
      return exit_clean;
    }
    write_all(STDERR_FILENO, feedback);
    return exit_undecided;  // 2: what agents' hooks take as "not yet, and this is why"
  }
  Result<Report> report = report_for(arguments, true);
  if (!report) {
    return fail(report.error());
  }
  for (auto& [file, findings] : by_file) {
    const Result<bool> told = tell(report.value(), file, verdict_of(std::move(findings)), "");
    if (!told) {
      return fail(told.error());
    }
  }
  const Result<bool> finished = report.value().finish(nullptr);
  return finished ? report.value().exit_code() : fail(finished.error());
}

}  // namespace plumb::cli
