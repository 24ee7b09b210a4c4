#include "native/cli/workflow_seen.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <thread>
#include <utility>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/json/sha256.hpp"
#include "core/workflow/sop.hpp"
#include "core/workflow/test_files.hpp"
#include "native/cli/workflow_guard.hpp"
#include "native/cli/workflow_parts.hpp"
#include "native/command/work_folders.hpp"
#include "native/git/tree_files.hpp"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

// The SOPs of the judged files; of the checkout those of other names too, since one that is not committed yet holds.
Result<std::vector<workflow::SopFile>> sops_of(const WorkflowSection& section, const workflow::DeclaredAt& at,
                                               const std::string& root, const std::string& folder) {
  workflow::DeclaredAt judged = at;
  judged.repository = folder;
  judged.config = at.config == root + "/" ? folder + "/" : at.config;
  Result<std::vector<workflow::SopFile>> out = workflow::sop_files(section, judged);
  if (!out || folder == root) {
    return out;
  }
  const Result<std::vector<workflow::SopFile>> others = workflow::sop_files(section, at);
  if (!others) {
    return others;
  }
  const auto name_of = [](const workflow::SopFile& one) { return fs::path(one.path).filename(); };
  const std::size_t count = out.value().size();
  for (const workflow::SopFile& one : others.value()) {
    const auto end = out.value().begin() + static_cast<std::ptrdiff_t>(count);
    if (std::none_of(out.value().begin(), end, [&](const auto& known) { return name_of(known) == name_of(one); })) {
      out.value().push_back(one);
    }
  }
  return out;
}

// Where the repository itself has SOPs, from its top.
std::vector<std::string> sop_folders(const WorkflowSection& section, const workflow::DeclaredAt& at,
                                     const std::string& top) {
  std::vector<std::string> out = {".semspec/sources/docs/sops"};
  for (const std::string& one : section.sops) {
    const std::string folder = absolute_path(one.front() == '/' ? one : at.config + one);
    if (folder.starts_with(top + "/")) {
      out.push_back(folder.substr(top.size() + 1));
    }
  }
  return out;
}

// Whether both judge changes alike, whatever else their texts say.
bool same_rule(const workflow::Sop& one, const workflow::Sop& other) {
  const auto same_check = [](const workflow::SopCheck& a, const workflow::SopCheck& b) {
    return a.forbidden == b.forbidden && a.source == b.source && a.files == b.files;
  };
  return one.applies_to == other.applies_to && one.requirements == other.requirements &&
         one.severity == other.severity && one.scope == other.scope &&
         std::equal(one.checks.begin(), one.checks.end(), other.checks.begin(), other.checks.end(), same_check);
}

// The SOPs that the change edits or removes, as they were before it.
struct FormerSops {
  workflow::SopLibrary library;
  std::vector<workflow::FileFinding> findings;  // rule `sop-changed`
};
Result<FormerSops> former_sops(const SeenChange& seen, const CheckBase& base, const workflow::Repository& here,
                               const workflow::DeclaredAt& at, const workflow::SopLibrary& now,
                               const Arguments& arguments) {
  const std::string scratch = seen.view.scratch() + "/sops";
  const std::vector<std::string> folders = sop_folders(here.section, at, base.checkout.top);
  std::vector<std::string> paths;
  for (const workflow::Change& one : seen.changes.files) {
    const bool sop = one.path.ends_with(".md") && std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
                       return one.path.starts_with(folder + "/");
                     });
    const std::optional<std::string> text =
        sop && one.kind != workflow::ChangeKind::added ? base.text(one.path) : std::nullopt;
    if (text) {
      if (const Result<bool> made = command::WorkFolders::make(scratch); !made) {
        return made.error();
      }
      if (const Result<bool> written = git::write_in(scratch, one.path, *text, false); !written) {
        return written.error();
      }
      paths.push_back(one.path);
    }
  }
  FormerSops out;
  if (paths.empty()) {
    return out;
  }
  WorkflowSection section = here.section;
  section.sops.clear();
  for (std::size_t i = 1; i < folders.size(); ++i) {
    section.sops.push_back(scratch + "/" + folders[i]);
  }
  workflow::DeclaredAt before = at;
  before.repository = scratch;
  const Result<std::vector<workflow::SopFile>> files = workflow::sop_files(section, before);
  if (!files) {
    return files.error();
  }
  out.library = workflow::read_sops(files.value());
  const workflow::Task task = task_of(arguments);
  for (const std::string& path : paths) {
    const std::string slug = fs::path(path).stem().string();
    const auto of_slug = [&](const workflow::Sop& one) { return one.slug == slug; };
    const auto was = std::find_if(out.library.sops.begin(), out.library.sops.end(), of_slug);
    const auto is = std::find_if(now.sops.begin(), now.sops.end(), of_slug);
    if (was == out.library.sops.end() || workflow::names_file(task, path) ||
        (is != now.sops.end() && same_rule(*was, *is))) {
      continue;
    }
    out.findings.push_back(workflow::in_file(
        path, 0,
        workflow::make_finding("sop-changed", guard_severity(arguments, here.section),
                               contract::FindingClass::reference, "", was->id,
                               "'" + path +
                                   "' is an SOP, its rules changed, and no task names it. Its former rules "
                                   "judged this change too. Put it back, or have the task name it.")));
  }
  return out;
}

