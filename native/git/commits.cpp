// Commits: compared, merged and landed.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "core/json/members.hpp"
#include "native/git/changed_files.hpp"

namespace plumb::git {

namespace {

constexpr std::size_t changed_max = 2000;
constexpr std::size_t conflicts_max = 1000;
constexpr std::size_t patch_max = std::size_t{256} << 10U;

Error wrong(std::string why) { return Error{ErrorCode::invalid_argument, std::move(why), "", 0, 0}; }

// The pieces of what is told with -z.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\0', from), text.size());
    out.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

// The branches that some work tree of the user's has checked out, or is at work on.
Result<bool> is_checked_out(Operation& what, const std::string& ref) {
  Call call;
  call.git_dir = what.users.common_dir;
  call.users = true;
  call.words = {"worktree", "list", "--porcelain", "-z"};
  const Result<Done> done = run_git(call);
  if (!done)
    return done.error();
  if (!done.value().ok())
    return git_failed("worktree list", done.value());
  const auto lines = pieces_of(done.value().out);
  if (std::find(lines.begin(), lines.end(), "branch " + ref) != lines.end())
    return true;
  // The main work tree of a repository is not told where it is asked for as a bare one.
  Call head;
  head.git_dir = what.users.common_dir;
  head.users = true;
  head.words = {"symbolic-ref", "--quiet", "HEAD"};
  const Result<Done> named = run_git(head);
  if (!named)
    return named.error();
  return named.value().out == ref + "\n";
}

// As one word of a shell's command line, for people to copy.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  bool plain = true;
  for (const char c : text) {
    plain = plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view("-_./+@").find(c) != std::string_view::npos);
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return plain ? text : out + "'";
}

Outcome not_landed(const std::string& why, const std::string& command = {}) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member_boolean("landed", false).member("why", why);
  if (!command.empty())
    json.member("command", command);
  json.end_object();
  return out;
}

}  // namespace

Result<bool> is_ancestor(Operation& what, const std::string& one, const std::string& other) {
  const std::string pair = one + " " + other;
  if (what.remembered.ancestors.count(pair) != 0)
    return true;
  Call call;
  call.git_dir = what.git_dir;
  call.words = {"merge-base", "--is-ancestor", one, other};
  const Result<Done> done = run_git(call);
  if (!done)
    return done.error();
  if (done.value().code == 0)
    what.remembered.ancestors.insert(pair);
  return done.value().code == 0;
}

Result<ChangedFiles> changed_files(Operation& what, const std::string& from, const std::string& to) {
  const Result<std::string> told = git_text(what, {"diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames",
                                                   "--no-ext-diff", "--no-textconv", from, to});
  if (!told)
    return told.error();
  std::map<std::string, ChangedFile> files;
  const auto pieces = pieces_of(told.value());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string& piece = pieces[i];
    if (piece.size() > 15 && piece.front() == ':' && i + 1 < pieces.size()) {  // :100644 100644 HASH HASH M
      ChangedFile& file = files[pieces[i + 1]];
      file.path = pieces[++i];
      file.status = piece.back();
      file.mode = piece.substr(8, 6);
      continue;
    }
    const std::size_t one = piece.find('\t');  // 12\t3\tPATH
    const std::size_t two = one == std::string::npos ? one : piece.find('\t', one + 1);
    if (two == std::string::npos)
      continue;
    ChangedFile& file = files[piece.substr(two + 1)];
    file.binary = piece.front() == '-';
    std::from_chars(piece.data(), piece.data() + one, file.added);
    std::from_chars(piece.data() + one + 1, piece.data() + two, file.removed);
  }
  ChangedFiles out;
  for (auto& [path, file] : files)
    out.files.push_back(std::move(file));
  return out;
}

void find_in_changed(const ChangedFiles& changed, const std::string& tree, std::vector<TreeFinding>& findings) {
  for (const ChangedFile& file : changed.files) {
    if (is_git_name(file.path))
      findings.push_back({"git-file", file.path, "is a file that git, or those who run it, take orders from"});
    if (file.mode == "160000")
      findings.push_back({"nested-repository", file.path, "is a repository in the tree, or another commit of one"});
    if (file.mode == "120000" && leaves_tree(file.path, link_in(tree, file.path)))
      findings.push_back({"link-leaves", file.path, "is a link that leads out of the tree"});
  }
}

void write_changed(json::Writer& json, const ChangedFiles& changed) {
  json.key("changed").begin_array();
  for (std::size_t i = 0; i < std::min(changed.files.size(), changed_max); ++i) {
    const ChangedFile& file = changed.files[i];
    json.begin_object().member("path", file.path).member("status", std::string_view(&file.status, 1));
    if (file.binary) {
      json.member_boolean("binary", true);
    } else {
      json.member_uint("added", file.added).member_uint("removed", file.removed);
    }
    json.end_object();
  }
  json.end_array();
  if (changed.files.size() > changed_max)
    json.member_uint("changed_cut", changed.files.size() - changed_max);
}

void write_findings(json::Writer& json, const std::vector<TreeFinding>& findings) {
  json.key("findings").begin_array();
  for (const TreeFinding& one : findings) {
    json.begin_object().member("rule", one.rule).member("path", one.path).member("message", one.message).end_object();
  }
  json.end_array();
}

