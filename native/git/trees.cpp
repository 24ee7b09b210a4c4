// Trees: opened, read, changed, reset and closed.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "core/json/members.hpp"
#include "native/base/file_bytes.hpp"
#include "native/git/changed_files.hpp"
#include "native/git/operations.hpp"
#include "native/git/spare_trees.hpp"

namespace plumb::git {

namespace {

constexpr std::size_t listed_max = 10'000;
constexpr std::size_t edits_max = 1000;

Error wrong(std::string why) { return Error{ErrorCode::invalid_argument, std::move(why), "", 0, 0}; }

Outcome opened(Operation& what, const std::string& commit) {
  const Result<std::shared_ptr<const Contents>> held = contents_of(what, commit);
  if (!held) {
    return held.error();
  }
  const Contents& contents = *held.value();
  const bool spare = !what.is_open() && take_spare(what);
  if (const Result<bool> out = check_out(what, commit, spare); !out) {
    return out.error();
  }
  if (const Result<bool> copied = copy_kept(what); !copied) {
    return copied.error();
  }
  std::string text;
  json::Writer json(text);
  json.begin_object()
      .member("commit", commit)
      .member("folder", what.tree())
      .member_uint("files", contents.files.size());
  json.member_uint("bytes", contents.bytes);
  if (!contents.submodules.empty()) {
    json.key("submodules").begin_array();
    for (const std::string& path : contents.submodules) {
      json.string(path);
    }
    json.end_array();
  }
  json.end_object();
  return text;
}

// One edit, as the text that a file is to have. An error: what is wrong with it.
Result<std::string> edited(Operation& what, const json::Value& edit, const std::string& path) {
  if (edit.find("text") != nullptr) {
    return std::string(json::text_of(edit, "text"));
  }
  const std::string_view find = json::text_of(edit, "find");
  if (find.empty()) {
    return wrong("has neither `text` nor `find` nor `delete`");
  }
  Result<std::string> now = read_in(what.tree(), path, what.limits);
  if (!now) {
    return now.error();
  }
  std::size_t times = 0;
  std::size_t where = std::string::npos;
  for (std::size_t at = now.value().find(find); at != std::string::npos; at = now.value().find(find, at + 1)) {
    where = times++ == 0 ? at : where;
  }
  if (times != 1) {
    return wrong("what is to be found occurs " + std::to_string(times) + " times in '" + path + "', not once");
  }
  now.value().replace(where, find.size(), json::text_of(edit, "replace"));
  return now;
}

bool is_executable(const std::string& file) {
  struct stat about {};
  return ::lstat(file.c_str(), &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & S_IXUSR) != 0;
}

std::array<std::uint64_t, 6> owned_by(const std::array<std::string, 3>& folders) {
  std::array<std::uint64_t, 6> out = {};
  for (std::size_t i = 0; i < folders.size(); ++i) {
    struct stat about {};
    if (::stat(folders[i].c_str(), &about) == 0) {
      out[2 * i] = about.st_ino;
      out[2 * i + 1] = about.st_uid + 1U;
    }
  }
  return out;
}

}  // namespace

std::string Operation::text(std::string_view member) const { return std::string(json::text_of(request, member)); }

Result<bool> Operation::find() {
  if (found) {
    return true;
  }
  constexpr std::size_t commits_max = 10'000;
  std::optional<Users>& known = remembered.users;
  if (known && remembered.owned != owned_by({folder, known->git_dir, known->common_dir})) {
    known.reset();
  }
  if (!known) {
    Result<Users> there = find_repository(folder);
    if (!there) {
      return there.error();
    }
    known = std::move(there).value();
    remembered.owned = owned_by({folder, known->git_dir, known->common_dir});
  }
  users = *known;
  git_dir = folders.repository(users.common_dir);
  if (remembered.commits.size() > commits_max || ::access(git_dir.c_str(), F_OK) != 0) {
    remembered.forget();
  }
  if (Result<bool> made = make_private(git_dir, users.format); !made) {
    return made;
  }
  found = true;
  return true;
}

Result<std::string> Operation::commit(const std::string& name) {
  if (const Result<bool> there = find(); !there) {
    return there.error();
  }
  if (name.empty() || name.front() == '-') {
    return wrong(name.empty() ? "no commit is named" : "'" + json::excerpt(name, 60) + "' is not a name of a commit");
  }
  if (remembered.commits.count(name) != 0) {
    return name;
  }
  // By its hash, and complete: what was taken or merged here, or brought before.
  if (is_hash(name)) {
    Result<std::string> known = commit_of(git_dir, name, false);
    if (known && known.value() == name) {
      remembered.commits.insert(name);
    }
    if (!known || known.value() == name) {
      return known;
    }
  }
  Result<std::string> theirs = commit_of(users.git_dir, name, true);
  if (!theirs) {
    return theirs;
  }
  if (theirs.value().empty()) {
    return wrong(name == "HEAD" ? "the branch has no commit yet"
                                : "there is no commit '" + json::excerpt(name, 60) + "'");
  }
  if (remembered.commits.count(theirs.value()) != 0) {
    return theirs;
  }
  if (const Result<bool> brought = bring(*this, theirs.value()); !brought) {
    return brought.error();
  }
  remembered.commits.insert(theirs.value());
  return theirs;
}

bool Operation::is_open() const {
  struct stat about {};
  return ::lstat(tree().c_str(), &about) == 0 && S_ISDIR(about.st_mode) && ::access(index().c_str(), F_OK) == 0;
}

Result<std::string> git_text(Operation& what, std::vector<std::string> words, bool in_tree, std::string input) {
  Call call;
  call.words = std::move(words);
  call.git_dir = what.git_dir;
  call.input = std::move(input);
  call.date_ms = json::number_of(what.request, "date_ms");
  if (in_tree) {
    call.work_tree = what.tree();
    call.index = what.index();
  }
  const std::string name = call.words.front();
  Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  if (!done.value().ok()) {
    return git_failed(name, done.value());
  }
  return std::move(done.value().out);
}

Result<std::string> commit_at(const std::string& git_dir, const std::string& ref, bool users) {
  return may_have_ref(git_dir, ref) ? commit_of(git_dir, ref, users) : Result<std::string>(std::string());
}

Result<std::string> users_commit(Operation& what, const std::string& ref) {
  std::string hash = plain_ref(what.users.common_dir, ref);
  if (!hash.empty() && what.remembered.commits.count(hash) != 0) {
    return hash;
  }
  return commit_at(what.users.common_dir, ref, true);
}

Result<bool> set_ref(const std::string& git_dir, const std::string& ref, const std::string& to, const std::string& was,
                     bool users) {
  if (to.empty() && !may_have_ref(git_dir, ref)) {
    return true;
  }
  if (!users && put_ref(git_dir, ref, to)) {
    return true;
  }
  Call call;
  call.git_dir = git_dir;
  call.users = users;
  call.words = to.empty() ? std::vector<std::string>{"update-ref", "--no-deref", "-d", ref}
                          : std::vector<std::string>{"update-ref", "--no-deref", ref, to};
  if (users && !to.empty()) {
    call.words.push_back(was.empty() ? std::string(to.size(), '0') : was);
  }
  const Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  return done.value().ok() ? Result<bool>(true) : Result<bool>(git_failed("update-ref", done.value()));
}

Result<bool> check_out(Operation& what, const std::string& commit, bool spare) {
  if (go_to(what, commit, spare)) {
    return true;
  }
  const bool there = what.is_open() && !spare;
  if (!there) {
    command::WorkFolders::remove(what.tree());
    ::unlink(what.index().c_str());
  }
  for (const std::string& folder : {what.tree(), what.index().substr(0, what.index().rfind('/'))}) {
    if (Result<bool> made = command::WorkFolders::make(folder); !made) {
      return made;
    }
  }
  ::unlink((what.index() + ".lock").c_str());  // of one that was killed: nobody else works on this tree
  if (const Result<std::string> read = git_text(what, {"read-tree", "--reset", "-u", commit}, true); !read) {
    return read.error();
  }
  if (there) {
    if (const Result<std::string> cleaned = git_text(what, {"clean", "-ffdq"}, true); !cleaned) {
      return cleaned.error();
    }
  }
  return get_to_know(what, commit);
}

// Whether work that begins at a commit can land on a branch by going forward. It is asked before the work is paid for.
Result<bool> branch_is_free(Operation& what, const std::string& branch, const std::string& commit) {
  if (branch.empty()) {
    return true;
  }
  const Result<std::string> was = users_commit(what, "refs/heads/" + branch);
  if (!was) {
    return was.error();
  }
  if (was.value().empty() || was.value() == commit) {
    return true;
  }
  const Result<std::string> brought = what.commit(was.value());
  if (!brought) {
    return brought.error();
  }
  Result<bool> forward = is_ancestor(what, was.value(), commit);
  if (!forward || forward.value()) {
    return forward;
  }
  return wrong("the branch '" + branch + "' is there already, at " + was.value().substr(0, 12) +
               ", which is not part of " + commit.substr(0, 12) +
               ", where the work begins: it may be the work of an earlier run. Merge it (git merge " + branch +
               "), delete it (git branch -D " + branch + "), or give the plan another `slug`");
}

// What it was opened at is kept in a ref: opened again, after a loss, it is the same commit wherever HEAD is by then.
Outcome open_tree(Operation& what) {
  if (const Result<bool> there = what.find(); !there) {
    return there.error();
  }
  const std::string ref = "refs/opened/" + what.run + "/" + what.text("tree");
  const std::string at = what.text("at").empty() ? "HEAD" : what.text("at");
  Result<std::string> known = commit_at(what.git_dir, ref, false);
  if (!known) {
    return known.error();
  }
  if (known.value().empty() || is_hash(at)) {
    known = what.commit(at);
    if (!known) {
      return known.error();
    }
  }
  if (const Result<bool> free = branch_is_free(what, what.text("lands"), known.value()); !free) {
    return free.error();
  }
  if (what.between) {
    what.between();
  }
  if (const Result<bool> set = set_ref(what.git_dir, ref, known.value(), "", false); !set) {
    return set.error();
  }
  Outcome out = opened(what, known.value());
  if (!out) {
    return out;
  }
  Result<std::string> blocks = commit_at(what.users.common_dir, "refs/heads/plumb", true);
  if (blocks && !blocks.value().empty()) {
    out.value().pop_back();
    out.value() +=
        R"(,"notes":["a branch named 'plumb' is in the way of branches plumb/..., which are made when work is )"
        R"(landed: rename it"]})";
  }
  return out;
}

