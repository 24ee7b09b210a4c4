// `plumb workflow check`: what is changed in a checkout, judged by gates, SOPs and scope, as a workflow judges it. For
// an agent's hook, before a commit, and in CI. It needs no store and no model.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

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
#include "native/cli/workflow_fix.hpp"
#include "native/cli/workflow_guard.hpp"
#include "native/cli/workflow_hook.hpp"
#include "native/cli/workflow_parts.hpp"
#include "native/cli/workflow_seen.hpp"
#include "native/cli/workflow_waivers.hpp"
#include "native/git/checkout.hpp"
#include "native/workflow/gate_runs.hpp"
#include "native/workflow/proofs.hpp"
#include "native/workflow/test_counts.hpp"
#include "native/workflow/waiver_file.hpp"

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

void add_gates(const std::vector<workflow::GateResult>& results, const Waivers& waivers, FindingsByFile& by_file) {
  for (const workflow::GateResult& one : results) {
    std::vector<contract::Finding>& list = by_file["gate " + one.gate];
    if (!one.passed()) {
      list.push_back(workflow::make_finding(
          "gate",
          one.required               ? contract::Severity::error
          : waivers.waives(one.gate) ? contract::Severity::info
                                     : contract::Severity::warning,
          contract::FindingClass::inner, "", "Gate " + one.gate,
          one.words +
              (one.output.empty() ? "" : "\n" + workflow::first_and_last(one.output, workflow::shown_output_max))));
    }
  }
}

// Gates that are not asked: a person skips them by a variable, or no changed file calls for them.
struct LeftOut {
  std::vector<std::string> by_variable, not_called;
};

// PLUMB_SKIP=lint,test
std::vector<std::string> skipped_gates() {
  const char* said = std::getenv("PLUMB_SKIP");
  std::vector<std::string> out;
  for (const std::string& one : git::pieces_of(said == nullptr ? "" : said, ',')) {
    const std::size_t from = std::min(one.find_first_not_of(" "), one.size());
    const std::size_t to = one.find_last_not_of(" ") + 1;
    if (from < to) {
      out.push_back(one.substr(from, to - from));
    }
  }
  return out;
}

bool in_ci() {
  const char* said = std::getenv("CI");
  const std::string_view value = said == nullptr ? "" : said;
  return !value.empty() && value != "false" && value != "0";
}

std::string skip_words(const std::string& gate) { return "gate '" + gate + "' was skipped: PLUMB_SKIP names it"; }

std::string uncalled_words(const std::string& gate) {
  return "gate '" + gate + "' was skipped: no changed file calls for it";
}

