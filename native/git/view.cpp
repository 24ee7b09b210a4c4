// A tree of git made of the index or the files of a checkout, in a private repository that goes with it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>
#include <unordered_set>

#include "native/command/work_folders.hpp"
#include "native/git/checkout.hpp"
#include "native/git/view_entries.hpp"

namespace plumb::git {

namespace {

namespace fs = std::filesystem;

constexpr int removals_max = 5;  // a command that still runs may write meanwhile

Error wrong(std::string why, const std::string& where) {
  return Error{ErrorCode::unavailable, std::move(why), where, 0, 0};
}

std::string listed(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) {
    out += path;
    out += '\0';
  }
  return out;
}

// A copy with the time of the original: by that git sees which files may have been changed in the same moment.
Result<bool> copy_index(const std::string& from, const std::string& to) {
  struct stat about {};
  if (::stat(from.c_str(), &about) != 0) {
    return true;  // git has none yet
  }
  std::error_code failed;
  fs::copy_file(from, to, failed);
  const timespec times[2] = {about.st_mtim, about.st_mtim};
  if (failed || ::utimensat(AT_FDCWD, to.c_str(), times, 0) != 0) {
    return wrong("the index cannot be copied", from);
  }
  return true;
}

// The folder of a view is named after the process that made it, so that this process can find all of its own.
std::string scratch_prefix() {
  struct stat about {};
  const bool known = ::stat("/proc/self/ns/pid", &about) == 0;
  return "plumb-view-" + std::to_string(known ? about.st_ino : 0) + "-" + std::to_string(::getpid()) + "-";
}

}  // namespace

View::Scratch::~Scratch() {
  if (!folder.empty()) {
    command::WorkFolders::remove(folder);
  }
}

View::~View() = default;

void View::remove_scratch() {
  std::error_code failed;
  const std::string prefix = scratch_prefix();
  for (fs::directory_iterator at(fs::temp_directory_path(failed), failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().filename().string().starts_with(prefix)) {
      for (int i = 0; i < removals_max && !command::WorkFolders::remove(at->path().string()); ++i) {
      }
    }
  }
}

Result<View> View::begun(const Checkout& checkout) {
  View out;
  out.checkout_ = checkout;
  std::string folder = (fs::temp_directory_path() / (scratch_prefix() + "XXXXXX")).string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return wrong("no folder can be made", folder);
  }
  out.scratch_ = std::make_unique<Scratch>(Scratch{folder});
  if (const Result<bool> made = make_private(folder + "/git", checkout.repository.format); !made) {
    return made.error();
  }
  if (const Result<bool> copied = copy_index(checkout.index, folder + "/index"); !copied) {
    return copied.error();
  }
  return out;
}

// git on the person's files and our copy of their index; what it writes goes to the private repository.
Result<std::string> View::in_checkout(std::vector<std::string> words, std::string input) const {
  Call call;
  call.git_dir = checkout_.repository.git_dir;
  call.work_tree = checkout_.top;
  call.index = scratch() + "/index";
  call.objects = scratch() + "/git/objects";
  call.also = checkout_.objects;
  call.alternates = checkout_.alternates;
  call.users = true;
  call.person = checkout_.person;
  call.words = {"-c", "core.trustctime=true",    "-c", "core.checkStat=default", "-c", "core.ignoreStat=false",
                "-c", "core.looseCompression=0", "-c", "core.fsync=none",        "-c", "core.untrackedCache=false"};
  const std::string name = words.front();
  call.words.insert(call.words.end(), words.begin(), words.end());
  call.input = std::move(input);
  Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  return done.value().ok() ? Result<std::string>(std::move(done.value().out)) : git_failed(name, done.value());
}

Result<std::string> View::in_private(std::vector<std::string> words, std::string input) const {
  Call call;
  call.git_dir = scratch() + "/git";
  call.also = checkout_.objects;
  call.alternates = checkout_.alternates;
  call.words = std::move(words);
  call.input = std::move(input);
  const std::string name = call.words.front();
  Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  return done.value().ok() ? Result<std::string>(std::move(done.value().out)) : git_failed(name, done.value());
}

