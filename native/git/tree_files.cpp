#include "native/git/tree_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/ascii.hpp"

namespace plumb::git {

namespace {

constexpr std::size_t path_max = 4000;
constexpr std::size_t findings_max = 100;

class File {
 public:
  explicit File(int file) : file_(file) {}
  ~File() {
    if (file_ >= 0) {
      ::close(file_);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File(File&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  int get() const { return file_; }
  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    out.emplace_back(path.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

// What file systems take for `.git`: other cases, dots or blanks at its end, its short name on Windows, characters that
// macOS does not see.
bool is_dot_git(std::string_view part) {
  constexpr std::string_view first = ".gG\xE2\xEF";
  if (part.empty() || first.find(part.front()) == std::string_view::npos) {
    return false;
  }
  std::string plain;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto c = static_cast<unsigned char>(part[i]);
    if (c == 0xE2 && i + 2 < part.size() && static_cast<unsigned char>(part[i + 1]) == 0x80) {
      i += 2;  // U+2000 to U+203F: among them those that are not seen
      continue;
    }
    if (c == 0xEF && i + 2 < part.size() && part.substr(i, 3) == "\xEF\xBB\xBF") {
      i += 2;
      continue;
    }
    plain += part[i];
  }
  plain = ascii::lower(plain);
  plain = plain.substr(0, plain.find(':'));
  while (!plain.empty() && (plain.back() == '.' || plain.back() == ' ')) {
    plain.pop_back();
  }
  return plain == ".git" || plain == "git~1";
}

Error failed(std::string_view path, const std::string& why) {
  return Error{ErrorCode::invalid_argument, "'" + std::string(path) + "' " + why, "", 0, 0};
}

std::string reason(int error) {
  return error == ELOOP || error == ENOTDIR ? "leads through a link or something that is not a folder"
                                            : std::string("cannot be used: ") + std::strerror(error);
}

// The folder that holds the last part of a path; made where `make` says so.
Result<File> folder_of(const std::string& tree, const std::vector<std::string>& parts, bool make,
                       const std::string& path) {
  File at(::open(tree.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (at.get() < 0) {
    return Error{ErrorCode::not_found, "the folder of the tree has vanished", "", 0, 0};
  }
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const bool made = make && ::mkdirat(at.get(), parts[i].c_str(), 0755) == 0;
    if (make && !made && errno != EEXIST) {
      return failed(path, reason(errno));
    }
    // Whatever this process leaves out of modes.
    if (made && ::fchmodat(at.get(), parts[i].c_str(), 0755, 0) != 0) {
      return failed(path, reason(errno));
    }
    File next(::openat(at.get(), parts[i].c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next.get() < 0) {
      return failed(path, reason(errno));
    }
    at = std::move(next);
  }
  return at;
}

struct Walk {
  const TreeLimits& limits;
  const Visit& visit;
  std::vector<TreeFinding> findings = {};
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool over = false;

  void find(std::string rule, std::string path, std::string message) {
    if (findings.size() < findings_max) {
      findings.push_back({std::move(rule), std::move(path), std::move(message)});
    }
  }
  void too_large(const std::string& path, std::string message) {
    find("too-large", path, std::move(message));
    over = true;
  }
  void walk(File folder, const std::string& prefix, std::size_t level);
};

void Walk::walk(File folder, const std::string& prefix, std::size_t level) {
  DIR* directory = ::fdopendir(folder.get());
  if (directory == nullptr) {
    return;
  }
  (void)folder.release();
  while (const dirent* entry = over ? nullptr : ::readdir(directory)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") {
      continue;
    }
    const std::string path = prefix.empty() ? name : prefix + "/" + name;
    struct stat about {};
    if (::fstatat(::dirfd(directory), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (is_dot_git(name)) {
      find("git-folder", path, "is what git would take orders from");
    }
    if (++files > limits.files_max) {
      too_large("", "the tree has more than " + std::to_string(limits.files_max) + " files and folders");
    }
    if (visit && !visit(path, about)) {
      continue;
    }
    if (S_ISDIR(about.st_mode)) {
      if (level >= limits.levels_max) {
        too_large(path, "lies more than " + std::to_string(limits.levels_max) + " folders deep");
        break;
      }
      File inner(::openat(::dirfd(directory), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (inner.get() >= 0) {
        walk(std::move(inner), path, level + 1);
      }
    } else if (S_ISREG(about.st_mode)) {
      const auto size = static_cast<std::uint64_t>(about.st_size);
      bytes += size;
      if (size > limits.file_max) {
        find("too-large", path,
             "has " + std::to_string(size) + " bytes; a file may have " + std::to_string(limits.file_max));
      }
      if (bytes > limits.bytes_max) {
        too_large("", "the tree has more than " + std::to_string(limits.bytes_max) + " bytes");
      }
    }
  }
  ::closedir(directory);
}

}  // namespace

std::string bad_path(std::string_view path) {
  if (path.empty() || path.size() > path_max || path.find('\0') != std::string_view::npos) {
    return "is not a path";
  }
  if (path.front() == '/') {
    return "is absolute; a path is relative to its tree";
  }
  for (const std::string& part : parts_of(path)) {
    if (part.empty() || part == "." || part == "..") {
      return part == ".." ? "leads out of its tree" : "has an empty part";
    }
    if (is_dot_git(part)) {
      return "is what git would take orders from";
    }
  }
  return {};
}

bool is_git_name(std::string_view path) {
  const auto parts = parts_of(path);
  return std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
    return is_dot_git(part) || ascii::lower(part).starts_with(".git");
  });
}

bool leaves_tree(std::string_view path, std::string_view target) {
  if (target.empty() || target.front() == '/') {
    return true;
  }
  auto level = static_cast<std::ptrdiff_t>(parts_of(path).size()) - 1;
  for (const std::string& part : parts_of(target)) {
    if (part == "..") {
      if (--level < 0) {
        return true;
      }
    } else if (is_dot_git(part)) {
      return true;
    } else if (!part.empty() && part != ".") {
      ++level;
    }
  }
  return false;
}

Result<std::vector<TreeFinding>> look_over(const std::string& tree, const TreeLimits& limits, const Visit& visit) {
  File folder(::open(tree.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.get() < 0) {
    return Error{ErrorCode::not_found, "the folder of the tree has vanished", "", 0, 0};
  }
  Walk walk{limits, visit};
  walk.walk(std::move(folder), "", 1);
  std::sort(walk.findings.begin(), walk.findings.end(),
            [](const TreeFinding& one, const TreeFinding& other) { return one.path < other.path; });
  return std::move(walk.findings);
}

Result<std::string> read_in(const std::string& tree, const std::string& path, const TreeLimits& limits) {
  if (const std::string bad = bad_path(path); !bad.empty()) {
    return failed(path, bad);
  }
  const auto parts = parts_of(path);
  const Result<File> folder = folder_of(tree, parts, false, path);
  if (!folder) {
    return folder.error();
  }
  const File file(::openat(folder.value().get(), parts.back().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0) {
    return failed(path, reason(errno));
  }
  if (!S_ISREG(about.st_mode)) {
    return failed(path, "is not a regular file");
  }
  std::string out;
  std::array<char, std::size_t{1} << 16U> buffer{};
  for (;;) {
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      return failed(path, reason(errno));
    }
    if (size == 0) {
      return out;
    }
    out.append(buffer.data(), static_cast<std::size_t>(size));
    if (out.size() > limits.text_max) {
      return failed(path, "has more than " + std::to_string(limits.text_max) + " bytes, the most that is read");
    }
  }
}

Result<bool> write_in(const std::string& tree, const std::string& path, const std::string& text, bool executable) {
  if (const std::string bad = bad_path(path); !bad.empty()) {
    return failed(path, bad);
  }
  const auto parts = parts_of(path);
  const Result<File> folder = folder_of(tree, parts, true, path);
  if (!folder) {
    return folder.error();
  }
  const int at = folder.value().get();
  const std::string& name = parts.back();
  if (::unlinkat(at, name.c_str(), 0) != 0 && errno != ENOENT) {
    return failed(path, errno == EISDIR ? "is a folder" : reason(errno));
  }
  const File file(
      ::openat(at, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, executable ? 0755 : 0644));
  if (file.get() < 0) {
    return failed(path, reason(errno));
  }
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t size = ::write(file.get(), text.data() + written, text.size() - written);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size <= 0) {
      return failed(path, reason(errno));
    }
    written += static_cast<std::size_t>(size);
  }
  ::fchmod(file.get(), executable ? 0755 : 0644);
  return true;
}

Result<bool> remove_in(const std::string& tree, const std::string& path) {
  if (const std::string bad = bad_path(path); !bad.empty()) {
    return failed(path, bad);
  }
  const auto parts = parts_of(path);
  const Result<File> folder = folder_of(tree, parts, false, path);
  if (!folder) {
    return folder.error();
  }
  if (::unlinkat(folder.value().get(), parts.back().c_str(), 0) != 0) {
    return failed(path, errno == ENOENT ? "is not there" : reason(errno));
  }
  return true;
}

std::string link_in(const std::string& tree, const std::string& path) {
  const auto parts = parts_of(path);
  const Result<File> folder = folder_of(tree, parts, false, path);
  std::array<char, 4096> buffer{};
  const ssize_t size =
      folder ? ::readlinkat(folder.value().get(), parts.back().c_str(), buffer.data(), buffer.size()) : -1;
  return size < 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(size));
}

}  // namespace plumb::git
