#include "native/cli/workflow_guard.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "native/base/file_bytes.hpp"
#include "native/command/work_folders.hpp"
#include "native/git/tree_files.hpp"
#include "native/process/command.hpp"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t file_bytes_max = std::uint64_t{64} << 20U;
constexpr std::uint64_t ignored_bytes_max = std::uint64_t{256} << 20U;
constexpr std::size_t ignored_files_max = 20'000;

git::Call call_of(const CheckBase& base, std::vector<std::string> words) {
  git::Call call;
  call.git_dir = base.git_dir;
  call.work_tree = base.root;
  call.users = true;
  call.writable = {base.common_dir};
  call.words = std::move(words);
  // Where a hook of git is run, the index is the one of this commit.
  if (const char* index = std::getenv("GIT_INDEX_FILE"); base.staged && index != nullptr && *index != '\0') {
    call.index = fs::path(index).is_absolute() ? index : base.root + "/" + index;
  }
  return call;
}

std::optional<std::string> said(const git::Call& call) {
  const Result<git::Done> done = git::run_git(call);
  return done && done.value().ok() ? std::optional(done.value().out) : std::nullopt;
}

std::string first_line(const std::optional<std::string>& text) {
  return text ? text->substr(0, text->find('\n')) : std::string();
}

// Whether what lies there is small enough to be copied; what it has is taken off what is left.
bool takes_room(const fs::path& path, std::uint64_t& bytes_left, std::size_t& files_left) {
  std::error_code error;
  if (fs::is_symlink(path, error) || fs::is_regular_file(path, error)) {
    const std::uint64_t size = fs::is_symlink(path, error) ? 0 : fs::file_size(path, error);
    const bool fits = files_left > 0 && size <= bytes_left;
    bytes_left -= fits ? size : 0;
    files_left -= fits ? 1 : 0;
    return fits;
  }
  std::uint64_t bytes = bytes_left;
  std::size_t files = files_left;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const bool plain = at->is_regular_file(error) && !at->is_symlink(error);
    const std::uint64_t size = plain ? at->file_size(error) : 0;
    if (files == 0 || size > bytes) {
      return false;
    }
    --files;
    bytes -= size;
  }
  bytes_left = bytes;
  files_left = files;
  return true;
}

}  // namespace

std::optional<std::string> CheckBase::text(const std::string& path) const {
  return commit.empty() ? std::nullopt : said(call_of(*this, {"cat-file", "blob", commit + ":" + path}));
}

std::optional<std::string> CheckBase::text_now(const std::string& path) const {
  if (staged) {
    return said(call_of(*this, {"cat-file", "blob", ":" + path}));
  }
  const Result<std::string> text = read_file(root + "/" + path, file_bytes_max);
  return text ? std::optional(text.value()) : std::nullopt;
}

std::string CheckBase::tree() const {
  return commit.empty() ? std::string()
                        : first_line(said(call_of(*this, {"rev-parse", "--verify", "-q", commit + "^{tree}"})));
}

std::string CheckBase::tree_now() const {
  if (staged) {
    return first_line(said(call_of(*this, {"write-tree"})));
  }
  // An index of our own, so that the user's stays as it is; what it adds are objects alone.
  std::string scratch = (fs::temp_directory_path() / "plumb-index-XXXXXX").string();
  if (::mkdtemp(scratch.data()) == nullptr) {
    return {};
  }
  std::string out;
  git::Call call = call_of(*this, {"read-tree", commit.empty() ? "--empty" : commit});
  call.index = scratch + "/index";
  if (said(call)) {
    call.words = {"add", "-A", "--", "."};
    if (said(call)) {
      call.words = {"write-tree"};
      out = first_line(said(call));
    }
  }
  command::WorkFolders::remove(scratch);
  return out;
}

Result<CheckBase> check_base(const std::string& root, const std::string& since, bool staged) {
  const Result<git::Users> users = git::find_repository(root);
  if (!users) {
    return users.error();
  }
  CheckBase out;
  out.root = root;
  out.git_dir = users.value().git_dir;
  out.common_dir = users.value().common_dir;
  out.staged = staged;
  const Result<std::string> head = git::commit_of(out.git_dir, "HEAD", true);
  if (!head) {
    return head.error();
  }
  out.commit = head.value();
  if (!since.empty() && !out.commit.empty()) {
    out.commit = first_line(said(call_of(out, {"merge-base", "--end-of-options", since, "HEAD"})));
  }
  return out;
}