Result<bool> View::require_merged() const {
  const Result<std::string> unmerged = in_checkout({"ls-files", "--unmerged", "-z"});
  if (!unmerged) {
    return unmerged.error();
  }
  return unmerged.value().empty() ? Result<bool>(true)
                                  : Result<bool>(wrong("the index has conflicts: resolve them first", checkout_.top));
}

Result<bool> View::write_tree() {
  Result<std::string> tree = in_checkout({"write-tree", "--missing-ok"});
  if (!tree) {
    return tree.error();
  }
  tree_ = tree.value().substr(0, tree.value().find('\n'));
  return is_hash(tree_) ? Result<bool>(true) : Result<bool>(wrong("git wrote no tree", checkout_.top));
}

Result<View> View::of_index(const Checkout& checkout) {
  Result<View> out = begun(checkout);
  if (!out) {
    return out;
  }
  const Result<bool> written = out.value().write_tree();
  if (written) {
    return out;
  }
  const Result<bool> merged = out.value().require_merged();  // an index with conflicts gives no tree
  return merged ? written.error() : merged.error();
}

// Files that git was told not to look at are looked at all the same; and those that changed in the second in which git
// has looked at them last: git compares the seconds alone.
Result<bool> View::see_all() {
  const Result<std::string> marked = in_checkout({"ls-files", "-v", "-s", "-z", "--debug"});
  if (!marked) {
    return marked.error();
  }
  std::vector<std::string> assumed, skipped, absent;
  std::string unsure;  // entries without times
  constexpr std::string_view last = "\tflags: ", ctime = "  ctime: ";
  const std::string_view all = marked.value();
  for (std::size_t from = 0;
       from < all.size();) {  // "H MODE HASH STAGE\tPATH\0  ctime: SECONDS:NANOSECONDS\n...flags: 0\n"
    const std::size_t end = std::min(all.find('\0', from), all.size());
    const std::string_view line = all.substr(from, end - from);
    const std::size_t flags = std::min(all.find(last, end), all.size());
    const std::string_view times = all.substr(std::min(end + 1, all.size()), flags - std::min(end + 1, flags));
    from = std::min(all.find('\n', flags), all.size() - 1) + 1;
    const std::size_t tab = line.find('\t');
    const std::vector<std::string> words = pieces_of(std::string(line.substr(0, std::min(tab, line.size()))), ' ');
    if (tab == std::string_view::npos || words.size() != 4) {
      continue;
    }
    const std::string path(line.substr(tab + 1));
    struct stat about {};
    std::int64_t seconds = 0, nanoseconds = 0;
    if (times.starts_with(ctime)) {
      const char* const stop = times.data() + times.size();
      const auto read = std::from_chars(times.data() + ctime.size(), stop, seconds);
      std::from_chars(std::min(read.ptr + 1, stop), stop, nanoseconds);
    }
    if (nanoseconds != 0 && ::lstat((checkout_.top + "/" + path).c_str(), &about) == 0 &&
        static_cast<std::uint32_t>(about.st_ctim.tv_sec) == seconds && about.st_ctim.tv_nsec != nanoseconds) {
      unsure += words[1] + " " + words[2] + "\t" + path + '\0';
    }
    if (line.front() >= 'a' && line.front() <= 'z') {
      assumed.push_back(path);
    }
    if (line.front() == 'S' || line.front() == 's') {
      (::lstat((checkout_.top + "/" + path).c_str(), &about) == 0 ? skipped : absent).push_back(path);
    }
  }
  if (!unsure.empty()) {
    if (const Result<std::string> done = in_checkout({"update-index", "-z", "--index-info"}, unsure); !done) {
      return done.error();
    }
  }
  // A sparse checkout leaves files out; without one, they were removed.
  const Result<std::string> sparse =
      absent.empty() ? Result<std::string>("")
                     : in_checkout({"config", "--type=bool", "--default=false", "--get", "core.sparseCheckout"});
  std::vector<std::string>& to = sparse && sparse.value().starts_with("true") ? left_out_ : skipped;
  to.insert(to.end(), absent.begin(), absent.end());
  for (const auto& [paths, mark] :
       {std::pair{&assumed, "--no-assume-unchanged"}, std::pair{&skipped, "--no-skip-worktree"}}) {
    if (paths->empty()) {
      continue;
    }
    if (const Result<std::string> done = in_checkout({"update-index", mark, "-z", "--stdin"}, listed(*paths)); !done) {
      return done.error();
    }
  }
  return true;
}

