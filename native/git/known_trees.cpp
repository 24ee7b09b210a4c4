#include "native/git/known_trees.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "native/git/changed_files.hpp"
#include "native/git/operations.hpp"

namespace plumb::git {

namespace {

constexpr std::size_t known_max = 500'000;  // files and folders of all trees of a repository

// Whether the index is the one that is known: nobody but us writes it.
bool mark_index(const Operation& what, KnownTree& known, bool compare) {
  struct stat about {};
  if (::lstat(what.index().c_str(), &about) != 0) {
    return false;
  }
  const std::uint64_t changed_ns = static_cast<std::uint64_t>(about.st_mtim.tv_sec) * 1'000'000'000U +
                                   static_cast<std::uint64_t>(about.st_mtim.tv_nsec);
  if (compare) {
    return known.index_inode == about.st_ino && known.index_changed_ns == changed_ns &&
           known.index_size == static_cast<std::uint64_t>(about.st_size);
  }
  known.index_inode = about.st_ino;
  known.index_size = static_cast<std::uint64_t>(about.st_size);
  known.index_changed_ns = changed_ns;
  return true;
}

using Paths = std::map<std::string, bool>;  // whether they are there afterwards

// False: one of them is a repository of its own.
bool add_changed(const ChangedFiles& changed, Paths& paths) {
  for (const ChangedFile& one : changed.files) {
    if (one.mode == "160000" || one.mode_was == "160000") {
      return false;
    }
    paths[one.path] = one.status != 'D';
  }
  return true;
}

// What is not as it was listed, and belongs there. False: that is not plain enough.
bool add_touched(const KnownTree& known, const Touched& touched, bool spare, Paths& paths) {
  const auto too_large = [](const TreeFinding& one) { return one.rule == "too-large"; };
  if (std::any_of(touched.findings.begin(), touched.findings.end(), too_large) || (!spare && !touched.others.empty())) {
    return false;
  }
  for (const auto* some : {&touched.changed, &touched.missing}) {
    for (const std::string& path : *some) {
      const Listed& was = known.files.all.at(path);
      if (!S_ISDIR(was.mode)) {
        paths[path] = true;
      } else if (known.submodules || !spare) {
        return false;
      }
    }
  }
  return true;
}

bool remove_all(const std::string& tree, const std::vector<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return command::WorkFolders::remove(tree + "/" + path); });
}

// git writes what it takes to be absent.
bool write_files(Operation& what, const std::string& commit, const Paths& indexed, const Paths& wanted) {
  for (const Paths* some : {&indexed, &wanted}) {
    for (const auto& [path, there] : *some) {
      (void)remove_in(what.tree(), path);
    }
  }
  ::unlink((what.index() + ".lock").c_str());
  if (!indexed.empty() && !git_text(what, {"read-tree", "-m", "-u", commit}, true)) {
    return false;
  }
  std::string rest;
  for (const auto& [path, there] : wanted) {
    if (there && indexed.count(path) == 0) {
      rest += path + '\0';
    }
  }
  return rest.empty() || git_text(what, {"checkout-index", "-f", "-u", "-q", "-z", "--stdin"}, true, rest);
}

// Whatever may bear another time than it is to: what was written now, and what was fresh before.
bool age_written(Operation& what, const std::string& commit, KnownTree& known, Paths& written) {
  const Result<std::string> since = what.commit(what.text("since"));
  if (!since) {
    return false;
  }
  for (const std::string& path : known.fresh) {
    written.emplace(path, true);
  }
  std::vector<std::string> files;
  for (const auto& [path, there] : written) {
    files.push_back(path);
  }
  if (!age_unchanged(what, since.value(), commit, files, known.fresh)) {
    return false;
  }
  for (const std::string& path : known.fresh) {
    written.emplace(path, true);
  }
  return true;
}

}  // namespace

void Remembered::forget() {
  commits.clear();
  ancestors.clear();
  bases.clear();
  contents.clear();
  changed.clear();
  trees.clear();
}

KnownTree* known_tree(Operation& what) {
  const auto found = what.remembered.trees.find(what.tree());
  if (found == what.remembered.trees.end()) {
    return nullptr;
  }
  if (what.is_open() && mark_index(what, found->second, true)) {
    return &found->second;
  }
  what.remembered.trees.erase(found);
  return nullptr;
}

