#include "native/cli/workflow_seen.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/workflow/sop.hpp"
#include "native/cli/workflow_guard.hpp"
#include "native/cli/workflow_parts.hpp"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

// The tree that the judged one is compared with.
Result<std::string> base_of(const Arguments& arguments, const git::Checkout& checkout) {
  return arguments.has("--base") ? checkout.shared_tree(arguments.text("--base")) : checkout.head_tree();
}

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
  for (const git::TreeFinding& one : seen.view.findings()) {
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

std::optional<process::Isolation> isolation_of(const Arguments& arguments) {
  const std::string said = arguments.text("--isolation", "none");
  return said == "none"      ? std::nullopt
         : said == "partial" ? std::optional(process::Isolation::partial)
                             : std::optional(process::Isolation::full);
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
  SeenChange out{std::move(view).value(), base.value(), std::move(changes).value(), checkout.top, {}, {}, {}};
  const workflow::Repository& here = work.here();
  out.isolation = isolation_of(arguments);
  if (staged || out.isolation) {
    out.scratch = out.view.scratch() + "/gates";
    Result<std::string> laid =
        lay_out_copy({checkout, out.view, out.base}, here.section, out.scratch, bring_of(out.isolation));
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
  Result<bool> judged = read_as_text(out.changes, out.view, out.base, library);
  if (judged) {
    judged = judge_files(out, here, library, checkout.top, repository_of(arguments));
  }
  return judged ? Result<SeenChange>(std::move(out)) : Result<SeenChange>(judged.error());
}

}  // namespace plumb::cli