// What an attribute names and the configuration has a command for: it would be run on each file.
Result<bool> View::turn_filters_off() {
  const Result<std::string> all = in_checkout({"config", "--name-only", "-z", "--list"});
  if (!all) {
    return all.error();
  }
  std::set<std::string> names;
  for (const std::string& name : pieces_of(all.value())) {
    if (name.starts_with("filter.")) {
      names.insert(name);
    }
  }
  auto& person = checkout_.person;
  std::size_t count = 0;
  const auto counted = [](const auto& one) { return one.first == "GIT_CONFIG_COUNT"; };
  if (const auto said = std::find_if(person.begin(), person.end(), counted); said != person.end()) {
    count = static_cast<std::size_t>(std::atoi(said->second.c_str()));
    person.erase(said);
  }
  for (const std::string& name : names) {
    person.emplace_back("GIT_CONFIG_KEY_" + std::to_string(count), name);
    person.emplace_back("GIT_CONFIG_VALUE_" + std::to_string(count++), name.ends_with(".required") ? "false" : "");
  }
  person.emplace_back("GIT_CONFIG_COUNT", std::to_string(count));
  return true;
}

// What is not in the checkout as the index has it, within bounds.
Result<std::vector<std::string>> View::touched(const TreeLimits& limits) {
  const Result<std::string> listed_all =
      in_checkout({"ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"});
  if (!listed_all) {
    return listed_all.error();
  }
  std::set<std::string> paths;
  for (std::string& path : pieces_of(listed_all.value())) {
    if (!path.ends_with('/')) {
      paths.insert(std::move(path));
      continue;
    }
    path.pop_back();  // a repository that is no submodule yet: its files are its own
    findings_.push_back(nested_repository(path));
  }
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    struct stat about {};
    if (::lstat((checkout_.top + "/" + path).c_str(), &about) != 0 || S_ISDIR(about.st_mode)) {
      continue;
    }
    const auto size = static_cast<std::uint64_t>(about.st_size);
    bytes += size;
    if (size > limits.file_max) {
      return Error{ErrorCode::limit,
                   "has " + std::to_string(size) + " bytes; a file may have " + std::to_string(limits.file_max) +
                       ": add it to .gitignore, or leave it out of the change",
                   path, 0, 0};
    }
  }
  if (paths.size() > limits.files_max || bytes > limits.bytes_max) {
    return Error{ErrorCode::limit,
                 std::to_string(paths.size()) + " files of " + std::to_string(bytes) +
                     " bytes are changed; there may be " + std::to_string(limits.files_max) + " of " +
                     std::to_string(limits.bytes_max),
                 checkout_.top, 0, 0};
  }
  return std::vector<std::string>(paths.begin(), paths.end());
}

Result<View> View::of_files(const Checkout& checkout, const TreeLimits& limits) {
  Result<View> begins = begun(checkout);
  if (!begins) {
    return begins;
  }
  View& out = begins.value();
  for (const Result<bool>& done : {out.require_merged(), out.see_all(), out.turn_filters_off()}) {
    if (!done) {
      return done.error();
    }
  }
  const Result<std::vector<std::string>> paths = out.touched(limits);
  if (!paths) {
    return paths.error();
  }
  if (!paths.value().empty()) {
    const Result<std::string> added =
        out.in_checkout({"update-index", "-z", "--add", "--remove", "--replace", "--stdin"}, listed(paths.value()));
    if (!added) {
      return added.error();
    }
    if (const Result<bool> found = out.find_left_out(paths.value()); !found) {
      return found.error();
    }
  }
  if (const Result<bool> written = out.write_tree(); !written) {
    return written.error();
  }
  return begins;
}

