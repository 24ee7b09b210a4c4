// A copy of a tree that stays for the next time: two changes of a repository differ in few files, and to write all of
// them takes ten times as long as to look at them.
//
//   std::optional<git::KeptCopy> copy = git::KeptCopy::take(folder, top);   // nothing: another process uses it
//   if (copy && copy->become(view)) run(copy->tree());
//
// Before each use the copy is made exactly what the tree is: whatever else lies there goes, and a file whose inode,
// size, mode or time of change is not as git wrote it is written again. The time of change cannot be set.
#pragma once

#include <optional>
#include <string>

#include "native/git/checkout.hpp"

namespace plumb::git {

class KeptCopy {
 public:
  // The copy of the checkout at `top`, for this process alone until the object goes. `folder` is made if it does not
  // exist. Copies beside it whose checkouts are gone are removed.
  static std::optional<KeptCopy> take(const std::string& folder, const std::string& top);
  KeptCopy(KeptCopy&& other) noexcept;
  KeptCopy& operator=(KeptCopy&& other) noexcept;
  ~KeptCopy();

  std::string tree() const { return folder_ + "/tree"; }
  // False: the view is laid out elsewhere, since it has submodules or the copy cannot be written.
  bool become(const View& view) const;

 private:
  KeptCopy(std::string folder, int lock);

  std::string folder_;
  int lock_;
};

}  // namespace plumb::git