Outcome diff_commits(Operation& what) {
  const Result<std::string> from = what.commit(what.text("from"));
  const Result<std::string> to = from ? what.commit(what.text("to")) : from;
  if (!to)
    return to.error();
  const Result<ChangedFiles> changed = changed_files(what, from.value(), to.value());
  if (!changed)
    return changed.error();
  const Result<std::string> patch =
      git_text(what, {"diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
                      "--full-index", from.value(), to.value()});
  if (!patch)
    return patch.error();
  std::string out;
  json::Writer json(out);
  json.begin_object().member("patch", std::string_view(patch.value()).substr(0, patch_max));
  if (patch.value().size() > patch_max)
    json.member_uint("cut", patch.value().size() - patch_max);
  write_changed(json, changed.value());
  json.end_object();
  return out;
}

Outcome merge_commits(Operation& what) {
  const Result<std::string> ours = what.commit(what.text("ours"));
  const Result<std::string> theirs = ours ? what.commit(what.text("theirs")) : ours;
  if (!theirs)
    return theirs.error();
  std::string out;
  json::Writer json(out);
  for (const auto& [behind, ahead] : {std::pair{&ours, &theirs}, std::pair{&theirs, &ours}}) {
    const Result<bool> before = is_ancestor(what, behind->value(), ahead->value());
    if (!before)
      return before.error();
    if (before.value()) {
      json.begin_object().member_boolean("merged", true).member("commit", ahead->value()).end_object();
      return out;
    }
  }
  Call call;
  call.git_dir = what.git_dir;
  call.words = {"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours.value(), theirs.value()};
  const Result<Done> merged = run_git(call);
  if (!merged)
    return merged.error();
  const auto pieces = pieces_of(merged.value().out);
  if (merged.value().code > 1 || pieces.empty())
    return git_failed("merge-tree", merged.value());
  if (merged.value().code == 1) {
    json.begin_object().member_boolean("merged", false).key("conflicts").begin_array();
    for (std::size_t i = 1; i < std::min(pieces.size(), conflicts_max + 1); ++i)
      json.string(pieces[i]);
    json.end_array().end_object();
    return out;
  }
  if (what.between)
    what.between();
  const std::string message = what.text("message").empty() ? "Merge work of a run" : what.text("message");
  const Result<std::string> made =
      git_text(what, {"commit-tree", pieces.front(), "-p", ours.value(), "-p", theirs.value(), "-F", "-"}, false,
               message + "\n");
  if (!made)
    return made.error();
  json.begin_object().member_boolean("merged", true).member("tree_hash", pieces.front());
  json.member("commit", made.value().substr(0, made.value().find('\n'))).end_object();
  return out;
}

Outcome land_commit(Operation& what) {
  const Result<std::string> commit = what.commit(what.text("commit"));
  if (!commit)
    return commit.error();
  const std::string branch = what.text("branch");
  if (branch.empty() || branch.front() == '-' || branch.find('\0') != std::string::npos)
    return wrong("no branch is named");
  const bool kept = branch.rfind("refs/plumb/", 0) == 0;
  if (!kept && branch.rfind("refs/", 0) == 0)
    return wrong("'" + json::excerpt(branch, 60) + "' is no branch: say its name alone");
  const std::string ref = kept ? branch : "refs/heads/" + branch;
  const bool ours = kept || branch.rfind("plumb/", 0) == 0;
  const Result<std::string> was = commit_of(what.users.common_dir, ref, true);
  if (!was)
    return was.error();
  std::string out;
  json::Writer json(out);
  if (was.value() == commit.value()) {
    json.begin_object().member_boolean("landed", true).member("was", was.value()).end_object();
    return out;
  }
  if (what.request.find("expect") != nullptr && what.text("expect") != was.value())
    return not_landed("the branch '" + branch + "' is at " + (was.value().empty() ? "no commit" : was.value()) +
                      ", not where it was expected");
  if (!ours && was.value().empty())
    return not_landed("there is no branch '" + branch + "'", "git branch " + shell_word(branch) + " " + commit.value());
  if (!was.value().empty()) {
    const Result<bool> forward = is_ancestor(what, was.value(), commit.value());
    if (!forward)
      return forward.error();
    if (!forward.value())
      return not_landed("the branch '" + branch + "' has gone on beside it: only a fast-forward lands",
                        "git merge " + commit.value());
  }
  const Result<bool> out_there = is_checked_out(what, ref);
  if (!out_there)
    return out_there.error();
  if (const Result<bool> given = give(what.git_dir, what.users, commit.value()); !given)
    return given.error();
  if (out_there.value())
    return not_landed("the branch '" + branch + "' is checked out, and nobody's work tree is touched",
                      "git merge --ff-only " + commit.value());
  if (what.between)
    what.between();
  if (const Result<bool> set = set_ref(what.users.common_dir, ref, commit.value(), was.value(), true); !set)
    return not_landed(set.error().message);
  json.begin_object().member_boolean("landed", true).member("was", was.value()).end_object();
  return out;
}

}  // namespace plumb::git
