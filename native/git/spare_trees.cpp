#include "native/git/spare_trees.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

#include "native/base/file_bytes.hpp"

namespace plumb::git {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t listing_max = std::size_t{256} << 20U;

struct Listed {
  std::uint64_t mode = 0;
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::uint64_t changed_ns = 0;
};

std::uint64_t ns_of(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

// Of a folder its mode alone: it changes with what lies in it.
Listed listed(const struct stat& about) {
  if (S_ISDIR(about.st_mode))
    return {about.st_mode, 0, 0, 0};
  return {about.st_mode, static_cast<std::uint64_t>(about.st_size), about.st_ino, ns_of(about.st_ctim)};
}

bool same(const Listed& one, const Listed& other) {
  return one.mode == other.mode && one.size == other.size && one.inode == other.inode &&
         one.changed_ns == other.changed_ns;
}

// Where a spare tree lies, and what belongs to it: `.index` and `.files` beside it, as beside the index of an open
// tree.
std::string spare_of(const Operation& what, std::string_view kind) {
  return what.folders.spare(what.users.common_dir, kind);
}
std::string listing_of(const Operation& what) { return what.index() + ".files"; }
std::string kind_of(const Operation& what) { return what.request.find("since") != nullptr ? "aged" : "plain"; }

void remove_spare(const std::string& spare) {
  command::WorkFolders::remove(spare);
  ::unlink((spare + ".index").c_str());
  ::unlink((spare + ".files").c_str());
}

// KIND NUL, and for each path: four numbers and the path, each ended by NUL.
std::string next_piece(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\0', at), text.size());
  std::string out(text.substr(at, end - at));
  at = std::min(end + 1, text.size());
  return out;
}

std::unordered_map<std::string, Listed> read_listing(std::string_view text) {
  std::unordered_map<std::string, Listed> out;
  std::size_t at = 0;
  (void)next_piece(text, at);
  while (at < text.size()) {
    Listed one;
    for (std::uint64_t* number : {&one.mode, &one.size, &one.inode, &one.changed_ns}) {
      const std::string piece = next_piece(text, at);
      std::from_chars(piece.data(), piece.data() + piece.size(), *number);
    }
    out[next_piece(text, at)] = one;
  }
  return out;
}

// Removes what is not as listed. Nobody works in the tree meanwhile. False: it cannot be read or cleared.
bool restore(const std::string& tree, const std::unordered_map<std::string, Listed>& files) {
  std::vector<fs::path> others;
  std::error_code error;
  for (fs::recursive_directory_iterator at(tree, error), end; !error && at != end; at.increment(error)) {
    const std::string& path = at->path().native();
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0)
      return false;
    const auto found = files.find(path.substr(tree.size() + 1));
    if (found != files.end() && same(found->second, listed(about)))
      continue;
    others.push_back(at->path());
    if (S_ISDIR(about.st_mode))
      at.disable_recursion_pending();
  }
  for (const fs::path& one : others) {
    if (error || !command::WorkFolders::remove(one.string()))
      return false;
  }
  return !error;
}

struct Look {
  std::string text;
  std::size_t young = 0;  // files that may yet be changed without it being seen: not listed
  bool whole = false;
  bool fine = false;  // the file system tells times finer than whole milliseconds
};

// A file's time of change is this clock's: what is changed after the look has a time that is not before it.
Look look_at(const Operation& what, const std::vector<std::string>& files) {
  Look out;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  out.text = kind_of(what) + '\0';
  const std::string tree = what.tree() + "/";
  std::string_view folder;  // of the path before; paths come in their order
  const auto list = [&](std::string_view path) {
    struct stat about {};
    if (::lstat((tree + std::string(path)).c_str(), &about) != 0)
      return false;
    const Listed one = listed(about);
    if (one.changed_ns >= ns_of(now)) {
      ++out.young;
      return true;
    }
    out.fine = out.fine || one.changed_ns % 1'000'000 != 0;
    for (const std::uint64_t number : {one.mode, one.size, one.inode, one.changed_ns})
      out.text += std::to_string(number) + '\0';
    out.text.append(path).push_back('\0');
    return out.text.size() <= listing_max;
  };
  for (const std::string_view path : files) {
    const std::size_t slash = path.rfind('/');
    const std::string_view own = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    for (std::size_t end = 0; own != folder && end != own.size();) {
      end = std::min(own.find('/', end + 1), own.size());
      if (folder.substr(0, end) == own.substr(0, end) && (folder.size() <= end || folder[end] == '/'))
        continue;
      if (!list(own.substr(0, end)))
        return out;
    }
    folder = own;
    if (!list(path))
      return out;
  }
  out.whole = true;
  return out;
}

}  // namespace

void list_tree(const Operation& what, const std::vector<std::string>& files) {
  constexpr int looks_max = 4;
  for (int look = 1; look <= looks_max; ++look) {
    const Look seen = look_at(what, files);
    // Of a tree that was just written much is too young to be listed: a tick of the kernel later it is not.
    if (look < looks_max && seen.young > files.size() / 50) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    ::unlink(listing_of(what).c_str());
    if (seen.whole && seen.fine)
      (void)write_file(listing_of(what), seen.text);
    return;
  }
}

bool set_aside(const Operation& what) {
  const Result<std::string> listing = read_file(listing_of(what), listing_max + 4096);
  if (!listing || !what.is_open())
    return false;
  std::size_t at = 0;
  const std::string spare = spare_of(what, next_piece(listing.value(), at));
  struct stat about {};
  if (::lstat(spare.c_str(), &about) == 0)
    return false;
  // The folder last: without it the others are nothing.
  return command::WorkFolders::make(fs::path(spare).parent_path().string()) &&
         ::rename(listing_of(what).c_str(), (spare + ".files").c_str()) == 0 &&
         ::rename(what.index().c_str(), (spare + ".index").c_str()) == 0 &&
         ::rename(what.tree().c_str(), spare.c_str()) == 0;
}

bool take_spare(Operation& what) {
  const std::string kind = kind_of(what);
  const std::string spare = spare_of(what, kind);
  struct stat about {};
  if (::lstat(spare.c_str(), &about) != 0)
    return false;
  const Result<std::string> listing = read_file(spare + ".files", listing_max + 4096);
  command::WorkFolders::remove(what.tree());
  ::chmod(spare.c_str(), 0700);
  const bool taken = listing && restore(spare, read_listing(listing.value())) &&
                     command::WorkFolders::make(fs::path(what.tree()).parent_path().string()) &&
                     command::WorkFolders::make(fs::path(what.index()).parent_path().string()) &&
                     ::rename((spare + ".files").c_str(), listing_of(what).c_str()) == 0 &&
                     ::rename((spare + ".index").c_str(), what.index().c_str()) == 0 &&
                     ::rename(spare.c_str(), what.tree().c_str()) == 0;
  if (!taken) {
    remove_spare(spare);
    ::unlink(what.index().c_str());
  }
  return taken;
}

}  // namespace plumb::git
