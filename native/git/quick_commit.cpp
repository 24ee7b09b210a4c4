#include "native/git/quick_commit.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/json/members.hpp"
#include "native/git/changed_files.hpp"

namespace plumb::git {

namespace {

constexpr std::size_t paths_max = 1000;
constexpr std::uint64_t bytes_max = std::uint64_t{8} << 20U;

// Names that git takes as they are, whatever system it thinks of.
bool is_plain(std::string_view path) {
  return bad_path(path).empty() && std::all_of(path.begin(), path.end(), [](unsigned char c) {
           return c >= 0x20 && c < 0x7F && c != '\\' && c != '"' && c != ':' && c != '~';
         });
}

// Of these paths those that git ignores; nullopt: it does not say.
std::optional<std::set<std::string>> ignored_of(Operation& what, const std::vector<std::string>& paths) {
  Call call;
  call.git_dir = what.git_dir;
  call.work_tree = what.tree();
  call.index = what.index();
  call.words = {"check-ignore", "--no-index", "-z", "--stdin"};
  for (const std::string& path : paths) {
    call.input += path + '\0';
  }
  const Result<Done> done = run_git(call);
  if (!done || done.value().code > 1 || done.value().code < 0) {
    return std::nullopt;
  }
  std::set<std::string> out;
  const std::string& text = done.value().out;
  for (std::size_t from = 0, end = 0; (end = text.find('\0', from)) != std::string::npos; from = end + 1) {
    out.insert(text.substr(from, end - from));
  }
  return out;
}

using Paths = std::map<std::string, bool>;  // whether they lie there

// What may differ from `from`, as paths of files.
std::optional<Paths> paths_of(Operation& what, const KnownTree& known, const Touched& touched,
                              const std::string& from) {
  Paths out;
  const Result<std::shared_ptr<const ChangedFiles>> behind = changed_files(what, from, known.commit, Lines::left_out);
  if (!behind) {
    return std::nullopt;
  }
  for (const ChangedFile& one : behind.value()->files) {
    out[one.path] = one.status != 'D';
  }
  std::vector<std::string> others;
  for (const std::string& path : touched.others) {
    const std::uint64_t mode = touched.now.at(path).mode;
    if (!S_ISDIR(mode) && (S_ISREG(mode) || S_ISLNK(mode))) {
      others.push_back(path);
    }
  }
  if (others.size() + touched.changed.size() + touched.missing.size() + out.size() > paths_max) {
    return std::nullopt;
  }
  if (touched.ignores && !others.empty()) {
    const std::optional<std::set<std::string>> ignored = ignored_of(what, others);
    if (!ignored) {
      return std::nullopt;
    }
    others.erase(std::remove_if(others.begin(), others.end(),
                                [&](const std::string& path) { return ignored->count(path) != 0; }),
                 others.end());
  }
  for (const std::string& path : others) {
    out[path] = true;
  }
  for (const std::string& path : touched.changed) {
    if (S_ISDIR(known.files.all.at(path).mode)) {
      return std::nullopt;  // what is in it may be out of sight
    }
    out[path] = !S_ISDIR(touched.now.at(path).mode);
  }
  for (const std::string& path : touched.missing) {
    if (!S_ISDIR(known.files.all.at(path).mode)) {
      out[path] = false;
    }
  }
  return out;
}

// One file as fast-import takes it. False: it is not plain.
bool add_file(const Operation& what, const std::string& path, std::uint64_t& left, std::string& stream) {
  struct stat about {};
  if (::lstat((what.tree() + "/" + path).c_str(), &about) != 0 || static_cast<std::uint64_t>(about.st_size) > left) {
    return false;
  }
  std::string mode = (about.st_mode & S_IXUSR) != 0 ? "100755" : "100644";
  std::string text;
  if (S_ISLNK(about.st_mode)) {
    mode = "120000";
    text = link_in(what.tree(), path);
    if (text.empty() || text.size() != static_cast<std::size_t>(about.st_size) || is_git_name(path)) {
      return false;
    }
  } else {
    TreeLimits limits = what.limits;
    limits.text_max = left;
    Result<std::string> read =
        S_ISREG(about.st_mode) ? read_in(what.tree(), path, limits) : Result<std::string>(Error{});
    if (!read) {
      return false;
    }
    text = std::move(read).value();
  }
  left -= std::min<std::uint64_t>(left, text.size());
  stream += "M " + mode + " inline " + path + "\ndata " + std::to_string(text.size()) + "\n" + text + "\n";
  return true;
}

// Each line that git answers with.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0, end = 0; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
    out.push_back(text.substr(from, end - from));
  }
  return out;
}

