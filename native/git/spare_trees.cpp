#include "native/git/spare_trees.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace plumb::git {

namespace {

namespace fs = std::filesystem;

// Where a spare tree lies; its index beside it.
std::string spare_of(const Operation& what, bool aged) {
  return what.folders.spare(what.users.common_dir, aged ? "aged" : "plain");
}

void move_known(Remembered& remembered, const std::string& from, const std::string& to) {
  auto known = remembered.trees.extract(from);
  known.key() = to;
  remembered.trees.erase(to);
  remembered.trees.insert(std::move(known));
}

bool move_tree(const std::string& tree, const std::string& index, const std::string& to, const std::string& index_to) {
  // The folder last: without it the index is nothing.
  return command::WorkFolders::make(fs::path(to).parent_path().string()) &&
         command::WorkFolders::make(fs::path(index_to).parent_path().string()) &&
         ::rename(index.c_str(), index_to.c_str()) == 0 && ::rename(tree.c_str(), to.c_str()) == 0;
}

}  // namespace

bool set_aside(Operation& what) {
  const KnownTree* known = known_tree(what);
  if (known == nullptr) {
    return false;
  }
  const std::string spare = spare_of(what, known->aged);
  struct stat about {};
  if (::lstat(spare.c_str(), &about) == 0 || !move_tree(what.tree(), what.index(), spare, spare + ".index")) {
    forget_tree(what);
    return false;
  }
  move_known(what.remembered, what.tree(), spare);
  return true;
}

bool take_spare(Operation& what) {
  const std::string spare = spare_of(what, what.request.find("since") != nullptr);
  struct stat about {};
  if (::lstat(spare.c_str(), &about) != 0) {
    return false;
  }
  command::WorkFolders::remove(what.tree());
  ::chmod(spare.c_str(), 0700);
  if (what.remembered.trees.count(spare) != 0 && move_tree(spare, spare + ".index", what.tree(), what.index())) {
    move_known(what.remembered, spare, what.tree());
    return true;
  }
  what.remembered.trees.erase(spare);
  command::WorkFolders::remove(spare);
  ::unlink((spare + ".index").c_str());
  ::unlink(what.index().c_str());
  return false;
}

}  // namespace plumb::git