// Adds what the former rules find and the present ones do not.
void judge_by_former(SeenChange& seen, const workflow::SopLibrary& former) {
  const auto same = [](const workflow::FileFinding& a, const workflow::FileFinding& b) {
    return a.path == b.path && a.finding.message == b.finding.message && a.finding.severity == b.finding.severity &&
           a.finding.span.line == b.finding.span.line;
  };
  for (const workflow::Sop* sop : workflow::sops_for(former.sops, seen.changes.paths(), workflow::SopScope::code)) {
    for (workflow::FileFinding& one : workflow::check_patterns(*sop, seen.changes)) {
      const bool known = std::any_of(seen.findings.begin(), seen.findings.end(),
                                     [&](const workflow::FileFinding& other) { return same(one, other); });
      if (!known) {
        seen.findings.push_back(std::move(one));
      }
    }
  }
}

// With --base: a plumb.yaml of the repository whose `workflow` section is not the base's. What judged the change may be
// the change's own.
Result<bool> judge_configuration(SeenChange& seen, const CheckBase& base, const workflow::Repository& here,
                                 const Arguments& arguments) {
  const std::string top = base.checkout.top + "/";
  for (const char* name : {"plumb.yaml", "plumb.yml"}) {
    const std::string file = here.config + name;
    if (!arguments.has("--base") || !file.starts_with(top)) {
      continue;
    }
    const std::string path = file.substr(top.size());
    const bool told = std::any_of(seen.findings.begin(), seen.findings.end(), [&](const workflow::FileFinding& one) {
      return one.path == path && one.finding.rule == "configuration";
    });
    const std::optional<std::string> was = base.text(path);
    const Result<std::optional<std::string>> is = seen.view.text(path);
    if (!is) {
      return is.error();
    }
    const std::optional<std::string> committed = base.checkout.text("HEAD", path);
    const auto canonical = [&](const std::optional<std::string>& text) {
      const Result<workflow::SectionText> read =
          text ? workflow::section_of(file, *text) : Result<workflow::SectionText>(workflow::SectionText());
      return read ? read.value().canonical : *text;
    };
    const bool same = canonical(was) == canonical(is.value()) && canonical(was) == canonical(committed);
    if (same || told || workflow::names_file(task_of(arguments), path)) {
      continue;
    }
    seen.findings.push_back(workflow::in_file(
        path, 0,
        workflow::make_finding(
            "configuration", guard_severity(arguments, here.section), contract::FindingClass::inner, "", "",
            "the `workflow` section of '" + path + "' is not the one of " + arguments.text("--base") +
                ". Judge the change with the base's file, or review the difference")));
  }
  return true;
}

// Files that git takes for binary, and that an SOP with patterns is about by their names: these are read as text. A
// byte that is NUL must not hide a line.
Result<bool> read_as_text(workflow::Changes& changes, const git::View& view, const std::string& base,
                          const workflow::SopLibrary& library) {
  std::vector<std::string> paths;
  for (const workflow::Change& one : changes.files) {
    const std::vector<std::string> path = {one.path};
    const std::vector<const workflow::Sop*> sops =
        one.binary ? workflow::sops_for(library.sops, path, workflow::SopScope::code)
                   : std::vector<const workflow::Sop*>();
    const bool meant = std::any_of(sops.begin(), sops.end(), [&](const workflow::Sop* sop) {
      return !sop->checks.empty() &&
             std::any_of(sop->applies_to.begin(), sop->applies_to.end(), [&](const std::string& glob) {
               return !ascii::only(glob, "*/.") && budget::path_fits(glob, one.path);
             });
    });
    if (meant) {
      paths.push_back(one.path);
    }
  }
  if (paths.empty()) {
    return true;
  }
  const Result<std::string> patch = view.patch(base, paths);
  Result<workflow::Changes> read = patch ? workflow::read_changes(patch.value()) : patch.error();
  if (!read) {
    return read.error();
  }
  for (workflow::Change& text : read.value().files) {
    const auto same = [&](const workflow::Change& one) { return one.path == text.path && one.kind == text.kind; };
    const auto found = std::find_if(changes.files.begin(), changes.files.end(), same);
    if (found != changes.files.end()) {
      *found = std::move(text);
    }
  }
  return true;
}