// Files that git did not take although it was told to: names such as `.GIT`.
Result<bool> View::find_left_out(const std::vector<std::string>& added) {
  const Result<std::string> others = in_checkout({"ls-files", "-z", "--others", "--exclude-standard"});
  if (!others) {
    return others.error();
  }
  for (const std::string& path : pieces_of(others.value())) {
    if (std::find(added.begin(), added.end(), path) != added.end()) {
      findings_.push_back(
          {"git-folder", path,
           "git does not take the name '" + path + "', so the file was not judged: rename the file or remove it"});
    }
  }
  return true;
}

Result<std::string> View::patch(const std::string& from, const std::vector<std::string>& as_text) const {
  std::vector<std::string> words = {
      "diff-tree",     "-r",         "-p",           "--no-renames",    "--no-ext-diff",
      "--no-textconv", "--no-color", "--full-index", "--src-prefix=a/", "--dst-prefix=b/"};
  if (as_text.empty()) {
    words.insert(words.end(), {from, tree_});
    return in_private(std::move(words));
  }
  constexpr std::size_t at_once = 500;
  words.insert(words.begin(), "--literal-pathspecs");
  words.insert(words.end(), {"--text", from, tree_, "--"});
  std::string out;
  for (std::size_t i = 0; i < as_text.size(); i += at_once) {
    std::vector<std::string> part = words;
    for (std::size_t k = i; k < std::min(i + at_once, as_text.size()); ++k) {
      part.push_back(as_text[k]);
    }
    const Result<std::string> piece = in_private(std::move(part));
    if (!piece) {
      return piece;
    }
    out += piece.value();
  }
  return out;
}

Result<std::vector<std::string>> View::present_paths(const std::string& from) const {
  const Result<std::string> names =
      in_private({"diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=AMT", from, tree_});
  return names ? Result<std::vector<std::string>>(pieces_of(names.value())) : names.error();
}

Result<std::shared_ptr<const View::Entries>> View::entries(const std::string& tree) const {
  std::shared_ptr<const Entries>& known = entries_[tree];
  if (known == nullptr) {
    const Result<std::string> listed = in_private({"ls-tree", "-r", "-z", "--full-tree", tree});
    if (!listed) {
      return listed.error();
    }
    Entries all;
    for (Entry& one : entries_of(listed.value())) {
      std::string path = one.path;
      all.emplace(std::move(path), std::move(one));
    }
    known = std::make_shared<const Entries>(std::move(all));
  }
  return known;
}

Result<std::optional<std::string>> View::text_in(const std::string& tree, const std::string& path) const {
  const Result<std::shared_ptr<const Entries>> all = entries(tree);
  if (!all) {
    return all.error();
  }
  const auto found = all.value()->find(path);
  if (found == all.value()->end() || found->second.mode == "160000") {
    return std::optional<std::string>();
  }
  Result<std::string> text = in_private({"cat-file", "blob", found->second.hash});
  return text ? Result<std::optional<std::string>>(std::move(text).value()) : text.error();
}

Result<std::optional<std::string>> View::text(const std::string& path) const {
  const Result<std::shared_ptr<const Entries>> all = entries(tree_);
  if (!all) {
    return all.error();
  }
  const auto found = all.value()->find(path);
  const bool file = found != all.value()->end() && found->second.mode != "120000";
  return file ? text_in(tree_, path) : Result<std::optional<std::string>>(std::optional<std::string>());
}

std::string View::hash(const std::string& path) const {
  const Result<std::shared_ptr<const Entries>> all = entries(tree_);
  const auto found = all ? all.value()->find(path) : Entries::const_iterator();
  return all && found != all.value()->end() ? found->second.hash : std::string();
}