Result<bool> lay_guarded(const CheckBase& base, const workflow::Guarded& guarded, const std::string& folder,
                         bool back) {
  for (const auto& [paths, fresh] : {std::pair(&guarded.paths, false), std::pair(&guarded.fresh, true)}) {
    for (const std::string& path : *paths) {
      (void)git::remove_in(folder, path);
      const std::optional<std::string> text = back && fresh ? std::nullopt
                                              : back        ? base.text(path)
                                                            : base.text_now(path);
      if (!text) {
        continue;
      }
      if (Result<bool> written = git::write_in(folder, path, *text, text->starts_with("#!")); !written) {
        return written;
      }
    }
  }
  return true;
}

void bring_ignored(const CheckBase& base, const std::string& folder) {
  const std::optional<std::string> listed =
      said(call_of(base, {"ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"}));
  std::uint64_t bytes_left = ignored_bytes_max;
  std::size_t files_left = ignored_files_max;
  for (std::size_t from = 0; listed && from < listed->size();) {
    const std::size_t end = std::min(listed->find('\0', from), listed->size());
    std::string path = listed->substr(from, end - from);
    from = end + 1;
    while (!path.empty() && path.back() == '/') {
      path.pop_back();
    }
    const fs::path there = fs::path(base.root) / path, here = fs::path(folder) / path;
    std::error_code error;
    if (path.empty() || fs::exists(fs::symlink_status(here, error))) {
      continue;
    }
    fs::create_directories(here.parent_path(), error);
    if (!takes_room(there, bytes_left, files_left)) {
      fs::create_symlink(there, here, error);
      continue;
    }
    process::Command copy;
    copy.argv = {"cp", "-a", "--", there.string(), here.string()};
    copy.folder = folder;
    copy.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    copy.writable = {folder};
    copy.most = process::Isolation::partial;
    (void)process::run(copy);  // what could not be copied is missing there, which `checked` shows
  }
}

Compared compare_with_base(const CheckBase& base, const workflow::Guarded& guarded,
                           std::span<const workflow::Gate> gates, contract::Severity severity, bool checked,
                           const RunIn& run) {
  Compared out;
  const std::vector<std::uint32_t> which = workflow::gates_again(gates, guarded.again);
  if (which.empty() || (guarded.paths.empty() && guarded.fresh.empty())) {
    return out;
  }
  const auto laid = [&](bool back) {
    return run(which, [&, back](const std::string& folder) { return lay_guarded(base, guarded, folder, back); });
  };
  Result<std::vector<workflow::GateResult>> before = laid(true);
  if (!before) {
    out.told.push_back("the gates were not run with the files of the base: " + before.error().message);
    return out;
  }
  out.results = std::move(before).value();
  std::vector<workflow::FileFinding> found = failures_with_base(guarded, out.results, severity);
  if (!found.empty() && checked) {
    const Result<std::vector<workflow::GateResult>> now = laid(false);
    for (const workflow::GateResult& one : now ? now.value() : out.results) {
      if (!one.passed()) {
        out.told.push_back("gate '" + one.gate +
                           "' fails in a copy of the checkout too, so it was not compared with the base");
        found.erase(std::remove_if(found.begin(), found.end(),
                                   [&](const workflow::FileFinding& finding) {
                                     return finding.finding.item == "Gate " + one.gate;
                                   }),
                    found.end());
      }
    }
  }
  out.findings = std::move(found);
  return out;
}

ReportFile::ReportFile(std::string path) : path_(std::move(path)), before_(stamp()) {}

std::pair<std::int64_t, std::uint64_t> ReportFile::stamp() const {
  struct stat about {};
  if (::stat(path_.c_str(), &about) != 0) {
    return {0, 0};
  }
  return {static_cast<std::int64_t>(about.st_mtim.tv_sec) * 1'000'000'000 + about.st_mtim.tv_nsec, about.st_ino};
}

bool ReportFile::is_fresh() const {
  const auto now = stamp();
  return now.first != 0 && now != before_;
}

}  // namespace plumb::cli