// What is wrong with it that needs no gate.
Result<bool> judge_files(SeenChange& seen, const workflow::Repository& here, const workflow::SopLibrary& library,
                         const std::string& top, const std::string& started_in) {
  const auto add = [&](std::vector<workflow::FileFinding> more) {
    seen.findings.insert(seen.findings.end(), std::make_move_iterator(more.begin()),
                         std::make_move_iterator(more.end()));
  };
  add(library.findings);
  const std::vector<std::string> paths = seen.changes.paths();
  Result<std::vector<workflow::FileFinding>> configuration =
      workflow::configuration_findings(here.trusted, seen.view, paths, top, started_in);
  if (!configuration) {
    return configuration.error();
  }
  add(std::move(configuration).value());
  Result<std::vector<git::TreeFinding>> refused = seen.view.refused_entries(seen.base);
  if (!refused) {
    return refused.error();
  }
  const std::vector<git::TreeFinding>& left_out = seen.view.findings();
  refused.value().insert(refused.value().end(), left_out.begin(), left_out.end());
  for (const git::TreeFinding& one : refused.value()) {
    add({workflow::in_file(one.path, 0,
                           workflow::make_finding(one.rule, contract::Severity::error,
                                                  contract::FindingClass::reference, "", "", one.message))});
  }
  for (const workflow::Sop* sop : workflow::sops_for(library.sops, paths, workflow::SopScope::code)) {
    add(workflow::check_patterns(*sop, seen.changes));
  }
  return true;
}

}  // namespace

Result<std::string> base_of(const Arguments& arguments, const git::Checkout& checkout) {
  return arguments.has("--base") ? checkout.shared_tree(arguments.text("--base")) : checkout.head_tree();
}

workflow::Task task_of(const Arguments& arguments) {
  workflow::Task out;
  for (const std::string& glob : arguments.list("--files")) {
    out.files.push_back({glob, workflow::Access::write});
  }
  return out;
}

contract::Severity guard_severity(const Arguments& arguments, const WorkflowSection& section) {
  const bool strict = arguments.has("--hook") || !arguments.list("--files").empty() || section.strict;
  return strict ? contract::Severity::error : contract::Severity::warning;
}

void remove_views_on_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&signals, number);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int got = 0;
    if (sigwait(&signals, &got) == 0) {
      git::View::remove_scratch();
      // Ends as the signal would have ended it.
      std::signal(got, SIG_DFL);
      pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
      ::raise(got);
    }
  }).detach();
}

std::optional<process::Isolation> isolation_of(const Arguments& arguments) {
  const std::string said = arguments.text("--isolation", "none");
  return said == "none"      ? std::nullopt
         : said == "partial" ? std::optional(process::Isolation::partial)
                             : std::optional(process::Isolation::full);
}

std::optional<git::KeptCopy> kept_copy(const Arguments& arguments, const git::Checkout& checkout,
                                       const ReadyWork& work) {
  const workflow::Repository& here = work.here();
  if (!arguments.has("--staged") || isolation_of(arguments) || declares_caches(here.section)) {
    return std::nullopt;
  }
  const std::string name = json::sha256_hex(checkout.top).substr(0, 32);
  return git::KeptCopy::take(work.repositories.at(here).beside + "/copies/" + name, checkout.top);
}

Result<SeenChange> see_change(const Arguments& arguments, const git::Checkout& checkout, const ReadyWork& work) {
  const bool staged = arguments.has("--staged");
  Result<git::View> view = staged ? git::View::of_index(checkout) : git::View::of_files(checkout);
  const Result<std::string> base = view ? base_of(arguments, checkout) : Result<std::string>(view.error());
  const Result<std::string> patch = base ? view.value().patch(base.value()) : base;
  Result<workflow::Changes> changes = patch ? workflow::read_changes(patch.value()) : patch.error();
  if (!changes) {
    return changes.error();
  }
  SeenChange out{std::move(view).value(), base.value(), std::move(changes).value(), checkout.top, {}, {}, {}, {}, {}};
  const workflow::Repository& here = work.here();
  out.isolation = isolation_of(arguments);
  if (staged || out.isolation) {
    out.scratch = out.view.scratch() + "/gates";
    out.kept = kept_copy(arguments, checkout, work);
    Result<std::string> laid = lay_out_copy({checkout, out.view, out.base}, here.section, out.scratch,
                                            bring_of(out.isolation), out.kept ? &*out.kept : nullptr);
    if (!laid) {
      return laid.error();
    }
    out.folder = std::move(laid).value();
  }
  const Result<std::vector<workflow::SopFile>> files =
      sops_of(here.section, work.repositories.at(here), checkout.top, out.folder);
  if (!files) {
    return files.error();
  }
  const workflow::SopLibrary library = workflow::read_sops(files.value());
  for (const workflow::Sop& one : library.sops) {
    out.sops.push_back(one.slug);
  }
  const CheckBase before{checkout, out.view, out.base};
  const Result<FormerSops> former = former_sops(out, before, here, work.repositories.at(here), library, arguments);
  if (!former) {
    return former.error();
  }
  Result<bool> judged = read_as_text(out.changes, out.view, out.base, library);
  if (judged) {
    judged = read_as_text(out.changes, out.view, out.base, former.value().library);
  }
  if (judged) {
    judged = judge_files(out, here, library, checkout.top, repository_of(arguments));
  }
  if (judged) {
    const std::vector<workflow::FileFinding>& changed = former.value().findings;
    out.findings.insert(out.findings.end(), changed.begin(), changed.end());
    judge_by_former(out, former.value().library);
    judged = judge_configuration(out, before, here, arguments);
  }
  return judged ? Result<SeenChange>(std::move(out)) : Result<SeenChange>(judged.error());
}

}  // namespace plumb::cli
