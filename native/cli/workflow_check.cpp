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
#include "native/cli/workflow_guard.hpp"
#include "native/cli/workflow_hook.hpp"
#include "native/cli/workflow_parts.hpp"
#include "native/cli/workflow_seen.hpp"
#include "native/git/checkout.hpp"
#include "native/process/command.hpp"
#include "native/workflow/test_counts.hpp"

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
  const ReportFile written(place.folder + "/" + gate.report);
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
  std::optional<std::string> report;
  if (!gate.report.empty() && written.is_fresh()) {
    const Result<std::string> read = read_file(place.folder + "/" + gate.report, report_bytes_max);
    report = read ? read.value() : std::string();
  }
  return workflow::gate_result(gate, {"ok", &value.value()}, report);
}

std::vector<workflow::GateResult> run_gates(const std::vector<workflow::Gate>& gates,
                                            const std::vector<std::uint32_t>& which, const Place& place) {
  std::vector<workflow::GateResult> out;
  for (const std::uint32_t i : which) {
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

// A copy of what is judged, gone afterwards.
struct Copy {
  Place place;
  ~Copy() { command::WorkFolders::remove(place.scratch); }
};

// Runs gates on copies of what is judged, as they were run on it.
RunIn in_copies(const CheckBase& base, const WorkflowSection& section, const Place& place, bool bring) {
  return [&base, &section, &place, bring](const std::vector<std::uint32_t>& which,
                                          const auto& lay) -> Result<std::vector<workflow::GateResult>> {
    Copy copy{place};
    copy.place.scratch = base.view.scratch() + "/again";
    copy.place.folder = copy.place.scratch + "/tree";
    for (const char* inner : {"/tree", "/home", "/tmp"}) {
      if (const Result<bool> made = command::WorkFolders::make(copy.place.scratch + inner); !made) {
        return made.error();
      }
    }
    if (const Result<bool> laid = base.view.lay_out(copy.place.folder); !laid) {
      return laid.error();
    }
    if (bring) {
      bring_ignored(base, copy.place.folder);
    }
    if (const Result<bool> laid = lay(copy.place.folder); !laid) {
      return laid.error();
    }
    std::optional<workflow::GateResult> setup = bring ? std::nullopt : failed_setup(section, copy.place);
    return setup ? std::vector<workflow::GateResult>{std::move(*setup)} : run_gates(section.gates, which, copy.place);
  };
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

// What is judged, and by what.
struct Judged {
  const ReadyWork& work;
  const workflow::Changes& changes;
  const CheckBase& base;
  Place place = {};
  workflow::Task task = {};                                   // of --files; without files: no task
  contract::Severity severity = contract::Severity::warning;  // of guarded files
  workflow::Guarded guarded = {};

  const WorkflowSection& section() const { return work.here().section; }
  workflow::DeclaredAt at() const {
    workflow::DeclaredAt out = work.repositories.at(work.here());
    out.repository = base.checkout.top;
    return out;
  }
};

// Scope, protected files, files that gates run, tests.
void judge_scope(Judged& what, std::vector<workflow::FileFinding>& found) {
  const auto add = [&](std::vector<workflow::FileFinding> more) {
    found.insert(found.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  const WorkflowSection& section = what.section();
  if (!what.task.files.empty()) {
    workflow::Task task = what.task;
    task.id = "check";
    std::vector<std::string> protect = section.protect;
    if (!section.protect_said) {
      protect.assign(workflow::protected_configuration().begin(), workflow::protected_configuration().end());
    }
    add(workflow::beyond_files(task, section.tests, what.changes, contract::Severity::error));
    add(workflow::protected_changes(task, protect, {}, what.changes));
  }
  const workflow::Guards guards =
      workflow::guards_of(section.gates, section.tests, [&](const std::string& path) { return what.base.text(path); });
  what.guarded = workflow::guarded_changes(
      what.task, guards, what.changes,
      [&](const std::string& path) { return std::pair(what.base.text(path), what.base.text_now(path)); },
      what.severity);
  add(what.guarded.findings);
}

// The gates; once more with the guarded files of the base; and how many tests there were before.
Result<std::vector<workflow::GateResult>> judge_gates_of(const Judged& what,
                                                         std::vector<workflow::FileFinding>& found) {
  const std::vector<workflow::Gate>& gates = what.section().gates;
  std::optional<workflow::GateResult> setup = failed_setup(what.section(), what.place);
  if (setup) {
    return std::vector<workflow::GateResult>{std::move(*setup)};
  }
  std::vector<workflow::GateResult> results =
      run_gates(gates, workflow::gates_for(gates, what.changes.paths()), what.place);
  const bool in_checkout = what.place.scratch.empty();
  Compared compared;
  if (workflow::judge_gates(results).passed) {
    compared = compare_with_base(what.base, what.guarded, gates, what.severity, in_checkout,
                                 in_copies(what.base, what.section(), what.place, in_checkout));
    std::move(compared.findings.begin(), compared.findings.end(), std::back_inserter(found));
  }
  if (std::any_of(gates.begin(), gates.end(), [](const workflow::Gate& one) { return !one.report.empty(); })) {
    std::vector<workflow::GateResult> before = workflow::kept_counts(what.at(), what.base.tree(), gates);
    before.insert(before.end(), compared.results.begin(), compared.results.end());  // where none is kept
    workflow::AgainstBase how(workflow::BaseFailures::refuse);
    how.tests_named = workflow::names_tests(what.task, what.section().tests);
    results = workflow::against_base(what.task, before, std::move(results), how);
    for (const workflow::GateResult& one : results) {
      const bool known = std::any_of(before.begin(), before.end(), [&](const workflow::GateResult& its) {
        return its.gate == one.gate && its.tests;
      });
      if (one.tests && !known) {
        compared.told.push_back("how many tests gate '" + one.gate + "' ran before the change is not known");
      }
    }
    const std::string tree = workflow::judge_gates(results).passed ? what.base.view.tree() : std::string();
    const Result<bool> kept =
        tree.empty() ? Result<bool>(false) : workflow::keep_counts(what.at(), tree, gates, results);
    if (!kept) {
      compared.told.push_back(error_line(kept.error()));
    }
  }
  for (const std::string& one : compared.told) {
    note(one);
  }
  return results;
}

// The checkout; of an agent that is at work in none, the one that it names.
Result<git::Checkout> checkout_for(const Arguments& arguments, const AgentSays& agent) {
  const bool named = arguments.has("--repo");
  Result<git::Checkout> out = git::find_checkout(repository_of(arguments), named);
  if (!out && !named && !agent.folder.empty() && ::chdir(agent.folder.c_str()) == 0) {
    out = git::find_checkout(repository_of(arguments), named);
  }
  return out;
}

}  // namespace

int run_workflow_check(const Arguments& arguments) {
  const bool hook = arguments.has("--hook");
  const AgentSays agent = hook ? read_agent() : AgentSays();
  const auto trouble = [&](const Error& error) { return hook ? tell_user(error) : fail(error); };
  const Result<git::Checkout> checkout = checkout_for(arguments, agent);
  if (!checkout) {
    return trouble(checkout.error());
  }
  const Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  for (const std::string& one : work.value().told) {
    if (!hook) {  // an agent is told of its change alone
      note(one);
    }
  }
  const workflow::Repository& here = work.value().here();
  if (here.not_held) {
    return here.never_trusted ? trouble(*here.not_held) : fail(*here.not_held);
  }
  Result<SeenChange> seen = see_change(arguments, checkout.value(), work.value());
  if (!seen) {
    return fail(seen.error());
  }
  const CheckBase base{checkout.value(), seen.value().view, seen.value().base};
  Judged judged{work.value(), seen.value().changes, base};
  for (const std::string& glob : arguments.list("--files")) {
    judged.task.files.push_back({glob, workflow::Access::write});
  }
  const bool strict = hook || !judged.task.files.empty() || here.section.strict;
  judged.severity = strict ? contract::Severity::error : contract::Severity::warning;
  judged.place.folder = seen.value().folder;
  judged.place.scratch = seen.value().scratch;
  judged.place.isolated = arguments.has("--isolated");
  judged.place.least = work.value().repositories.partial ? process::Isolation::partial : process::Isolation::full;
  std::vector<workflow::FileFinding> found = std::move(seen.value().findings);
  judge_scope(judged, found);
  const std::vector<std::string> paths = judged.changes.paths();
  Result<std::vector<workflow::GateResult>> results = std::vector<workflow::GateResult>();
  if (here.section.gates.empty()) {
    note(std::string(workflow::no_gates_warning));
  } else if (!arguments.has("--no-gates") && !paths.empty()) {
    results = judge_gates_of(judged, found);
  }
  if (!results) {
    return trouble(results.error());
  }
  FindingsByFile by_file;
  for (const std::string& path : paths) {
    by_file[path];
  }
  for (workflow::FileFinding& one : found) {
    by_file[one.path].push_back(std::move(one.finding));
  }
  const workflow::GatesVerdict gated = workflow::judge_gates(results.value());
  add_gates(results.value(), by_file);
  if (hook) {
    return answer_agent(agent, feedback_of(by_file) + (gated.passed ? "" : gated.feedback), "");
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
