// WorkFolders: where what runs work on lies, in one folder beside the store (runs.db.work): trees, private
// repositories, long outputs, and what one command needs while it runs. Never in a user's repository.
//
//   trees/RUN/TREE/        a tree that a command runs in
//   index/RUN/             what git knows of these
//   caches/RUN/TREE/       folders of a tree that were kept, to begin others with (native/git: keep)
//   outputs/RUN/HASH       what of an output the journal does not hold
//   scratch/               HOME and TMPDIR of one command, gone with it
//   git/HASH.git           the private repository of one of the user's
//
// A run's folders go with the run: sweep(). The repositories stay, since forks go on from their commits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::command {

// No work is begun with less room than this on the disk.
inline constexpr std::uint64_t free_bytes_min = std::uint64_t{1} << 30U;

class WorkFolders {
 public:
  // `base` is made when it is first needed.
  explicit WorkFolders(std::string base) : base_(std::move(base)) {}

  const std::string& base() const { return base_; }
  // Names are letters, digits, '-', '_' and '.', at most 100, and do not begin with a dot.
  static bool good_name(std::string_view name);
  std::string tree(std::string_view run, std::string_view name) const;
  std::string index(std::string_view run, std::string_view name) const;
  std::string cache(std::string_view run, std::string_view name) const;
  std::string repository(std::string_view of) const;
  // Where a tree of that repository is kept for the next that is opened (native/git/spare_trees.hpp).
  std::string spare(std::string_view of, std::string_view kind) const;
  void remove_spares() const;

  // A folder of its own for one command, with `home` and `tmp`.
  Result<std::string> scratch() const;
  // Keeps a text by its hash, and gives the name under which it is found: "outputs/RUN/HASH".
  Result<std::string> keep_output(std::string_view run, const std::string& text) const;
  // An error where there is less room on the disk than free_bytes_min.
  Result<bool> room() const;
  // A folder with those above it, for its owner alone.
  static Result<bool> make(const std::string& folder);
  // With all in it; links are removed, not followed. False: something is left.
  static bool remove(const std::string& folder);
  // Removes what lies there for runs that are not `alive` any more, and what a command left that was cut off.
  void sweep(const std::function<bool(std::string_view run)>& alive) const;

 private:
  std::string base_;
};

}  // namespace plumb::command
