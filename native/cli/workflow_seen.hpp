// The change that `plumb workflow check` judges: its tree, the difference from its base, the folder where gates run,
// and the findings that need no gate: SOPs, edited configuration, unreadable files.
//
//   Result<SeenChange> seen = see_change(arguments, checkout, work);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/workflow/changes.hpp"
#include "core/workflow/findings.hpp"
#include "native/cli/arguments.hpp"
#include "native/cli/work_setup.hpp"
#include "native/git/checkout.hpp"
#include "native/git/kept_copy.hpp"
#include "native/process/command.hpp"

namespace plumb::cli {

struct SeenChange {
  git::View view;
  std::string base;  // the commit or tree that it is compared with
  workflow::Changes changes;
  std::string folder;   // where its files lie: the checkout, or laid out with --staged and --isolation
  std::string scratch;  // then: what is ours, with `home` and `tmp`; it goes with the view
  std::optional<process::Isolation> isolation;  // nothing: gates run as the person would run them
  std::vector<workflow::FileFinding> findings;
  std::vector<std::string> sops;           // their names
  std::optional<git::KeptCopy> kept = {};  // where the files lie in it
};
// The task of --files: without files, and with no name.
workflow::Task task_of(const Arguments& arguments);
// The tree that the judged one is compared with: HEAD, or the merge base of --base.
Result<std::string> base_of(const Arguments& arguments, const git::Checkout& checkout);
// What a change to a guarded or protected file is that no task names: an error in a hook, with --files and with
// `protect: strict`, else a warning.
contract::Severity guard_severity(const Arguments& arguments, const WorkflowSection& section);
// From now on SIGINT, SIGTERM and SIGHUP remove the temporary folders before they end the process.
void remove_views_on_signals();
// --isolation; nothing: `none`.
std::optional<process::Isolation> isolation_of(const Arguments& arguments);
// The copy of the index that is kept between checks, where there can be one: with --staged, without isolation (others
// could write to it), and without caches (files that are older than what was built from them look as if nothing
// changed).
std::optional<git::KeptCopy> kept_copy(const Arguments& arguments, const git::Checkout& checkout,
                                       const ReadyWork& work);
Result<SeenChange> see_change(const Arguments& arguments, const git::Checkout& checkout, const ReadyWork& work);

}  // namespace plumb::cli
