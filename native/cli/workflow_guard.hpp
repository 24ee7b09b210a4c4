// `plumb workflow check` beyond gates: files that gates run and tests that were there, as the base has them, and the
// gates run once more with these.
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
#include "native/git/checkout.hpp"

namespace plumb::cli {

// What a change is made on, beside what is judged. Both are trees of git.
struct CheckBase {
  const git::Checkout& checkout;
  const git::View& view;
  std::string since;  // a commit or tree of the checkout
  // A file of it; nothing where there is none.
  std::optional<std::string> text(const std::string& path) const;
  std::optional<std::string> text_now(const std::string& path) const;
  std::string tree() const;  // its hash; empty: it is not known
};

// Files of a folder become those of the base (`back`), or what is judged again. The error: one could not be written.
Result<bool> lay_guarded(const CheckBase& base, const workflow::Guarded& guarded, const std::string& folder, bool back);
// What git ignores, as tools that were set up in the checkout need it: copied with its times into the folder, or, where
// it is more than 256 MB or 20,000 files, linked.
void bring_ignored(const CheckBase& base, const std::string& folder);

// Runs these gates in a folder of its own, where the files are laid out by `lay`.
using RunIn = std::function<Result<std::vector<workflow::GateResult>>(
    const std::vector<std::uint32_t>& which, const std::function<Result<bool>(const std::string& folder)>& lay)>;
struct Compared {
  std::vector<workflow::FileFinding> findings;
  std::vector<std::string> told;  // what could not be compared
  std::vector<workflow::GateResult> results;
};
// The gates that guarded files decide about, with the files of the base. `checked`: where they fail there, they are
// also run with what is judged in a folder laid out alike; failing there too, they say nothing.
Compared compare_with_base(const CheckBase& base, const workflow::Guarded& guarded,
                           std::span<const workflow::Gate> gates, contract::Severity severity, bool checked,
                           const RunIn& run);

// Whether a report was written since this was made: a file that lay there before tells of nothing.
class ReportFile {
 public:
  explicit ReportFile(std::string path);
  bool is_fresh() const;

 private:
  std::pair<std::int64_t, std::uint64_t> stamp() const;  // time of change, inode
  std::string path_;
  std::pair<std::int64_t, std::uint64_t> before_;
};

}  // namespace plumb::cli