Outcome reset_tree(Operation& what) {
  const Result<std::string> commit = what.commit(what.text("to"));
  return commit ? opened(what, commit.value()) : Outcome(commit.error());
}

// Of a file in a commit; where the commit was looked at, git is not asked.
Result<std::uint64_t> size_at(Operation& what, const std::string& commit, const std::string& path) {
  const auto& known = what.remembered.contents;
  const auto at = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == commit; });
  if (at != known.end()) {
    const auto& files = at->second->files;
    if (const auto file = files.find(path); file != files.end()) {
      return file->second;
    }
    const auto inside = files.lower_bound(path + "/");
    if (inside == files.end() || !inside->first.starts_with(path + "/")) {
      return wrong("'" + path + "' is not in that commit");
    }
  }
  const Result<std::string> told = git_text(what, {"cat-file", "-s", commit + ":" + path});
  std::uint64_t size = 0;
  if (!told || std::from_chars(told.value().data(), told.value().data() + told.value().size(), size).ptr ==
                   told.value().data()) {
    return wrong("'" + path + "' is not in that commit");
  }
  return size;
}

Outcome read_tree(Operation& what) {
  const std::string path = what.text("path");
  std::string out;
  json::Writer json(out);
  if (!what.text("tree").empty() && !path.empty()) {
    if (!command::WorkFolders::good_name(what.text("tree"))) {
      return wrong("there is no tree of that name");
    }
    const Result<std::string> text = read_in(what.tree(), path, what.limits);
    if (!text) {
      return text.error();
    }
    json.begin_object().member("text", text.value()).end_object();
    return out;
  }
  const Result<std::string> commit = what.commit(what.text("at").empty() ? "HEAD" : what.text("at"));
  if (!commit) {
    return commit.error();
  }
  if (!what.text("search").empty()) {
    return search_commit(what, commit.value());
  }
  if (!path.empty()) {
    if (const std::string bad = bad_path(path); !bad.empty()) {
      return wrong("'" + path + "' " + bad);
    }
    const Result<std::uint64_t> size = size_at(what, commit.value(), path);
    if (!size) {
      return size.error();
    }
    if (size.value() > what.limits.text_max) {
      return wrong("'" + path + "' has more than " + std::to_string(what.limits.text_max) + " bytes");
    }
    const Result<std::string> text = git_text(what, {"cat-file", "blob", commit.value() + ":" + path});
    if (!text) {
      return text.error();
    }
    if (text.value().size() > what.limits.text_max) {
      return wrong("'" + path + "' has more than " + std::to_string(what.limits.text_max) + " bytes");
    }
    json.begin_object().member("text", text.value()).end_object();
    return out;
  }
  const Result<std::string> listed =
      git_text(what, {"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit.value()});
  if (!listed) {
    return listed.error();
  }
  json.begin_object().member("commit", commit.value()).key("paths").begin_array();
  std::size_t count = 0;
  for (std::size_t from = 0; from < listed.value().size(); ++count) {
    const std::size_t end = std::min(listed.value().find('\0', from), listed.value().size());
    if (count < listed_max) {
      json.string(std::string_view(listed.value()).substr(from, end - from));
    }
    from = end + 1;
  }
  json.end_array();
  if (count > listed_max) {
    json.member_boolean("cut", true);
  }
  json.end_object();
  return out;
}

std::string own_marker(const Operation& what) { return what.index() + ".own"; }
void remove_own(Operation& what) {
  const std::string folder = what.tree() + "/.git";
  struct stat about {};
  if (::access(own_marker(what).c_str(), F_OK) == 0 && ::lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) {
    command::WorkFolders::remove(folder);
  }
  ::unlink(own_marker(what).c_str());
}

Outcome init_tree(Operation& what) {
  if (const Result<bool> there = what.find(); !there) {
    return there.error();
  }
  if (!what.is_open()) {
    return wrong("the tree '" + what.text("tree") + "' is not open");
  }
  remove_own(what);
  const std::string folder = what.tree() + "/.git";
  struct stat about {};
  if (::lstat(folder.c_str(), &about) == 0) {
    return wrong("the tree has a `.git` already");
  }
  if (const Result<bool> marked = write_file(own_marker(what), "made\n"); !marked) {
    return marked.error();
  }
  Call call;
  call.git_dir = folder;
  call.work_tree = what.tree();
  call.date_ms = json::number_of(what.request, "date_ms");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-c", "init.defaultBranch=work", "init", "--quiet", "--template="},
        {"config", "user.name", "Developer"},
        {"config", "user.email", "developer@invalid"},
        {"add", "--all", "--", "."},
        {"commit", "--quiet", "--no-verify", "--allow-empty", "-m", "What the task begins with"}}) {
    call.words = words;
    const Result<Done> done = run_git(call);
    if (!done) {
      return done.error();
    }
    if (!done.value().ok()) {
      return git_failed(words.size() > 2 && words.front() == "-c" ? "init" : words.front(), done.value());
    }
  }
  const Result<std::string> commit = commit_of(folder, "HEAD", false);
  if (!commit) {
    return commit.error();
  }
  std::string out;
  json::Writer(out).begin_object().member("commit", commit.value()).end_object();
  return out;
}

