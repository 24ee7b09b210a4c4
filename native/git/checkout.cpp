// Where a checkout is found, with what git has said of itself in the environment.
#include "native/git/checkout.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "native/base/file_bytes.hpp"

namespace plumb::git {

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

constexpr int settings_max = 100;
constexpr std::uint64_t gitdir_bytes_max = 64 << 10U;

void take(Variables& out, const char* name) {
  if (const char* value = std::getenv(name); value != nullptr) {
    out.emplace_back(name, value);
  }
}

// The person's own configuration of git.
Variables persons() {
  Variables out;
  for (const char* name : {"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
                           "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}) {
    take(out, name);
  }
  const char* said = std::getenv("GIT_CONFIG_COUNT");
  int count = 0;
  if (said != nullptr) {
    std::from_chars(said, said + std::string_view(said).size(), count);
  }
  for (int i = 0; i < std::min(count, settings_max); ++i) {
    take(out, ("GIT_CONFIG_KEY_" + std::to_string(i)).c_str());
    take(out, ("GIT_CONFIG_VALUE_" + std::to_string(i)).c_str());
  }
  if (out.empty()) {
    out.emplace_back("HOME", "/nonexistent");
  }
  return out;
}

// Which repository, index and objects git is at work on: what it tells its hooks.
Variables at_work() {
  Variables out;
  for (const char* name :
       {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"}) {
    take(out, name);
  }
  return out;
}

std::string real_path(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  return failed ? std::string() : real.string();
}

// The top of the checkout that a folder lies in. The configuration of a repository may name another one, whose files
// nobody works on here.
std::string top_around(const std::string& folder, const std::string& said) {
  const std::string here = real_path(folder), top = real_path(said);
  if (top.empty() || here == top || here.starts_with(top == "/" ? top : top + "/")) {
    return said;
  }
  std::error_code failed;
  for (std::filesystem::path at = here; at.has_relative_path(); at = at.parent_path()) {
    if (std::filesystem::exists(std::filesystem::symlink_status(at / ".git", failed))) {
      return at.string();
    }
  }
  return said;
}

// Answers of git by folder, once remember_checkouts() is called.
struct Remembering {
  std::mutex mutex;
  bool on = false;
  std::map<std::pair<std::string, bool>, Checkout> known;
};
Remembering& remembering() {
  static Remembering one;
  return one;
}

Result<Checkout> found_with(const std::string& folder, const Variables& more) {
  Checkout out;
  out.person = persons();
  Variables environment = out.person;
  environment.insert(environment.end(), more.begin(), more.end());
  const Result<Done> done =
      run_persons_git(folder,
                      {"rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir",
                       "--git-path", "index", "--git-path", "objects", "--show-object-format"},
                      std::move(environment));
  if (!done) {
    return done.error();
  }
  if (!done.value().ok()) {
    return no_repository(folder, done.value());
  }
  const std::vector<std::string> lines = pieces_of(done.value().out, '\n');
  if (lines.size() != 6) {
    return Error{ErrorCode::invalid_argument, "a folder whose name has a line break cannot be worked on", folder, 0, 0};
  }
  const bool named =
      std::any_of(more.begin(), more.end(), [](const auto& one) { return one.first == "GIT_WORK_TREE"; });
  out.top = named ? lines[0] : top_around(folder, lines[0]);
  out.repository = {lines[1], lines[2], lines[5]};
  out.index = lines[3];
  out.objects = lines[4];
  for (const auto& [name, value] : more) {
    out.alternates = name == "GIT_ALTERNATE_OBJECT_DIRECTORIES" ? value : out.alternates;
  }
  return out;
}

}  // namespace

std::vector<std::string> pieces_of(const std::string& text, char end) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(end, from), text.size());
    out.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

void remember_checkouts() {
  Remembering& all = remembering();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.on = true;
}

namespace {

Result<Checkout> find_with_variables(const std::string& folder, bool named) {
  const Variables told = at_work();
  Result<Checkout> plain = found_with(folder, {});
  if (told.empty()) {
    return plain;
  }
  Result<Checkout> with = found_with(folder, told);
  if (!with) {
    return plain ? plain : with;
  }
  const bool same = plain && plain.value().repository.git_dir == with.value().repository.git_dir;
  if (same && std::getenv("GIT_WORK_TREE") == nullptr) {
    // GIT_DIR alone makes git take the working directory for the top.
    with.value().top = plain.value().top;
  }
  return named && plain && !same ? plain : with;
}

}  // namespace

Result<Checkout> find_checkout(const std::string& folder, bool named) {
  Remembering& all = remembering();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const std::pair<std::string, bool> key(all.on ? real_path(folder) : std::string(), named);
  const auto known = all.known.find(key);
  if (!key.first.empty() && known != all.known.end()) {
    return known->second;
  }
  Result<Checkout> out = find_with_variables(folder, named);
  if (!key.first.empty() && out) {
    all.known[key] = out.value();
  }
  return out;
}

std::string top_of(const std::string& folder) {
  const Result<Checkout> found = find_checkout(folder, true);
  return found ? found.value().top : folder;
}

std::vector<std::string> other_work_trees(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  const Result<Checkout> here = find_checkout(folder, true);
  if (!here || here.value().repository.git_dir == here.value().repository.common_dir) {
    return out;
  }
  // The folder of the work tree that has this folder of git's.
  const auto top_by = [&](const fs::path& git_dir) {
    const Result<std::string> said = read_file((git_dir / "gitdir").string(), gitdir_bytes_max);
    const std::string line = said ? said.value().substr(0, said.value().find('\n')) : std::string();
    return line.empty() ? std::string() : real_path((git_dir / line).parent_path());
  };
  const fs::path own = here.value().repository.git_dir, common = here.value().repository.common_dir;
  const std::string top = real_path(here.value().top);
  if (top.empty() || top_by(own) != top || real_path(own.parent_path()) != real_path(common / "worktrees")) {
    return out;  // its .git names a repository that does not know it
  }
  if (common.filename() == ".git") {
    out.push_back(real_path(common.parent_path()));
  }
  std::error_code failed;
  for (fs::directory_iterator at(common / "worktrees", failed), end; !failed && at != end; at.increment(failed)) {
    if (const std::string other = top_by(at->path()); !other.empty() && other != top) {
      out.push_back(other);
    }
  }
  std::sort(out.begin() + (common.filename() == ".git" ? 1 : 0), out.end());
  return out;
}

Call Checkout::call_of(std::vector<std::string> words) const {
  Call call;
  call.git_dir = repository.git_dir;
  call.work_tree = top;
  call.index = index;
  call.users = true;
  call.person = person;
  call.also = objects;
  call.alternates = alternates;
  call.words = std::move(words);
  return call;
}

Result<std::string> Checkout::says(std::vector<std::string> words) const {
  const std::string name = words.front();
  Result<Done> done = run_git(call_of(std::move(words)));
  if (!done) {
    return done.error();
  }
  return done.value().ok() ? Result<std::string>(std::move(done.value().out)) : git_failed(name, done.value());
}

bool Checkout::index_is_passing() const {
  return std::filesystem::path(index).filename().string().starts_with("next-index-");
}

namespace {

// git's own lock on an index: while it is held, no git writes the index.
class IndexLock {
 public:
  explicit IndexLock(const std::string& index) : file_(index + ".lock") {
    constexpr int tries = 50;
    for (int i = 0; i < tries && descriptor_ < 0; ++i) {
      descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      if (descriptor_ < 0) {
        ::usleep(100'000);
      }
    }
  }
  IndexLock(const IndexLock&) = delete;
  IndexLock& operator=(const IndexLock&) = delete;
  ~IndexLock() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
      ::unlink(file_.c_str());
    }
  }
  bool held() const { return descriptor_ >= 0; }
  // The index becomes this file.
  bool replace_by(const std::string& file, const std::string& index) {
    const Result<std::string> bytes = read_file(file, std::uint64_t{1} << 30U);
    if (!bytes || !write_file(file_, bytes.value()) || ::rename(file_.c_str(), index.c_str()) != 0) {
      return false;
    }
    ::close(std::exchange(descriptor_, -1));
    return true;
  }

