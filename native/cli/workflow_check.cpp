// `plumb workflow check`: what is changed in a checkout, judged by gates, SOPs and scope, as a workflow judges it. For
// an agent's hook, before a commit, and in CI. It needs no store and no model.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

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
#include "native/process/command.hpp"
#include "native/workflow/test_counts.hpp"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t untracked_bytes_max = std::uint64_t{1} << 20U;
constexpr std::size_t untracked_max = 2'000;
constexpr std::uint64_t report_bytes_max = std::uint64_t{16} << 20U;

std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\0', from), text.size());
    out.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

// A file that git does not know yet, as a patch that adds it.
std::string added_patch(const std::string& path, const std::string& text) {
  const bool binary = text.find('\0') != std::string::npos;
  std::string out = "diff --git a/" + path + " b/" + path + "\nnew file mode 100644\n";
  if (binary) {
    return out + "Binary files /dev/null and b/" + path + " differ\n";
  }
  if (text.empty()) {
    return out;
  }
  const bool ends = text.back() == '\n';
  const auto lines = std::count(text.begin(), text.end(), '\n') + (ends ? 0 : 1);
  out += "--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1," + std::to_string(lines) + " @@\n";
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    out += "+" + text.substr(from, end - from) + "\n";
    from = end + 1;
  }
  return ends ? out : out + "\\ No newline at end of file\n";
}

// What is changed: in the index, since a base, or in the checkout with files that git does not know yet.
Result<workflow::Changes> changed_in(const Arguments& arguments, const std::string& folder) {
  std::vector<std::string> words = {"diff",         "--no-color",   "--no-ext-diff",   "--no-textconv",
                                    "--no-renames", "--full-index", "--src-prefix=a/", "--dst-prefix=b/"};
  if (arguments.has("--staged")) {
    words.emplace_back("--cached");
  } else if (arguments.has("--base")) {
    const std::string base = arguments.text("--base");
    if (base.empty() || base.front() == '-') {
      return Error{ErrorCode::invalid_argument, "names no commit", "--base", 0, 0};
    }
    const Result<std::string> common = git_says(folder, {"merge-base", base, "HEAD"});
    if (!common) {
      return common.error();
    }
    words.push_back(common.value().substr(0, common.value().find('\n')));
  } else {
    const Result<std::string> head = git_says(folder, {"rev-parse", "--verify", "-q", "HEAD"});
    words.emplace_back(head ? "HEAD" : "4b825dc642cb6eb9a060e54bf8d69288fbee4904");  // the empty tree
  }
  words.emplace_back("--");
  Result<std::string> patch = git_says(folder, words);
  if (!patch) {
    return patch.error();
  }
  std::string text = std::move(patch).value();
  if (!arguments.has("--staged")) {
    const Result<std::string> others = git_says(folder, {"ls-files", "--others", "--exclude-standard", "-z"});
    if (!others) {
      return others.error();
    }
    std::size_t count = 0;
    for (const std::string& path : pieces_of(others.value())) {
      const Result<std::string> file = read_file(folder + "/" + path, untracked_bytes_max);
      if (++count <= untracked_max) {
        text += file ? added_patch(path, file.value()) : added_patch(path, std::string(1, '\0'));
      }
    }
  }
  return workflow::read_changes(text);
}

// The files that are to be gated, in a folder of their own.
Result<bool> lay_out(const Arguments& arguments, const std::string& from, const std::string& to) {
  if (arguments.has("--staged")) {
    const Result<std::string> done = git_says(from, {"checkout-index", "--all", "--prefix=" + to + "/"});
    return done ? Result<bool>(true) : Result<bool>(done.error());
  }
  const Result<std::string> listed = git_says(from, {"ls-files", "--cached", "--others", "--exclude-standard", "-z"});
  if (!listed) {
    return listed.error();
  }
  std::error_code error;
  for (const std::string& path : pieces_of(listed.value())) {
    const fs::path target = fs::path(to) / path;
    fs::create_directories(target.parent_path(), error);
    fs::copy(fs::path(from) / path, target, fs::copy_options::copy_symlinks, error);
  }
  return true;
}

