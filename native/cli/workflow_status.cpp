// `plumb workflow trust | status | diff | land | clean | sops | conventions`: what is declared, what became of
// it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "core/contract/render_place.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/outcomes.hpp"
#include "core/workflow/convention.hpp"
#include "core/workflow/gates.hpp"
#include "core/workflow/sop.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/trust_yes.hpp"
#include "native/cli/workflow_parts.hpp"
#include "native/config/trust.hpp"
#include "native/git/checkout.hpp"
#include "native/outcome/outcome_table.hpp"
#include "native/workflow/results.hpp"
#include "native/workflow/waiver_file.hpp"

namespace plumb::cli {

namespace {

using json::text_of;

// `code`: what a command ends with that shows it.
Result<run::Data> view_of(const Arguments& arguments, std::string& id, int* code = nullptr) {
  const Result<run::Journal> journal = workflow_journal(arguments, id);
  if (!journal) {
    return journal.error();
  }
  if (code != nullptr) {
    const bool ended = journal.value().entries().back().kind == run::EntryKind::end;
    *code = ended ? outcome::row_of(pipelines::outcome_of(journal.value()).came_to).exit_code : exit_undecided;
  }
  return run::Data::written(pipelines::known_pipeline("workflow")->view(journal.value()));
}

// What git says in the checkout that the command works on.
Result<std::string> git_says(const Arguments& arguments, std::vector<std::string> words) {
  const Result<git::Checkout> checkout = git::find_checkout(repository_of(arguments), arguments.has("--repo"));
  return checkout ? checkout.value().says(std::move(words)) : checkout.error();
}

std::string status_text_of(const run::Data& view) {
  const json::Value& value = view.value();
  std::string out = "run " + std::string(text_of(value, "run_id")) + ": " + std::string(text_of(value, "status"));
  out += ", " + std::string(text_of(value, "title")) + ", branch " + std::string(text_of(value, "branch")) + "\n";
  for (const json::Value& task : json::list_of(value, "tasks")) {
    out += "  " + std::string(text_of(task, "id")) + "  " + std::string(text_of(task, "state")) + "  " +
           std::to_string(json::number_of(task, "runs")) + " developer runs, " +
           std::to_string(json::number_of(task, "reviews")) + " reviews  " + std::string(text_of(task, "why")) + "\n";
    const auto rounds = json::list_of(task, "rounds");
    if (rounds.empty()) {
      continue;
    }
    for (const json::Value& gate : json::list_of(rounds.back(), "gates")) {
      out += "      " + std::string(text_of(gate, "words")) + "\n";
    }
    if (const json::Value* review = rounds.back().find("review")) {
      for (const std::string& one : json::texts_of(*review, "unverified")) {
        out += "      unverified: " + one + "\n";
      }
      for (const std::string& one : json::texts_of(*review, "open")) {
        out += "      open: " + one + "\n";
      }
    }
  }
  if (const json::Value* asks = value.find("asks")) {
    out += "it waits: " + std::string(text_of(*asks, "question")) + "\n";
  }
  if (value.find("decision") != nullptr) {
    out += "decision: " + std::string(text_of(value, "decision")) + "\n";
  }
  if (value.find("error") != nullptr) {
    out += "error: " + std::string(text_of(value, "error")) + "\n";
  }
  return out;
}

}  // namespace

int run_workflow_trust(const Arguments& arguments) {
  const std::string folder = git::top_of(repository_of(arguments));
  std::vector<ConfigFile> files;
  for (const char* name : {"/plumb.yaml", "/plumb.yml", "/.semspec/config.yaml"}) {
    // What is gone is trusted no more once that is said.
    ConfigFile gone;
    gone.path = folder + name;
    if (kept_trust(gone.path) && ::access(gone.path.c_str(), F_OK) != 0 &&
        (arguments.has("--forget") || arguments.has("--yes"))) {
      if (const Result<bool> done = set_trust(gone, false); !done) {
        return fail(done.error());
      }
      note(gone.path + " is gone and no longer trusted");
    }
  }
  if (const std::string path = find_config_file(arguments.config_folder()); !path.empty()) {
    Result<ConfigFile> read = read_config_file(path);
    if (!read) {
      return fail(read.error());
    }
    files.push_back(std::move(read).value());
  }
  Result<ConfigFile> semspec = workflow::semspec_config(folder);
  if (!semspec) {
    return fail(semspec.error());
  }
  if (!semspec.value().path.empty()) {
    files.push_back(std::move(semspec).value());
  }
  const WorkflowSection section = files.empty() ? WorkflowSection() : files.front().workflow;
  files.push_back(workflow::proposed_waivers(folder, section.waivers));
  int code = exit_clean;
  bool any = false;
  for (const ConfigFile& one : files) {
    if (one.proposals.empty()) {
      if (kept_trust(one.path) && (arguments.has("--forget") || arguments.has("--yes"))) {
        if (const Result<bool> done = set_trust(one, false); !done) {
          return fail(done.error());
        }
        note(one.path + " proposes nothing any more, and what it proposed is no longer trusted");
      }
      continue;
    }
    any = true;
    std::string text = contract::shown(one.path, false) + " proposes:\n";
    for (const ConfigFile::Proposal& proposal : one.proposals) {
      text += "  " + contract::shown(proposal.name, false) + " (line " + std::to_string(proposal.line) + ")\n      " +
              contract::shown(proposal.text, false) + "\n";
    }
    write_all(STDOUT_FILENO, text);
    if (trusted_as_it_is(one) && !arguments.has("--forget")) {
      note("you trust it as it is");
      continue;
    }
    const bool yes = !arguments.has("--forget") && lets_it_hold(arguments);
    if (!yes && !arguments.has("--forget")) {
      code = exit_findings;
      continue;
    }
    if (const Result<bool> done = set_trust(one, yes); !done) {
      return fail(done.error());
    }
    note(yes ? "it holds, until it proposes something else" : "it holds no more");
  }
  if (!any) {
    note("nothing is proposed for this repository");
  }
  return code;
}

int run_workflow_status(const Arguments& arguments) {
  std::string id;
  int code = exit_undecided;
  const Result<run::Data> view = view_of(arguments, id, &code);
  if (!view) {
    return fail(view.error());
  }
  const int written =
      print(arguments.has("--json") ? std::string(view.value().text()) + "\n" : status_text_of(view.value()));
  return std::max(written, code);
}

int run_workflow_diff(const Arguments& arguments) {
  std::string id;
  const Result<run::Data> view = view_of(arguments, id);
  if (!view) {
    return fail(view.error());
  }
  Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  const Result<run::Journal> journal = workflow_journal(arguments, id);
  if (!journal) {
    return fail(journal.error());
  }
  const std::optional<workflow::Commits> change =
      workflow::commits_of(journal.value(), view.value().value(), arguments.text("--task"));
  if (!change) {
    return fail(Error{ErrorCode::not_found, "nothing was changed yet", "run " + id, 0, 0});
  }
  const Result<run::Data> diff = workflow::diff_of(*work.value().worktree, id, "here", *change);
  return diff ? print(text_of(diff.value().value(), "patch")) : fail(diff.error());
}

int run_workflow_land(const Arguments& arguments) {
  std::string id;
  const Result<run::Data> view = view_of(arguments, id);
  if (!view) {
    return fail(view.error());
  }
  Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  const std::string branch = arguments.text("--onto", "main");
  const bool passes = arguments.text("--on-unverified", work.value().here().section.on_unverified) == "pass";
  const Result<workflow::Landing> landing =
      workflow::land(*work.value().worktree, view.value().value(), "here", branch, passes);
  if (!landing) {
    return fail(landing.error());
  }
  using How = workflow::Landing::How;
  const workflow::Landing& came = landing.value();
  switch (came.how) {
    case How::landed:
      return print("landed on " + branch + "\n");
    case How::not_ended:
      return fail(Error{ErrorCode::invalid_argument, came.why, "run " + id, 0, 0});
    case How::not_approved:
      note(came.why + " (plumb workflow status " + id + ")");
      return exit_findings;
    case How::unverified:
      note(came.why + ": look at it (plumb workflow diff " + id + "), and say --on-unverified pass");
      return exit_undecided;
    case How::refused:
      note(came.why);
      break;
  }
  return came.command.empty() ? exit_undecided : std::max(print(came.command + "\n"), exit_undecided);
}

namespace {

// Folders of runs that are over. What lies in them and in no commit is committed before they go.
int clean_folders(const Arguments& arguments, store::Store& store) {
  Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  std::vector<std::string> runs;
  std::error_code error;
  const std::string trees = work.value().folders->base() + "/trees";
  for (std::filesystem::directory_iterator at(trees, error), end; !error && at != end; at.increment(error)) {
    const Result<store::RunRow> row = store.find(at->path().filename().string());
    const run::State state = row ? row.value().state : run::State::waiting;
    if (state != run::State::waiting) {
      runs.push_back(at->path().filename().string());
    }
  }
  std::sort(runs.begin(), runs.end());
  int code = exit_clean;
  std::size_t count = 0;
  const bool yes = arguments.has("--yes");
  for (const std::string& run : runs) {
    for (const workflow::LeftTree& one :
         workflow::left_trees(*work.value().worktree, *work.value().folders, run, "here", yes)) {
      count += one.problem.empty() ? 1 : 0;
      code = std::max(code, print(one.folder + "\n"));
      if (!one.commit.empty()) {
        note("what lay in it is kept: refs/plumb/" + run + "/" + one.tree + " " + one.commit.substr(0, 12));
      }
      if (!one.problem.empty()) {
        note(one.folder + ": " + one.problem);
      }
    }
  }
  if (count > 0) {
    note(std::to_string(count) +
         (yes ? " folders removed" : " folders would go; --yes commits what is in them and removes them"));
  }
  return code;
}

}  // namespace

int run_workflow_clean(const Arguments& arguments) {
  const Result<std::string> listed = git_says(
      arguments, {"for-each-ref", "--format=%(refname) %(objectname:short) %(committerdate:short)", "refs/plumb/"});
  if (!listed) {
    return fail(listed.error());
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  int code = exit_clean;
  std::size_t count = 0;
  for (const std::string& line : git::pieces_of(listed.value(), '\n')) {
    const std::string ref = line.substr(0, line.find(' '));
    const std::string rest = ref.substr(std::min<std::size_t>(ref.size(), 11));
    const std::string run = rest.substr(0, rest.find('/'));
    const Result<store::RunRow> row = store ? store.value()->find(run) : Result<store::RunRow>(store.error());
    if (row && row.value().state == run::State::waiting) {
      note(ref + ": its run waits, and it stays");
      continue;
    }
    ++count;
    code = std::max(code, print(line + "\n"));
    if (arguments.has("--yes")) {
      const Result<std::string> gone = git_says(arguments, {"update-ref", "--no-deref", "-d", ref});
      if (!gone) {
        return fail(gone.error());
      }
    }
  }
  note(std::to_string(count) + (arguments.has("--yes") ? " refs removed" : " refs would go; --yes removes them"));
  return store ? std::max(code, clean_folders(arguments, *store.value())) : code;
}

int run_workflow_sops(const Arguments& arguments) {
  const Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  const workflow::Repository& here = work.value().here();
  const Result<std::vector<workflow::SopFile>> files =
      workflow::sop_files(here.section, work.value().repositories.at(here));
  if (!files) {
    return fail(files.error());
  }
  const workflow::SopLibrary library = workflow::read_sops(files.value());
  int code = exit_clean;
  for (const workflow::FileFinding& one : library.findings) {
    note(one.path + ":" + std::to_string(one.finding.span.line) + ": " + one.finding.message);
    code = one.finding.severity == contract::Severity::error ? exit_findings : code;
  }
  const Result<std::string> listed = git_says(arguments, {"ls-files", "-z"});
  if (listed) {
    for (const workflow::FileFinding& one :
         workflow::sops_without_files(library.sops, git::pieces_of(listed.value()))) {
      note(one.path + ": " + one.finding.message);
    }
  }
  if (arguments.has("--json")) {
    return std::max(code, print(workflow::sop_entities(library.sops, arguments.text("--prefix")) + "\n"));
  }
  std::string out;
  for (const workflow::Sop& one : library.sops) {
    const std::string_view severity = one.severity == budget::Severity::error     ? "error"
                                      : one.severity == budget::Severity::warning ? "warning"
                                                                                  : "info";
    out +=
        one.id + "  " + std::string(severity) + (one.severity_inferred ? " (inferred)" : "") + "  " + one.title + "\n";
  }
  return std::max(code, print(out));
}

int run_workflow_conventions(const Arguments& arguments) {
  const Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  const workflow::DeclaredAt at = work.value().repositories.at(work.value().here());
  const bool confirms = arguments.has("--confirm");
  if (confirms || arguments.has("--retire")) {
    const std::string id = arguments.text(confirms ? "--confirm" : "--retire");
    const Result<bool> done = workflow::change_conventions(at, [&](std::vector<workflow::Convention>& all) {
      return confirms ? workflow::confirm_convention(all, id, arguments.text("--by", "somebody"))
                      : workflow::retire_convention(all, id);
    });
    return done ? exit_clean : fail(done.error());
  }
  const Result<std::vector<workflow::Convention>> all = workflow::kept_conventions(at);
  if (!all) {
    return fail(all.error());
  }
  if (arguments.has("--json")) {
    return print(workflow::convention_entities(all.value()) + "\n");
  }
  std::string out;
  for (const workflow::Convention& one : all.value()) {
    using Use = workflow::ConventionUse;
    out += one.id + "  " +
           (one.retired  ? "retired"
            : one.used() ? "in use"
                         : "seen once") +
           "  shown " + std::to_string(one.count(Use::shown)) + ", cited " + std::to_string(one.count(Use::cited)) +
           ", contradicted " + std::to_string(one.count(Use::contradicted)) + "  " + one.pattern + "\n";
  }
  return print(out);
}

}  // namespace plumb::cli