 private:
  std::string file_;
  int descriptor_ = -1;
};

}  // namespace

Result<std::vector<std::string>> Checkout::stage(const std::vector<Restaged>& texts,
                                                 const std::function<Result<bool>(const Restaged&)>& take) const {
  IndexLock lock(index);
  if (!lock.held()) {
    return Error{ErrorCode::unavailable, "another git works on the index, so nothing was staged", index + ".lock", 0,
                 0};
  }
  const Result<std::string> listed = says({"ls-files", "--stage", "-z"});
  if (!listed) {
    return listed.error();
  }
  std::map<std::string, Entry> known;
  for (Entry& one : entries_of_index(listed.value())) {
    known[one.path] = one;
  }
  std::vector<std::string> left;
  std::string entries;
  for (const Restaged& one : texts) {
    const auto found = known.find(one.path);
    if (found == known.end() || found->second.hash != one.was) {
      left.push_back(one.path);
      continue;
    }
    const Result<bool> taken = take(one);
    if (!taken) {
      return taken.error();
    }
    if (!taken.value()) {
      continue;
    }
    Call write = call_of({"hash-object", "-w", "--stdin"});
    write.objects = objects;
    write.input = one.text;
    const Result<Done> written = run_git(write);
    if (!written) {
      return written.error();
    }
    if (!written.value().ok()) {
      return git_failed("hash-object", written.value());
    }
    entries +=
        found->second.mode + " " + written.value().out.substr(0, written.value().out.find('\n')) + "\t" + one.path;
    entries += '\0';
  }
  if (entries.empty()) {
    return left;
  }
  // Written beside the index, and put in its place while the lock is held.
  const std::string fresh = index + ".plumb";
  std::error_code failed;
  std::filesystem::copy_file(index, fresh, std::filesystem::copy_options::overwrite_existing, failed);
  Call update = call_of({"update-index", "-z", "--index-info"});
  update.index = fresh;
  update.input = std::move(entries);
  const Result<Done> done =
      failed ? Result<Done>(Error{ErrorCode::unavailable, failed.message(), fresh, 0, 0}) : run_git(update);
  const bool replaced = done && done.value().ok() && lock.replace_by(fresh, index);
  ::unlink(fresh.c_str());
  if (!done) {
    return done.error();
  }
  return replaced ? Result<std::vector<std::string>>(std::move(left)) : git_failed("update-index", done.value());
}