struct Place {
  std::string folder;   // where gates are run
  std::string scratch;  // of ours, gone afterwards
  bool isolated = false;
  process::Isolation least = process::Isolation::full;
  ~Place() {
    if (!scratch.empty()) {
      command::WorkFolders::remove(scratch);
    }
  }
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

contract::Verdict verdict_of(std::vector<contract::Finding> findings) {
  contract::Verdict out;
  out.contract = "workflow";
  out.findings = std::move(findings);
  workflow::settle(out);
  return out;
}

// A copy of the tree in a folder of its own, for gates that see nothing else.
std::optional<Error> isolate(const Arguments& arguments, const std::string& root, Place& place) {
  std::string scratch = (fs::temp_directory_path() / "plumb-check-XXXXXX").string();
  if (::mkdtemp(scratch.data()) == nullptr) {
    return Error{ErrorCode::unavailable, "no folder can be made", scratch, 0, 0};
  }
  place.scratch = scratch;
  place.folder = scratch + "/tree";
  place.isolated = true;
  for (const char* inner : {"/tree", "/home", "/tmp"}) {
    if (const Result<bool> made = command::WorkFolders::make(scratch + inner); !made) {
      return made.error();
    }
  }
  if (const Result<bool> out = lay_out(arguments, root, place.folder); !out) {
    return out.error();
  }
  return std::nullopt;
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

// Runs gates on copies of what is judged, as they were run on it.
RunIn in_copies(const Arguments& arguments, const CheckBase& base, const std::vector<workflow::Gate>& gates,
                process::Isolation least) {
  return [&arguments, &base, &gates, least](const std::vector<std::uint32_t>& which,
                                            const auto& lay) -> Result<std::vector<workflow::GateResult>> {
    Place copy;
    copy.least = least;
    if (std::optional<Error> wrong = isolate(arguments, base.root, copy)) {
      return *wrong;
    }
    copy.isolated = arguments.has("--isolated");
    if (!copy.isolated) {
      bring_ignored(base, copy.folder);
    }
    if (const Result<bool> laid = lay(copy.folder); !laid) {
      return laid.error();
    }
    return run_gates(gates, which, copy);
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
  const Arguments& arguments;
  const ReadyWork& work;
  const workflow::Changes& changes;
  const CheckBase& base;
  workflow::Task task = {};                                   // of --files; without files: no task
  contract::Severity severity = contract::Severity::warning;  // of guarded files
  workflow::Guarded guarded = {};

  const WorkflowSection& section() const { return work.here().section; }
  workflow::DeclaredAt at() const {
    workflow::DeclaredAt out = work.repositories.at(work.here());
    out.repository = base.root;
    return out;
  }
};

// SOPs, scope, protected files, files that gates run, tests.
Result<std::vector<workflow::FileFinding>> judge_files(Judged& what) {
  const Result<std::vector<workflow::SopFile>> files = workflow::sop_files(what.section(), what.at());
  if (!files) {
    return files.error();
  }
  const workflow::SopLibrary library = workflow::read_sops(files.value());
  std::vector<workflow::FileFinding> found = library.findings;
  const auto add = [&](std::vector<workflow::FileFinding> more) {
    found.insert(found.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  const std::vector<std::string> paths = what.changes.paths();
  for (const workflow::Sop* sop : workflow::sops_for(library.sops, paths, workflow::SopScope::code)) {
    add(workflow::check_patterns(*sop, what.changes));
  }
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
  return found;
}

// The gates; once more with the guarded files of the base; and how many tests there were before.
Result<std::vector<workflow::GateResult>> judge_gates_of(const Judged& what,
                                                         std::vector<workflow::FileFinding>& found) {
  const std::vector<workflow::Gate>& gates = what.section().gates;
  Place place;
  place.folder = what.base.root;
  place.least = what.work.repositories.partial ? process::Isolation::partial : process::Isolation::full;
  const bool isolated = what.arguments.has("--isolated");
  if (std::optional<Error> wrong = isolated ? isolate(what.arguments, what.base.root, place) : std::nullopt) {
    return *wrong;
  }
  std::vector<workflow::GateResult> results = run_gates(gates, workflow::gates_for(gates, what.changes.paths()), place);
  Compared compared;
  if (workflow::judge_gates(results).passed) {
    compared = compare_with_base(what.base, what.guarded, gates, what.severity, !isolated,
                                 in_copies(what.arguments, what.base, gates, place.least));
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
    const std::string tree = workflow::judge_gates(results).passed ? what.base.tree_now() : std::string();
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

// The folder of the repository's work tree; of an agent that is at work in none, the one that it says.
Result<std::string> checked_root(const Arguments& arguments, const AgentSays& agent) {
  Result<std::string> top = git_says(repository_of(arguments), {"rev-parse", "--show-toplevel"});
  if (!top && !arguments.has("--repo") && !agent.folder.empty() && ::chdir(agent.folder.c_str()) == 0) {
    top = git_says(repository_of(arguments), {"rev-parse", "--show-toplevel"});
  }
  if (!top) {
    return Error{ErrorCode::invalid_argument, "is in no git repository", repository_of(arguments), 0, 0};
  }
  return top.value().substr(0, top.value().find('\n'));
}

}  // namespace

int run_workflow_check(const Arguments& arguments) {
  const bool hook = arguments.has("--hook");
  const AgentSays agent = hook ? read_agent() : AgentSays();
  const auto trouble = [&](const Error& error) { return hook ? tell_user(error) : fail(error); };
  const Result<std::string> root = checked_root(arguments, agent);
  if (!root) {
    return trouble(root.error());
  }
  const Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  for (const std::string& one : work.value().told) {
    note(one);
  }
  const workflow::Repository& here = work.value().here();
  if (here.not_held) {
    return here.never_trusted ? trouble(*here.not_held) : fail(*here.not_held);
  }
  const Result<workflow::Changes> changes = changed_in(arguments, root.value());
  if (!changes) {
    return fail(changes.error());
  }
  const Result<CheckBase> base = check_base(root.value(), arguments.text("--base"), arguments.has("--staged"));
  if (!base) {
    return trouble(base.error());
  }
  Judged judged{arguments, work.value(), changes.value(), base.value()};
  for (const std::string& glob : arguments.list("--files")) {
    judged.task.files.push_back({glob, workflow::Access::write});
  }
  const bool strict = hook || !judged.task.files.empty() || here.section.strict;
  judged.severity = strict ? contract::Severity::error : contract::Severity::warning;
  Result<std::vector<workflow::FileFinding>> found = judge_files(judged);
  if (!found) {
    return fail(found.error());
  }
  const std::vector<std::string> paths = changes.value().paths();
  Result<std::vector<workflow::GateResult>> results = std::vector<workflow::GateResult>();
  if (here.section.gates.empty()) {
    note(std::string(workflow::no_gates_warning));
  } else if (!arguments.has("--no-gates") && !paths.empty()) {
    results = judge_gates_of(judged, found.value());
  }
  if (!results) {
    return trouble(results.error());
  }
  FindingsByFile by_file;
  for (const std::string& path : paths) {
    by_file[path];
  }
  for (workflow::FileFinding& one : found.value()) {
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