std::vector<std::string> View::repositories() const {
  const Result<std::shared_ptr<const Entries>> all = entries(tree_);
  std::vector<std::string> out;
  for (const auto& [path, one] : all ? *all.value() : Entries()) {
    if (one.mode == "160000") {
      out.push_back(path);
    }
  }
  return out;
}

// git on a folder and an index of ours.
Result<bool> View::write_out(const std::string& folder, const std::string& index,
                             std::vector<std::string> words) const {
  Call call;
  call.git_dir = scratch() + "/git";
  call.also = checkout_.objects;
  call.alternates = checkout_.alternates;
  call.work_tree = folder;
  call.index = index;
  // Names that only other systems could take for something else are names.
  call.words = {"-c", "core.protectNTFS=false", "-c", "core.protectHFS=false"};
  const std::string name = words.front();
  call.words.insert(call.words.end(), words.begin(), words.end());
  const Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  return done.value().ok() ? Result<bool>(true) : Result<bool>(git_failed(name, done.value()));
}

Result<bool> View::lay_out(const std::string& folder) const {
  const std::string index = scratch() + "/laid-out";
  ::unlink(index.c_str());
  const Result<bool> done = write_out(folder, index, {"read-tree", "--reset", "-u", tree_});
  return done ? lay_out_modules(folder) : done;
}

Result<bool> View::lay_out_again(const std::string& folder, const std::string& index) const {
  if (!repositories().empty()) {
    return false;
  }
  const Result<std::shared_ptr<const Entries>> all = entries(tree_);
  if (!all) {
    return all.error();
  }
  std::unordered_set<std::string> folders;
  for (const auto& [path, one] : *all.value()) {
    for (std::size_t at = path.rfind('/'); at != std::string::npos && at > 0; at = path.rfind('/', at - 1)) {
      if (!folders.insert(path.substr(0, at)).second) {
        break;
      }
    }
  }
  // git leaves alone what has the name `.git`, so it is not asked to do this.
  std::vector<std::string> open = {""}, others;
  while (!open.empty()) {
    const std::string inner = std::move(open.back());
    open.pop_back();
    std::error_code failed;
    for (fs::directory_iterator at(folder + "/" + inner, failed), end; !failed && at != end; at.increment(failed)) {
      const std::string path = (inner.empty() ? "" : inner + "/") + at->path().filename().string();
      std::error_code none;
      const bool is_folder = !at->is_symlink(none) && at->is_directory(none);
      if (is_folder && folders.count(path) != 0) {
        open.push_back(path);
      } else if (is_folder || all.value()->count(path) == 0) {
        others.push_back(path);
      }
    }
    if (failed) {
      return wrong("the copy cannot be read: " + failed.message(), folder + "/" + inner);
    }
  }
  for (const std::string& path : others) {
    if (!command::WorkFolders::remove(folder + "/" + path)) {
      return wrong("cannot be removed from the copy", folder + "/" + path);
    }
  }
  return write_out(folder, index, {"read-tree", "--reset", "-u", tree_});
}

// A submodule lies where it is checked out, at the commit that the tree names; elsewhere its folder stays empty.
Result<bool> View::lay_out_modules(const std::string& folder) const {
  const Result<std::shared_ptr<const Entries>> all = entries(tree_);
  if (!all) {
    return all.error();
  }
  for (const auto& [path, one] : *all.value()) {
    const std::string from = checkout_.top + "/" + one.path;
    struct stat about {};
    if (one.mode != "160000" || ::lstat((from + "/.git").c_str(), &about) != 0) {
      continue;
    }
    const Result<Checkout> module = find_checkout(from, true);
    if (!module || module.value().repository.git_dir == checkout_.repository.git_dir) {
      continue;
    }
    Result<View> view = begun(module.value());
    if (!view) {
      return view.error();
    }
    const Result<std::string> commit = commit_of(module.value().repository.git_dir, one.hash, true);
    if (!commit || commit.value().empty()) {
      continue;
    }
    view.value().tree_ = commit.value();
    if (const Result<bool> out = view.value().lay_out(folder + "/" + one.path); !out) {
      return out;
    }
  }
  return true;
}

}  // namespace plumb::git