// In every format: a skipped gate has checked nothing.
void add_left_out(const LeftOut& left_out, FindingsByFile& by_file) {
  const auto add = [&](const std::string& gate, contract::Severity severity, const std::string& words) {
    by_file["gate " + gate].push_back(
        workflow::make_finding("gate-skipped", severity, contract::FindingClass::inner, "", "Gate " + gate, words));
  };
  for (const std::string& one : left_out.by_variable) {
    add(one, in_ci() ? contract::Severity::warning : contract::Severity::info, skip_words(one));
  }
  for (const std::string& one : left_out.not_called) {
    add(one, contract::Severity::info, uncalled_words(one));
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
  LeftOut left_out = {};
  Waivers waivers = {};

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
  std::vector<std::string> protects = workflow::protected_of(section);
  // What a person has trusted as it is, nobody needs to put back.
  std::vector<std::string> trusted = {"plumb.yaml", ".semspec/config.yaml", section.waivers};
  for (const std::string& path : trusted) {
    const std::optional<std::string> text = what.base.text_now(path);
    const std::string file = what.base.checkout.top + "/" + path;
    const auto says_as_trusted = [&](const workflow::TrustedSection& one) {
      return one.path == file && workflow::edit_of(one, text).empty();
    };
    const std::vector<workflow::TrustedSection>& sections = what.work.here().trusted;
    const bool as_trusted = text && std::any_of(sections.begin(), sections.end(), says_as_trusted);
    if (as_trusted || (text && workflow::text_is_trusted(what.base.checkout.top, path, *text))) {
      protects.erase(std::remove(protects.begin(), protects.end(), path), protects.end());
    }
  }
  add(workflow::protected_changes(what.task, protects, {}, what.changes, what.severity));
  const workflow::Guards guards =
      workflow::guards_of(section.gates, section.tests, [&](const std::string& path) { return what.base.text(path); });
  workflow::Changes changes = what.changes;
  for (const std::string& one : what.base.view.left_out()) {  // no gate in the checkout can read them
    workflow::Change gone;
    gone.path = one;
    gone.kind = workflow::ChangeKind::removed;
    changes.files.push_back(std::move(gone));
  }
  what.guarded = workflow::guarded_changes(
      what.task, guards, changes,
      [&](const std::string& path) { return std::pair(what.base.text(path), what.base.text_now(path)); },
      what.severity);
  add(what.guarded.findings);
  for (const std::string& gate : what.guarded.cut) {
    note("gate '" + gate + "' runs more files than are guarded; the others may change unseen");
  }
}

// Which gates are asked; the others are kept in `left_out`.
std::vector<std::uint32_t> called_gates(Judged& what) {
  const std::vector<workflow::Gate>& gates = what.section().gates;
  const std::vector<std::string> skipped = skipped_gates();
  const auto has = [](const auto& list, const auto& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  for (const std::string& one : skipped) {
    if (std::none_of(gates.begin(), gates.end(), [&](const workflow::Gate& gate) { return gate.name == one; })) {
      note("PLUMB_SKIP names '" + one + "', which is no gate");
    }
  }
  std::vector<std::string> paths = what.changes.paths();
  for (const std::string& one : what.base.view.repositories()) {
    std::replace(paths.begin(), paths.end(), one, one + "/");
  }
  std::vector<std::uint32_t> out, called = workflow::gates_for(gates, paths);
  for (std::uint32_t i = 0; i < gates.size(); ++i) {
    const bool no_files =
        workflow::takes_files(gates[i].argv) && workflow::files_of(gates[i], what.ground.changed).empty();
    if (has(skipped, gates[i].name)) {
      what.left_out.by_variable.push_back(gates[i].name);
    } else if (no_files || !has(called, i)) {
      what.left_out.not_called.push_back(gates[i].name);
    } else {
      out.push_back(i);
    }
  }
  const auto out_of = [&](const std::string& gate) {
    return has(what.left_out.by_variable, gate) || what.waivers.waives(gate);
  };
  std::vector<std::string>& again = what.guarded.again;
  again.erase(std::remove_if(again.begin(), again.end(), out_of), again.end());
  return out;
}

// The gates; once more with the guarded files of the base; and how many tests there were before.
Result<std::vector<workflow::GateResult>> judge_gates_of(Judged& what, std::vector<workflow::FileFinding>& found) {
  const std::vector<workflow::Gate>& gates = what.section().gates;
  const std::vector<std::uint32_t> which = called_gates(what);
  if (which.empty()) {
    return std::vector<workflow::GateResult>();
  }
  std::optional<workflow::GateResult> setup = workflow::failed_setup(what.ground);
  if (setup) {
    return std::vector<workflow::GateResult>{std::move(*setup)};
  }
  std::vector<workflow::GateResult> results = workflow::run_gates(what.ground, which);
  what.waivers.apply(results);
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

// What people see beside what must be mended: what was skipped, and what is waived.
std::vector<std::string> beside_findings(const Judged& judged) {
  std::vector<std::string> out;
  for (const std::string& one : judged.left_out.by_variable) {
    out.push_back(skip_words(one));
  }
  out.insert(out.end(), judged.waivers.told.begin(), judged.waivers.told.end());
  return out;
}

int answer_hook(const AgentSays& agent, const std::string& feedback, const Judged& judged,
                const std::vector<std::string>& fixes) {
  std::vector<std::string> lines = beside_findings(judged);
  lines.insert(lines.end(), fixes.begin(), fixes.end());
  std::string for_user;
  for (const std::string& one : lines) {
    for_user += (for_user.empty() ? "" : "\n") + one;
  }
  return answer_agent(agent, feedback, for_user);
}

// --fix, and what came of it.
Result<std::vector<std::string>> fix_first(const Arguments& arguments, const git::Checkout& checkout,
                                           const ReadyWork& work) {
  std::vector<std::string> told;
  const Result<bool> fixed =
      arguments.has("--fix") ? fix_changes(arguments, checkout, work, skipped_gates(), told) : Result<bool>(false);
  for (const std::string& one : told) {
    if (!arguments.has("--hook")) {
      note(one);
    }
  }
  return fixed ? Result<std::vector<std::string>>(std::move(told)) : Result<std::vector<std::string>>(fixed.error());
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
  const Result<std::vector<std::string>> fixes = fix_first(arguments, checkout.value(), work.value());
  if (!fixes) {
    return trouble(fixes.error());
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
  judged.ground.changed = judged.changes.present();
  judged.task = task_of(arguments);
  judged.severity = guard_severity(arguments, here.section);
  std::vector<workflow::FileFinding> found = std::move(seen.value().findings);
  judged.waivers = waivers_of(base, here.section, seen.value().sops, judged.severity, hook);
  std::move(judged.waivers.findings.begin(), judged.waivers.findings.end(), std::back_inserter(found));
  for (const workflow::Gate& one : here.section.gates) {
    if (judged.waivers.waives(one.name)) {
      judged.ground.waived.push_back(one.name);
    }
  }
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
  judged.waivers.apply(found);
  FindingsByFile by_file;
  for (const std::string& path : paths) {
    by_file[path];
  }
  for (workflow::FileFinding& one : found) {
    by_file[one.path].push_back(std::move(one.finding));
  }
  const workflow::GatesVerdict gated = workflow::judge_gates(results.value());
  add_gates(results.value(), judged.waivers, by_file);
  add_left_out(judged.left_out, by_file);
  if (arguments.text("--format") == "llm") {  // the format has what a model must mend, and nothing else
    for (const std::string& one : judged.left_out.not_called) {
      note(uncalled_words(one));
    }
    for (const std::string& one : beside_findings(judged)) {
      note(one);
    }
  }
  if (hook) {
    return answer_hook(agent, feedback_of(by_file) + (gated.passed ? "" : gated.feedback), judged, fixes.value());
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