Outcome change_tree(Operation& what) {
  const Result<std::string> from = what.commit(what.text("from"));
  if (!from) {
    return from.error();
  }
  if (const Result<bool> out = check_out(what, from.value()); !out) {
    return out.error();
  }
  const auto edits = json::list_of(what.request, "edits");
  if (edits.empty() || edits.size() > edits_max) {
    return wrong("there are " + std::to_string(edits.size()) + " edits; there may be 1 to " +
                 std::to_string(edits_max));
  }
  std::vector<TreeFinding> findings;
  std::vector<std::string> changed;
  for (const json::Value& edit : edits) {
    const std::string path(json::text_of(edit, "path"));
    Result<bool> done = true;
    if (const std::string bad = bad_path(path); !bad.empty()) {
      done = wrong("'" + json::excerpt(path, 100) + "' " + bad);
    } else if (json::flag_of(edit, "delete")) {
      done = remove_in(what.tree(), path);
    } else if (const Result<std::string> text = edited(what, edit, path); !text) {
      done = text.error();
    } else {
      const bool executable = edit.find("executable") != nullptr ? json::flag_of(edit, "executable")
                                                                 : is_executable(what.tree() + "/" + path);
      done = write_in(what.tree(), path, text.value(), executable);
    }
    if (!done) {
      findings.push_back({"edit", path, done.error().message});
    } else if (std::find(changed.begin(), changed.end(), path) == changed.end()) {
      changed.push_back(path);
    }
  }
  if (!findings.empty()) {
    changed.clear();
    if (const Result<bool> out = check_out(what, from.value()); !out) {
      return out.error();
    }
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().key("changed").begin_array();
  for (const std::string& path : changed) {
    json.string(path);
  }
  json.end_array();
  write_findings(json, findings);
  json.end_object();
  return out;
}

// Those of the private repository, in one go.
Result<bool> remove_refs(Operation& what, const std::vector<std::string>& refs) {
  if (std::all_of(refs.begin(), refs.end(), [&](const std::string& ref) { return put_ref(what.git_dir, ref, ""); })) {
    return true;
  }
  Call call;
  call.git_dir = what.git_dir;
  call.words = {"update-ref", "--no-deref", "--stdin"};
  for (const std::string& ref : refs) {
    call.input += may_have_ref(what.git_dir, ref) ? "delete " + ref + "\n" : "";
  }
  if (call.input.empty()) {
    return true;
  }
  const Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  return done.value().ok() ? Result<bool>(true) : Result<bool>(git_failed("update-ref", done.value()));
}

Outcome close_tree(Operation& what) {
  if (const Result<bool> there = what.find(); !there) {
    return there.error();
  }
  ::unlink(own_marker(what).c_str());
  if (!set_aside(what)) {
    forget_tree(what);
    if (!command::WorkFolders::remove(what.tree())) {
      return Error{ErrorCode::unavailable, "its folder cannot be removed whole", "", 0, 0};
    }
  }
  for (const char* rest : {"", ".lock"}) {
    ::unlink((what.index() + rest).c_str());
  }
  if (const Result<bool> gone = remove_refs(what, {what.ref(), "refs/opened/" + what.run + "/" + what.text("tree")});
      !gone) {
    return gone.error();
  }
  const std::string theirs = "refs/plumb/" + what.run + "/" + what.text("tree");
  const Result<std::string> was = commit_at(what.users.common_dir, theirs, true);
  if (was && !was.value().empty()) {
    if (const Result<bool> gone = set_ref(what.users.common_dir, theirs, "", "", true); !gone) {
      return gone.error();
    }
  }
  return std::string(R"({"closed":true})");
}

}  // namespace plumb::git
