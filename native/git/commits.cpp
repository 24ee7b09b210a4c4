// Commits: compared, merged and landed.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>

#include "core/json/members.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/git/changed_files.hpp"
#include "native/git/checkout.hpp"

namespace plumb::git {

namespace {

constexpr std::size_t changed_max = 20'000;
constexpr std::size_t conflicts_max = 1000;
constexpr std::size_t patch_max = std::size_t{8} << 20U;  // it is kept in the run's journal

Error wrong(std::string why) { return Error{ErrorCode::invalid_argument, std::move(why), "", 0, 0}; }

// What is in a small file of the user's repository; empty: it is not there, or is none.
std::string small_file(const std::filesystem::path& path) {
  Result<std::string> text = read_file(path.string(), 4096);
  return text ? std::move(text).value() : std::string();
}

// Whether a work tree of the user's has a branch checked out, or is at work on it in a rebase or a bisection. It is
// read from the files that git keeps for each work tree, which costs no process; where refs are kept otherwise, git is
// asked.
Result<bool> is_checked_out(Operation& what, const std::string& ref) {
  namespace fs = std::filesystem;
  std::vector<fs::path> kept = {what.users.common_dir};
  std::error_code error;
  for (fs::directory_iterator at(kept.front() / "worktrees", error), end; !error && at != end; at.increment(error)) {
    kept.push_back(at->path());
  }
  for (const fs::path& one : kept) {
    const std::string head = small_file(one / "HEAD");
    if (head.empty() || fs::is_symlink(one / "HEAD", error) || fs::exists(kept.front() / "reftable", error)) {
      Call call;
      call.git_dir = one.string();
      call.users = true;
      call.words = {"symbolic-ref", "--quiet", "HEAD"};
      const Result<Done> named = run_git(call);
      if (!named) {
        return named.error();
      }
      if (named.value().out == ref + "\n") {
        return true;
      }
    }
    const std::string named = ref + "\n";
    if (head == "ref: " + named || small_file(one / "rebase-merge/head-name") == named ||
        small_file(one / "rebase-apply/head-name") == named ||
        "refs/heads/" + small_file(one / "BISECT_START") == named) {
      return true;
    }
  }
  return false;
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

Outcome not_landed(const std::string& why) {
  std::string out;
  json::Writer(out).begin_object().member_boolean("landed", false).member("why", why).end_object();
  return out;
}
// With the command that lands it, which finds the commit in the user's repository.
Outcome not_landed(Operation& what, const std::string& commit, const std::string& why, const std::string& command) {
  if (const Result<bool> given = give(what, commit, ""); !given) {
    return given.error();
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member_boolean("landed", false).member("why", why);
  json.member("command", command).end_object();
  return out;
}

}  // namespace

Result<bool> is_ancestor(Operation& what, const std::string& one, const std::string& other) {
  const std::string pair = one + " " + other;
  if (what.remembered.ancestors.count(pair) != 0) {
    return true;
  }
  Call call;
  call.git_dir = what.git_dir;
  call.words = {"merge-base", "--is-ancestor", one, other};
  const Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  if (done.value().code == 0) {
    what.remembered.ancestors.insert(pair);
  }
  return done.value().code == 0;
}

namespace {

std::shared_ptr<const ChangedFiles> known_changed(Remembered& known, const std::string& between, Lines lines) {
  for (const auto& [pair, changed] : known.changed) {
    if (pair == between && (lines == Lines::left_out || changed->counted)) {
      return changed;
    }
  }
  return nullptr;
}

// From one to the third, by way of the second.
ChangedFiles joined(const ChangedFiles& first, const ChangedFiles& second) {
  std::map<std::string, ChangedFile> files;
  for (const ChangedFile& one : first.files) {
    files[one.path] = one;
  }
  for (const ChangedFile& one : second.files) {
    const auto [file, fresh] = files.try_emplace(one.path, one);
    if (!fresh) {
      file->second.mode = one.mode;
      file->second.id = one.id;
    }
  }
  ChangedFiles out;
  for (auto& [path, file] : files) {
    if (file.mode_was == file.mode && file.id_was == file.id) {
      continue;
    }
    const bool other_type = file.mode_was.compare(0, 3, file.mode, 0, 3) != 0;
    file.status = file.mode_was == "000000" ? 'A' : (file.mode == "000000" ? 'D' : (other_type ? 'T' : 'M'));
    out.files.push_back(std::move(file));
  }
  return out;
}

// Of what was compared before, by two steps.
std::shared_ptr<const ChangedFiles> changed_by_way(Remembered& known, const std::string& from, const std::string& to) {
  for (const auto& [pair, first] : known.changed) {
    if (!pair.starts_with(from + " ")) {
      continue;
    }
    if (const auto second = known_changed(known, pair.substr(from.size() + 1) + " " + to, Lines::left_out)) {
      return std::make_shared<const ChangedFiles>(joined(*first, *second));
    }
  }
  return nullptr;
}

ChangedFiles read_changed(const std::string& told, Lines lines) {
  std::map<std::string, ChangedFile> files;
  const auto pieces = pieces_of(told);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string& piece = pieces[i];
    if (piece.size() > 15 && piece.front() == ':' && i + 1 < pieces.size()) {  // :100644 100644 HASH HASH M
      ChangedFile& file = files[pieces[i + 1]];
      const std::size_t ids = (piece.size() - 18) / 2;
      file.path = pieces[++i];
      file.status = piece.back();
      file.mode_was = piece.substr(1, 6);
      file.mode = piece.substr(8, 6);
      file.id_was = piece.substr(15, ids);
      file.id = piece.substr(16 + ids, ids);
      continue;
    }
    const std::size_t one = piece.find('\t');  // 12\t3\tPATH
    const std::size_t two = one == std::string::npos ? one : piece.find('\t', one + 1);
    if (two == std::string::npos) {
      continue;
    }
    ChangedFile& file = files[piece.substr(two + 1)];
    file.binary = piece.front() == '-';
    std::from_chars(piece.data(), piece.data() + one, file.added);
    std::from_chars(piece.data() + one + 1, piece.data() + two, file.removed);
  }
  ChangedFiles out;
  out.counted = lines == Lines::counted;
  for (auto& [path, file] : files) {
    out.files.push_back(std::move(file));
  }
  return out;
}

}  // namespace

void remember_changed(Remembered& known, const std::string& from, const std::string& to,
                      std::shared_ptr<const ChangedFiles> changed) {
  constexpr std::size_t pairs_max = 16, files_max = 10'000;
  if (changed->files.size() > files_max) {
    return;
  }
  known.changed.emplace_front(from + " " + to, std::move(changed));
  if (known.changed.size() > pairs_max) {
    known.changed.pop_back();
  }
}

Result<std::shared_ptr<const ChangedFiles>> changed_files(Operation& what, const std::string& from,
                                                          const std::string& to, Lines lines) {
  Remembered& known = what.remembered;
  if (from == to) {
    ChangedFiles none;
    none.counted = true;
    return std::make_shared<const ChangedFiles>(std::move(none));
  }
  std::shared_ptr<const ChangedFiles> changed = known_changed(known, from + " " + to, lines);
  if (!changed && lines == Lines::left_out) {
    changed = changed_by_way(known, from, to);
    if (changed) {
      remember_changed(known, from, to, changed);
    }
  }
  if (changed) {
    return changed;
  }
  std::vector<std::string> words = {"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv"};
  if (lines == Lines::counted) {
    words.emplace_back("--numstat");
  }
  words.insert(words.end(), {from, to});
  const Result<std::string> told = git_text(what, std::move(words));
  if (!told) {
    return told.error();
  }
  changed = std::make_shared<const ChangedFiles>(read_changed(told.value(), lines));
  remember_changed(known, from, to, changed);
  return changed;
}

void find_in_changed(const ChangedFiles& changed, const std::string& tree, std::vector<TreeFinding>& findings) {
  for (const ChangedFile& file : changed.files) {
    if (is_git_name(file.path)) {
      findings.push_back({"git-file", file.path, "is a file that git, or those who run it, take orders from"});
    }
    if (file.mode == "160000") {
      findings.push_back({"nested-repository", file.path, "is a repository in the tree, or another commit of one"});
    }
    if (file.mode == "120000" && leaves_tree(file.path, link_in(tree, file.path))) {
      findings.push_back({"link-leaves", file.path, "is a link that leads out of the tree"});
    }
  }
}

void write_changed(json::Writer& json, const ChangedFiles& changed) {
  json.key("changed").begin_array();
  for (const ChangedFile& file : changed.files) {
    json.begin_object().member("path", file.path).member("status", std::string_view(&file.status, 1));
    if (file.binary) {
      json.member_boolean("binary", true);
    } else {
      json.member_uint("added", file.added).member_uint("removed", file.removed);
    }
    json.end_object();
  }
  json.end_array();
}

Result<bool> can_be_told(const ChangedFiles& changed) {
  return changed.files.size() <= changed_max
             ? Result<bool>(true)
             : Error{ErrorCode::limit,
                     counted(changed.files.size(), "file") +
                         " are changed, and at most 20,000 can be judged: ignore what is built, or split the task",
                     "", 0, 0};
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
  if (!to) {
    return to.error();
  }
  const Result<std::shared_ptr<const ChangedFiles>> changed =
      changed_files(what, from.value(), to.value(), Lines::counted);
  if (!changed) {
    return changed.error();
  }
  if (const Result<bool> can = can_be_told(*changed.value()); !can) {
    return can.error();
  }
  const Result<std::string> patch =
      git_text(what, {"diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
                      "--full-index", from.value(), to.value()});
  if (!patch) {
    return patch.error();
  }
  if (patch.value().size() > patch_max) {
    return Error{ErrorCode::limit,
                 "the diff has " + counted(patch.value().size(), "byte") +
                     ", and at most 8 MB can be judged: ignore what is built, or split the task",
                 "", 0, 0};
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("patch", patch.value());
  write_changed(json, *changed.value());
  json.end_object();
  return out;
}

Outcome merge_commits(Operation& what) {
  const Result<std::string> ours = what.commit(what.text("ours"));
  const Result<std::string> theirs = ours ? what.commit(what.text("theirs")) : ours;
  if (!theirs) {
    return theirs.error();
  }
  std::string out;
  json::Writer json(out);
  for (const auto& [behind, ahead] : {std::pair{&ours, &theirs}, std::pair{&theirs, &ours}}) {
    const Result<bool> before = is_ancestor(what, behind->value(), ahead->value());
    if (!before) {
      return before.error();
    }
    if (before.value()) {
      json.begin_object().member_boolean("merged", true).member("commit", ahead->value()).end_object();
      return out;
    }
  }
  Call call;
  call.git_dir = what.git_dir;
  call.words = {"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours.value(), theirs.value()};
  const Result<Done> merged = run_git(call);
  if (!merged) {
    return merged.error();
  }
  const auto pieces = pieces_of(merged.value().out);
  if (merged.value().code > 1 || pieces.empty()) {
    return git_failed("merge-tree", merged.value());
  }
  if (merged.value().code == 1) {
    json.begin_object().member_boolean("merged", false).key("conflicts").begin_array();
    for (std::size_t i = 1; i < std::min(pieces.size(), conflicts_max + 1); ++i) {
      json.string(pieces[i]);
    }
    json.end_array().end_object();
    return out;
  }
  if (what.between) {
    what.between();
  }
  const std::string message = what.text("message").empty() ? "Merge work of a run" : what.text("message");
  const Result<std::string> made =
      git_text(what, {"commit-tree", pieces.front(), "-p", ours.value(), "-p", theirs.value(), "-F", "-"}, false,
               message + "\n");
  if (!made) {
    return made.error();
  }
  json.begin_object().member_boolean("merged", true).member("tree_hash", pieces.front());
  json.member("commit", made.value().substr(0, made.value().find('\n'))).end_object();
  return out;
}

Outcome land_commit(Operation& what) {
  const Result<std::string> commit = what.commit(what.text("commit"));
  if (!commit) {
    return commit.error();
  }
  const std::string branch = what.text("branch");
  if (branch.empty() || branch.front() == '-' || branch.find('\0') != std::string::npos) {
    return wrong("no branch is named");
  }
  const bool kept = branch.starts_with("refs/plumb/");
  if (!kept && branch.starts_with("refs/")) {
    return wrong("'" + json::excerpt(branch, 60) + "' is not a branch: say its name alone");
  }
  const std::string ref = kept ? branch : "refs/heads/" + branch;
  const bool ours = kept || branch.starts_with("plumb/");
  const Result<std::string> was = users_commit(what, ref);
  if (!was) {
    return was.error();
  }
  std::string out;
  json::Writer json(out);
  if (was.value() == commit.value()) {
    json.begin_object().member_boolean("landed", true).member("was", was.value()).end_object();
    return out;
  }
  if (what.request.find("expect") != nullptr && what.text("expect") != was.value()) {
    return not_landed("the branch '" + branch + "' is at " + (was.value().empty() ? "no commit" : was.value()) +
                      ", not where it was expected");
  }
  if (!ours && was.value().empty()) {
    return not_landed(what, commit.value(), "there is no branch '" + branch + "'",
                      "git branch " + shell_word(branch) + " " + commit.value());
  }
  if (!was.value().empty()) {
    const Result<bool> forward = is_ancestor(what, was.value(), commit.value());
    if (!forward) {
      return forward.error();
    }
    if (!forward.value()) {
      return not_landed(what, commit.value(),
                        "the branch '" + branch + "' has gone on beside it: only a fast-forward lands",
                        "git merge " + commit.value());
    }
  }
  const Result<bool> out_there = is_checked_out(what, ref);
  if (!out_there) {
    return out_there.error();
  }
  if (out_there.value()) {
    return not_landed(what, commit.value(),
                      "the branch '" + branch + "' is checked out, and nobody's work tree is touched",
                      "git merge --ff-only " + commit.value());
  }
  if (const Result<bool> given = give(what, commit.value(), was.value()); !given) {
    return given.error();
  }
  if (what.between) {
    what.between();
  }
  if (const Result<bool> set = set_ref(what.users.common_dir, ref, commit.value(), was.value(), true); !set) {
    return not_landed(set.error().message);
  }
  json.begin_object().member_boolean("landed", true).member("was", was.value()).end_object();
  return out;
}

}  // namespace plumb::git
