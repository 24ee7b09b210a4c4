// `plumb workflow check`: what is changed in a checkout, judged by gates, SOPs and scope, as a workflow judges it. For
// an agent's hook, before a commit, and in CI. It needs no store and no model.
#include <unistd.h>

#include <algorithm>
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
#include "native/workflow/gate_runs.hpp"
#include "native/workflow/proofs.hpp"
#include "native/workflow/test_counts.hpp"

namespace plumb::cli {

namespace {

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
          "", "Gate " + one.gate,
          one.words +
              (one.output.empty() ? "" : "\n" + workflow::first_and_last(one.output, workflow::shown_output_max))));
    }
  }
}

// A copy of what is judged, gone afterwards.
struct Copy {
  workflow::GateGround ground;
  ~Copy() { command::WorkFolders::remove(ground.scratch); }
};

// Runs gates on copies of what is judged, as they were run on it.
RunIn in_copies(const CheckBase& base, const workflow::GateGround& ground) {
  return [&base, &ground](const std::vector<std::uint32_t>& which,
                          const auto& lay) -> Result<std::vector<workflow::GateResult>> {
    const bool in_checkout = ground.scratch.empty();
    Copy copy{ground};
    copy.ground.scratch = base.view.scratch() + "/again";
    const Result<std::string> folder =
        lay_out_copy(base, ground.section, copy.ground.scratch, in_checkout ? Bring::all : bring_of(ground.isolation));
    if (!folder) {
      return folder.error();
    }
    copy.ground.folder = folder.value();
    if (const Result<bool> laid = lay(copy.ground.folder); !laid) {
      return laid.error();
    }
    std::optional<workflow::GateResult> setup = in_checkout ? std::nullopt : workflow::failed_setup(copy.ground);
    return setup ? std::vector<workflow::GateResult>{std::move(*setup)} : workflow::run_gates(copy.ground, which);
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
  workflow::GateGround ground;
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
    add(workflow::beyond_files(task, section.tests, what.changes, contract::Severity::error));
  }
  add(workflow::protected_changes(what.task, workflow::protected_of(section), {}, what.changes, what.severity));
  const workflow::Guards guards =
      workflow::guards_of(section.gates, section.tests, [&](const std::string& path) { return what.base.text(path); });
  what.guarded = workflow::guarded_changes(
      what.task, guards, what.changes,
      [&](const std::string& path) { return std::pair(what.base.text(path), what.base.text_now(path)); },
      what.severity);
  add(what.guarded.findings);
  for (const std::string& gate : what.guarded.cut) {
    note("gate '" + gate + "' runs more files than are guarded; the others may change unseen");
  }
}

// The gates; once more with the guarded files of the base; and how many tests there were before.
Result<std::vector<workflow::GateResult>> judge_gates_of(const Judged& what,
                                                         std::vector<workflow::FileFinding>& found) {
  const std::vector<workflow::Gate>& gates = what.section().gates;
  std::optional<workflow::GateResult> setup = workflow::failed_setup(what.ground);
  if (setup) {
    return std::vector<workflow::GateResult>{std::move(*setup)};
  }
  std::vector<workflow::GateResult> results =
      workflow::run_gates(what.ground, workflow::gates_for(gates, what.changes.paths()));
  const bool in_checkout = what.ground.scratch.empty();
  Compared compared;
  if (workflow::judge_gates(results).passed) {
    compared = compare_with_base(what.base, what.guarded, gates, what.severity, in_checkout,
                                 in_copies(what.base, what.ground));
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

// When the gates were proven to notice a break.
std::string told_proofs(const Judged& what) {
  std::string proven, never;
  for (const workflow::GateProof& one : workflow::kept_proofs(what.at(), what.section().gates)) {
    std::string& list = one.proof == workflow::Proof::proven ? proven : never;
    list += (list.empty() ? "" : ", ") + one.gate;
    list += one.proof == workflow::Proof::proven   ? " on " + workflow::day_of(one.at_ms)
            : one.proof == workflow::Proof::hollow ? " (hollow on " + workflow::day_of(one.at_ms) + ")"
                                                   : "";
  }
  return (proven.empty() ? "" : "gates proven: " + proven) + (proven.empty() || never.empty() ? "" : "; ") +
         (never.empty() ? "" : "gates not proven: " + never + " (plumb workflow prove)");
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
  remove_views_on_signals();
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
  Judged judged{work.value(),
                seen.value().changes,
                base,
                {here.section, seen.value().folder, seen.value().scratch, seen.value().isolation}};
  judged.task = task_of(arguments);
  judged.severity = guard_severity(arguments, here.section);
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
  if (!hook && !results.value().empty() && !arguments.has("--quiet")) {
    note(told_proofs(judged));
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
