// Guards of `plumb workflow check`: finds changes to the files that gates run and to existing tests, and runs the gates
// again with the original files.
//
//   CheckBase base{checkout, view, tree};                        // where the change begins, and what is judged
//   Guarded guarded = guarded_changes(..., base.text, base.text_now);
//   Compared compared = compare_with_base(base, guarded, ...);   // in folders laid out by lay_guarded()
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/workflow/guarded.hpp"
#include "native/config/workflow_section.hpp"
#include "native/git/checkout.hpp"
#include "native/git/kept_copy.hpp"
#include "native/process/command.hpp"

namespace plumb::cli {

// The base of a change and the tree that is judged. Both are git trees.
struct CheckBase {
  const git::Checkout& checkout;
  const git::View& view;
  std::string since;  // a commit or tree of the checkout
  // The content of a file in the base or in the judged tree; nullopt if it does not exist.
  std::optional<std::string> text(const std::string& path) const;
  std::optional<std::string> text_now(const std::string& path) const;
  std::string tree() const;  // its hash; empty: it is not known
};

// Writes the guarded files into a folder: their base version if `back`, otherwise the judged one.
Result<bool> lay_guarded(const CheckBase& base, const workflow::Guarded& guarded, const std::string& folder, bool back);
// Copies files that git ignores, such as node_modules, into a copy of the checkout, with their times. Links them
// instead if they exceed 256 MB or 20,000 files. `wanted`: these alone; nullptr: all.
void bring_ignored(const CheckBase& base, const std::string& folder, const std::vector<std::string>* wanted);

// What a copy has beside the files that git knows: all that git ignores in the checkout, the declared caches, nothing.
enum class Bring : std::uint8_t { all, caches, nothing };
// Of an isolated copy nothing: whoever works in the checkout can write what git ignores.
Bring bring_of(const std::optional<process::Isolation>& isolation);
bool declares_caches(const WorkflowSection& section);
// Lays out what is judged in `scratch`/tree or in a kept copy, with `scratch`/home and `scratch`/tmp; gives the folder
// of the tree.
Result<std::string> lay_out_copy(const CheckBase& base, const WorkflowSection& section, const std::string& scratch,
                                 Bring bring, const git::KeptCopy* kept = nullptr);

// Runs these gates in a new folder after `lay` has written its files.
using RunIn = std::function<Result<std::vector<workflow::GateResult>>(
    const std::vector<std::uint32_t>& which, const std::function<Result<bool>(const std::string& folder)>& lay)>;
struct Compared {
  std::vector<workflow::FileFinding> findings;
  std::vector<std::string> told;  // what could not be compared
  std::vector<workflow::GateResult> results;
};
// Runs the gates that depend on guarded files with the base versions. `checked`: if a gate fails there, runs it in a
// copy with the judged files too; a gate that also fails in that copy is reported as not compared.
Compared compare_with_base(const CheckBase& base, const workflow::Guarded& guarded,
                           std::span<const workflow::Gate> gates, contract::Severity severity, bool checked,
                           const RunIn& run);

}  // namespace plumb::cli