std::optional<std::string> Checkout::text(const std::string& tree, const std::string& path) const {
  const Result<std::string> said = says({"cat-file", "blob", tree + ":" + path});
  return said ? std::optional(said.value()) : std::nullopt;
}

std::string Checkout::empty_tree() const {
  return repository.format == "sha256" ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
                                       : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}

Result<std::string> Checkout::head_tree() const {
  const Result<std::string> head = commit_of(repository.git_dir, "HEAD", true);
  if (!head) {
    return head.error();
  }
  return head.value().empty() ? Result<std::string>(empty_tree()) : head;
}

// The full names of all refs that git may take for this name.
std::vector<std::string> Checkout::refs_named(const std::string& name) const {
  const std::string plain = name.substr(0, name.find_first_of("~^:@"));
  std::vector<std::string> out;
  if (plain.starts_with("refs/") || plain.empty()) {
    return out;
  }
  std::vector<std::string> full;
  for (const char* before : {"refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}) {
    full.push_back(before + plain);
  }
  full.push_back("refs/remotes/" + plain + "/HEAD");
  std::vector<std::string> words = {"for-each-ref", "--format=%(refname)"};
  words.insert(words.end(), full.begin(), full.end());
  const Result<std::string> said = says(std::move(words));
  for (std::string& one : pieces_of(said ? said.value() : std::string(), '\n')) {
    if (std::find(full.begin(), full.end(), one) != full.end()) {  // not what only begins so
      out.push_back(std::move(one));
    }
  }
  // A file such as .git/main goes before every ref.
  std::error_code failed;
  for (const std::string& folder : std::set<std::string>{repository.git_dir, repository.common_dir}) {
    if (!out.empty() && std::filesystem::is_regular_file(folder + "/" + plain, failed)) {
      out.push_back(folder + "/" + plain);
    }
  }
  return out;
}

Result<std::string> Checkout::shared_tree(const std::string& other) const {
  if (other.empty() || other.front() == '-') {
    return Error{ErrorCode::invalid_argument, "names no commit", "--base", 0, 0};
  }
  const std::vector<std::string> names = refs_named(other);
  if (names.size() > 1) {
    std::string all;
    for (const std::string& one : names) {
      all += (all.empty() ? "" : ", ") + one;
    }
    return Error{ErrorCode::invalid_argument, "'" + other + "' is ambiguous: write the full name, one of " + all,
                 "--base", 0, 0};
  }
  Result<std::string> common = says({"merge-base", other, "HEAD"});
  if (common) {
    common.value().resize(std::min(common.value().find('\n'), common.value().size()));
  }
  return common;
}

}  // namespace plumb::git
