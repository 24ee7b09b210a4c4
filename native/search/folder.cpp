#include "native/search/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/text/utf8.hpp"

namespace plumb::search {

namespace {

constexpr std::size_t left_out_max = 1000;

class Walk {
 public:
  Walk(std::string root, const FolderLimits& limits) : root_(std::move(root)), limits_(limits) {}

  Folder take(int descriptor) {
    into(descriptor, "", 1);
    std::sort(folder_.files.begin(), folder_.files.end(),
              [](const ListedFile& a, const ListedFile& b) { return a.path < b.path; });
    return std::move(folder_);
  }

 private:
  void leave_out(const std::string& path, std::string why) {
    ++folder_.left_out_count;
    if (folder_.left_out.size() < left_out_max) {
      folder_.left_out.push_back({path, std::move(why)});
    }
  }

  // Closes the descriptor.
  void into(int descriptor, const std::string& prefix, std::size_t depth) {
    DIR* directory = ::fdopendir(descriptor);
    if (directory == nullptr) {
      ::close(descriptor);
      leave_out(prefix, "cannot be listed");
      return;
    }
    std::vector<std::string> folders;
    while (const dirent* entry = ::readdir(directory)) {
      const std::string name = entry->d_name;
      if (name.front() == '.' || name == "node_modules") {
        continue;
      }
      const std::string path = prefix.empty() ? name : prefix + "/" + name;
      if (folder_.files.size() + folders.size() >= limits_.files_max) {
        folder_.cut = true;
        break;
      }
      entry_named(::dirfd(directory), name, path, folders);
    }
    std::sort(folders.begin(), folders.end());
    for (const std::string& name : folders) {
      const std::string path = prefix.empty() ? name : prefix + "/" + name;
      if (depth >= limits_.depth_max) {
        folder_.cut = true;
        leave_out(path, "lies deeper than " + std::to_string(limits_.depth_max) + " folders");
        continue;
      }
      const int inner = ::openat(::dirfd(directory), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (inner < 0) {
        leave_out(path, std::string("cannot be listed: ") + std::strerror(errno));
      } else {
        into(inner, path, depth + 1);
      }
    }
    ::closedir(directory);
  }

  void entry_named(int directory, const std::string& name, const std::string& path, std::vector<std::string>& folders) {
    struct stat about {};
    if (::fstatat(directory, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
      leave_out(path, std::string("cannot be read: ") + std::strerror(errno));
    } else if (S_ISLNK(about.st_mode)) {
      link(path);
    } else if (S_ISDIR(about.st_mode)) {
      folders.push_back(name);
    } else if (!S_ISREG(about.st_mode)) {
      leave_out(path, "is not a regular file");
    } else if (!text::is_utf8(path)) {
      leave_out(path, "has a name that is not UTF-8");
    } else {
      folder_.files.push_back({path, std::int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec,
                               static_cast<std::uint64_t>(about.st_size)});
    }
  }

  void link(const std::string& path) {
    char* const resolved = ::realpath((root_ + "/" + path).c_str(), nullptr);
    if (resolved == nullptr) {
      leave_out(path, errno == ELOOP ? "is a link that goes in a circle" : "is a link that leads nowhere");
      return;
    }
    const std::string target = resolved;
    std::free(resolved);  // NOLINT: realpath's
    const std::string inside = root_ == "/" ? root_ : root_ + "/";
    if (target != root_ && !target.starts_with(inside)) {
      leave_out(path, "is a link that leads out of the folder, to " + target);
    } else if (const std::string own = root_ + "/" + path; target == root_ || own.starts_with(target + "/")) {
      leave_out(path, "is a link that leads back to a folder around it");
    } else {
      ++folder_.links;
    }
  }

  std::string root_;
  FolderLimits limits_;
  Folder folder_;
};

}  // namespace

Result<Folder> list_folder(const std::string& folder, const FolderLimits& limits) {
  char* const resolved = ::realpath(folder.c_str(), nullptr);
  if (resolved == nullptr) {
    return Error{errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable,
                 errno == ENOENT ? "there is no such folder" : std::string("cannot be read: ") + std::strerror(errno),
                 folder, 0, 0};
  }
  const std::string root = resolved;
  std::free(resolved);  // NOLINT: realpath's
  const int descriptor = ::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return Error{errno == ENOTDIR ? ErrorCode::invalid_argument : ErrorCode::unavailable,
                 errno == ENOTDIR ? "is not a folder; a corpus is a folder of documents"
                                  : std::string("cannot be read: ") + std::strerror(errno),
                 folder, 0, 0};
  }
  return Walk(root, limits).take(descriptor);
}

}  // namespace plumb::search