void know_index(Operation& what, KnownTree& known, const std::string& commit) {
  known.indexed = commit;
  if (!mark_index(what, known, false)) {
    forget_tree(what);
  }
}

void forget_tree(Operation& what) { what.remembered.trees.erase(what.tree()); }

void know_tree(Operation& what, KnownTree known) {
  auto& trees = what.remembered.trees;
  std::size_t all = known.files.all.size();
  for (const auto& [folder, one] : trees) {
    all += one.files.all.size();
  }
  while (all > known_max && !trees.empty()) {
    all -= trees.begin()->second.files.all.size();
    trees.erase(trees.begin());
  }
  if (all <= known_max && known.files.fine && mark_index(what, known, false)) {
    trees[what.tree()] = std::move(known);
  }
}

bool go_to(Operation& what, const std::string& commit, bool spare) {
  KnownTree* there = known_tree(what);
  const bool by_time = what.request.find("since") != nullptr;
  if (there == nullptr || (by_time && !there->aged)) {
    forget_tree(what);
    return false;
  }
  KnownTree known = std::move(*there);
  forget_tree(what);  // until all of it is done
  const Result<Touched> touched = look_at(what.tree(), known.files, what.limits, false);
  Paths wanted, indexed;
  if (!touched || !add_touched(known, touched.value(), spare, wanted)) {
    return false;
  }
  const Result<std::shared_ptr<const ChangedFiles>> changed =
      changed_files(what, known.commit, commit, Lines::left_out);
  if (!changed || !add_changed(*changed.value(), wanted)) {
    return false;
  }
  if (!remove_all(what.tree(), touched.value().others) || !remove_all(what.tree(), touched.value().changed)) {
    return false;
  }
  if (!wanted.empty()) {
    const Result<std::shared_ptr<const ChangedFiles>> behind =
        changed_files(what, known.indexed, commit, Lines::left_out);
    if (!behind || !add_changed(*behind.value(), indexed) || !write_files(what, commit, indexed, wanted)) {
      return false;
    }
    known.indexed = commit;
  }
  known.commit = commit;
  wanted.insert(indexed.begin(), indexed.end());
  put_down(what.tree(), known.files, {wanted.begin(), wanted.end()});
  if (by_time && !age_written(what, commit, known, wanted)) {
    return false;
  }
  for (const auto& [path, is_there] : wanted) {
    if (known.aged && !by_time) {
      known.fresh.insert(path);
    }
  }
  std::vector<std::string> paths;
  for (const auto& [path, is_there] : wanted) {
    if (const auto found = known.files.all.find(path); found != known.files.all.end()) {
      found->second.sure = false;
      paths.push_back(path);
    }
  }
  make_sure(what.tree(), known.files, paths);
  know_tree(what, std::move(known));
  return true;
}

Result<bool> get_to_know(Operation& what, const std::string& commit) {
  const Result<std::shared_ptr<const Contents>> contents = contents_of(what, commit);
  if (!contents) {
    return contents.error();
  }
  KnownTree known;
  known.commit = known.indexed = commit;
  known.submodules = !contents.value()->submodules.empty();
  std::vector<std::string> files;
  for (const auto& [path, bytes] : contents.value()->files) {
    files.push_back(path);
  }
  if (what.request.find("since") != nullptr) {
    const Result<std::string> since = what.commit(what.text("since"));
    const Result<bool> aged =
        since ? age_unchanged(what, since.value(), commit, files, known.fresh) : Result<bool>(since.error());
    if (!aged) {
      return aged.error();
    }
    known.aged = true;
  }
  files.insert(files.end(), contents.value()->submodules.begin(), contents.value()->submodules.end());
  std::vector<std::pair<std::string, bool>> all;
  all.reserve(files.size());
  for (const std::string& path : files) {
    all.emplace_back(path, true);
  }
  put_down(what.tree(), known.files, all);
  make_sure(what.tree(), known.files, files);
  // Where a file system has modes and owners of its own, hardly anything is sure, and git knows better.
  const auto sure =
      std::count_if(known.files.all.begin(), known.files.all.end(), [](const auto& one) { return one.second.sure; });
  if (static_cast<std::size_t>(sure) * 2 > known.files.all.size()) {
    know_tree(what, std::move(known));
  }
  return true;
}

}  // namespace plumb::git