// "040000 tree HASH\t"
std::string tree_in(const std::string& line) {
  constexpr std::string_view before = "040000 tree ";
  const std::string hash = line.substr(0, line.find('\t'));
  return hash.starts_with(before) && is_hash(hash.substr(before.size())) ? hash.substr(before.size()) : std::string();
}

// The branch is not kept: what names the commit is set by those who want it.
std::optional<std::string> stream_of(Operation& what, const Paths& paths, const std::string& from) {
  const std::string message = commit_message(what);
  if (message.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  const auto seconds = static_cast<std::uint64_t>(json::number_of(what.request, "date_ms") / 1000);
  const std::string by =
      std::string(identity_name) + " <" + std::string(identity_mail) + "> " + std::to_string(seconds) + " +0000\n";
  std::string out = "ls " + from + " \"\"\n";
  if (!paths.empty()) {
    out += "commit refs/made/one\nmark :1\nauthor " + by + "committer " + by + "data " +
           std::to_string(message.size()) + "\n" + message + "\nfrom " + from + "\n";
    for (const auto& [path, there] : paths) {
      out += there ? "" : "D " + path + "\n";
    }
    std::uint64_t left = bytes_max;
    for (const auto& [path, there] : paths) {
      if (there && !add_file(what, path, left, out)) {
        return std::nullopt;
      }
    }
    out += "\nls :1 \"\"\nget-mark :1\nreset refs/made/one\n\n";
  }
  return out + "done\n";
}

// What was taken is known from here on.
void learn(KnownTree& known, const Touched& touched, const Paths& paths, const std::string& commit) {
  std::vector<std::pair<std::string, bool>> seen;
  for (const auto& [path, there] : paths) {
    seen.emplace_back(path, there);
    if (known.aged && there) {
      known.fresh.insert(path);
    }
  }
  put_down_seen(known.files, touched, seen);
  known.commit = commit;
}

}  // namespace

std::string commit_message(const Operation& what) {
  return (what.text("message").empty() ? "Work of a run" : what.text("message")) + "\n";
}

std::optional<Made> quick_commit(Operation& what, KnownTree& known, const Touched& touched, const std::string& from) {
  if (known.submodules) {
    return std::nullopt;
  }
  const std::optional<Paths> paths = paths_of(what, known, touched, from);
  if (!paths || !std::all_of(paths->begin(), paths->end(), [](const auto& one) { return is_plain(one.first); })) {
    return std::nullopt;
  }
  const std::optional<std::string> stream = stream_of(what, *paths, from);
  if (!stream) {
    return std::nullopt;
  }
  // Its pack is taken apart at once: what it makes is as durable as what other commands of git write.
  const Result<std::string> told = git_text(
      what, {"-c", "core.fsync=none", "fast-import", "--quiet", "--done", "--date-format=raw"}, false, *stream);
  const std::vector<std::string> lines = told ? lines_of(told.value()) : std::vector<std::string>();
  if (lines.size() != (paths->empty() ? 1U : 3U)) {
    return std::nullopt;
  }
  Made made{tree_in(lines[paths->empty() ? 0 : 1]), from};
  if (!paths->empty() && tree_in(lines[0]) != made.tree) {
    made.commit = lines[2];
  }
  if (made.tree.empty() || !is_hash(made.commit)) {
    return std::nullopt;
  }
  learn(known, touched, *paths, made.commit);
  return made;
}

}  // namespace plumb::git
