// Trees: taken, as a commit of what lies in them.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/json/members.hpp"
#include "native/git/changed_files.hpp"
#include "native/git/operations.hpp"
#include "native/git/quick_commit.hpp"

namespace plumb::git {

namespace {

Error wrong(std::string why) { return Error{ErrorCode::invalid_argument, std::move(why), "", 0, 0}; }

// A commit was made of what a tree holds: what it has is what the one before has, with these changes.
void remember_taken(Operation& what, const std::string& from, const std::string& commit,
                    const std::shared_ptr<const ChangedFiles>& changed) {
  Remembered& known = what.remembered;
  known.commits.insert(commit);
  known.ancestors.insert(from + " " + commit);
  remember_changed(known, from, commit, changed);
  const auto before =
      std::find_if(known.contents.begin(), known.contents.end(), [&](const auto& one) { return one.first == from; });
  if (before == known.contents.end()) {
    return;
  }
  Contents contents = *before->second;
  for (const ChangedFile& one : changed->files) {
    struct stat about {};
    const bool there = one.status != 'D' && ::lstat((what.tree() + "/" + one.path).c_str(), &about) == 0;
    const std::uint64_t bytes = there ? static_cast<std::uint64_t>(about.st_size) : 0;
    contents.bytes += bytes - contents.files[one.path];
    contents.files[one.path] = bytes;
    if (!there) {
      contents.files.erase(one.path);
    }
    if (one.mode == "160000" || one.mode_was == "160000" || bytes > what.limits.file_max) {
      return;  // git is asked
    }
  }
  if (contents.files.size() <= what.limits.files_max && contents.bytes <= what.limits.bytes_max) {
    remember_contents(known, commit, std::make_shared<const Contents>(std::move(contents)));
  }
}

// As git makes it of all that lies there.
Result<Made> whole_commit(Operation& what, const std::string& from) {
  ::unlink((what.index() + ".lock").c_str());
  if (const Result<std::string> added = git_text(what, {"add", "--all", "--", "."}, true); !added) {
    return added.error();
  }
  const Result<std::string> tree = git_text(what, {"write-tree"}, true);
  if (!tree) {
    return tree.error();
  }
  Made made{tree.value().substr(0, tree.value().find('\n')), from};
  const Result<std::shared_ptr<const ChangedFiles>> changed = changed_files(what, from, made.tree, Lines::counted);
  if (!changed) {
    return changed.error();
  }
  if (changed.value()->files.empty()) {
    return made;
  }
  const Result<std::string> commit =
      git_text(what, {"commit-tree", made.tree, "-p", from, "-F", "-"}, false, commit_message(what));
  if (!commit) {
    return commit.error();
  }
  made.commit = commit.value().substr(0, commit.value().find('\n'));
  return made;
}

// The commit that a tree is taken from. It is open afterwards: its folder may have been lost since it was taken.
Result<std::string> taken_from(Operation& what) {
  Result<std::string> from = what.text("from").empty()
                                 ? commit_of(what.git_dir, "refs/opened/" + what.run + "/" + what.text("tree"), false)
                                 : what.commit(what.text("from"));
  if (!from) {
    return from;
  }
  if (from.value().empty()) {
    return wrong("the tree '" + what.text("tree") + "' was never opened in this repository");
  }
  if (what.is_open()) {
    return from;
  }
  // Taken before, and the folder lost since: the ref says so.
  const Result<std::string> taken = commit_of(what.git_dir, what.ref(), false);
  const Result<std::string> parent =
      taken && !taken.value().empty() ? commit_of(what.git_dir, taken.value() + "^", false) : taken;
  if (!parent || parent.value() != from.value()) {
    return wrong("the folder of the tree '" + what.text("tree") + "' has vanished, or it was never opened");
  }
  const Result<bool> out = check_out(what, taken.value());
  return out ? from : Result<std::string>(out.error());
}

Result<bool> publish(Operation& what, const std::string& commit) {
  const std::string theirs = "refs/plumb/" + what.run + "/" + what.text("tree");
  const Result<std::string> was = users_commit(what, theirs);
  if (!was) {
    return was.error();
  }
  if (Result<bool> given = give(what, commit, was.value()); !given) {
    return given;
  }
  return set_ref(what.users.common_dir, theirs, commit, was.value(), true);
}

}  // namespace

Outcome take_tree(Operation& what) {
  if (const Result<bool> there = what.find(); !there) {
    return there.error();
  }
  const Result<std::string> from = taken_from(what);
  if (!from) {
    return from.error();
  }
  remove_own(what);
  KnownTree* known = known_tree(what);
  Touched touched;
  if (known != nullptr) {
    Result<Touched> looked = look_at(what.tree(), known->files, what.limits, true);
    if (!looked) {
      return looked.error();
    }
    touched = std::move(looked).value();
  } else {
    Result<std::vector<TreeFinding>> looked = look_over(what.tree(), what.limits);
    if (!looked) {
      return looked.error();
    }
    touched.findings = std::move(looked).value();
  }
  std::vector<TreeFinding>& findings = touched.findings;
  std::string out;
  json::Writer json(out);
  if (!findings.empty()) {
    json.begin_object().key("commit").null();
    write_findings(json, findings);
    json.end_object();
    return out;
  }
  std::optional<Made> quick = known == nullptr ? std::nullopt : quick_commit(what, *known, touched, from.value());
  const Result<Made> made = quick ? Result<Made>(std::move(*quick)) : whole_commit(what, from.value());
  if (!made) {
    forget_tree(what);
    return made.error();
  }
  const std::string& commit = made.value().commit;
  if (known != nullptr && !quick) {
    know_index(what, *known, commit);
  }
  const bool empty = commit == from.value();
  const Result<std::shared_ptr<const ChangedFiles>> changed =
      changed_files(what, from.value(), empty ? from.value() : made.value().tree, Lines::counted);
  if (!changed) {
    return changed.error();
  }
  if (!empty) {
    remember_taken(what, from.value(), commit, changed.value());
    find_in_changed(*changed.value(), what.tree(), findings);
    if (const Result<bool> can = can_be_told(*changed.value()); !can) {
      return can.error();
    }
  }
  if (what.between) {
    what.between();
  }
  if (const Result<bool> set = set_ref(what.git_dir, what.ref(), commit, "", false); !set) {
    return set.error();
  }
  if (json::flag_of(what.request, "publish")) {
    if (const Result<bool> given = publish(what, commit); !given) {
      return given.error();
    }
  }
  json.begin_object().member("commit", commit).member("tree_hash", made.value().tree).member_boolean("empty", empty);
  write_changed(json, *changed.value());
  write_findings(json, findings);
  json.end_object();
  return out;
}

}  // namespace plumb::git
