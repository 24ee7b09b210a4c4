#include "native/base/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace plumb {

std::string reason_of(int error_number) {
  switch (error_number) {
    case ENOENT:
      return "no such file or directory";
    case EACCES:
      return "permission denied; give yourself the right to read it (chmod, or another user)";
    case EISDIR:
      return "is a directory, not a file";
    case ENOTDIR:
      return "a part of the path is not a directory";
    case ELOOP:
      return "a symbolic link that leads to itself; remove or correct it";
    case ENAMETOOLONG:
      return "the name is too long for this system";
    case EMFILE:
    case ENFILE:
      return "too many open files; try a smaller --jobs or raise ulimit -n";
    case ENOSPC:
      return "no space left on the device";
    default:
      return std::generic_category().message(error_number);
  }
}

namespace {

Error cannot_read(const std::string& path, int error_number) {
  std::string why = reason_of(error_number);
  if (error_number == ENOENT) {
    struct stat link {};
    if (::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) {
      why = "a symbolic link to something that is not there; remove or correct it";
    }
  }
  return Error{error_number == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable, "cannot be read: " + why, path,
               0, 0};
}

}  // namespace

Result<FileReader> FileReader::open(const std::string& path) {
  if (path == "-") {
    return FileReader(STDIN_FILENO, path);
  }
  if (path.find('\0') != std::string::npos) {
    return cannot_read(path.substr(0, path.find('\0')), ENOENT);
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    return cannot_read(path, errno);
  }
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return cannot_read(path, EISDIR);
  }
  return FileReader(descriptor, path);
}

FileReader::FileReader(FileReader&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

FileReader::~FileReader() {
  if (descriptor_ > STDERR_FILENO) {
    ::close(descriptor_);
  }
}

Result<std::size_t> FileReader::read(char* into, std::size_t size) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, into, size);
    if (count >= 0) {
      return static_cast<std::size_t>(count);
    }
    if (errno != EINTR) {
      return cannot_read(path_, errno);
    }
  }
}

Result<std::string> read_file(const std::string& path, std::uint64_t bytes_max) {
  Result<FileReader> reader = FileReader::open(path);
  if (!reader) {
    return reader.error();
  }
  std::string text;
  std::size_t used = 0;
  for (;;) {
    if (text.size() - used < 65536) {
      text.resize(std::max<std::size_t>(text.size() * 2, 131072));
    }
    const Result<std::size_t> count = reader.value().read(text.data() + used, text.size() - used);
    if (!count) {
      return count.error();
    }
    if (count.value() == 0) {
      break;
    }
    used += count.value();
    if (used > bytes_max) {
      return Error{ErrorCode::limit, "has more than " + std::to_string(bytes_max) + " bytes, too much for this use",
                   path, 0, 0};
    }
  }
  text.resize(used);
  return text;
}

void give_to_folder_owner(int descriptor, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
  struct stat status {};
  if (::geteuid() == 0 && ::stat(folder.c_str(), &status) == 0 && status.st_uid != 0) {
    (void)!::fchown(descriptor, status.st_uid, status.st_gid);
  }
}

Result<bool> write_file(const std::string& path, std::string_view text, std::optional<unsigned> mode) {
  const auto fail = [&path](int number) {
    return Error{ErrorCode::unavailable, "cannot be written: " + reason_of(number), path, 0, 0};
  };
  // What is no ordinary file (a pipe, a device) is written into; a link is followed.
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  std::string target = path;
  if (char* const resolved = there ? ::realpath(path.c_str(), nullptr) : nullptr) {
    target = resolved;
    ::free(resolved);
  }
  const bool beside = !there || S_ISREG(status.st_mode);
  std::string written = target + ".XXXXXX";
  const int file = beside ? ::mkostemp(written.data(), O_CLOEXEC) : ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) {
    return fail(errno);
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (beside && there && (status.st_uid != ::geteuid() || status.st_gid != ::getegid())) {
    (void)!::fchown(file, status.st_uid, status.st_gid);  // only root may give a file away; else the owner changes
  } else if (beside && !there && mode) {
    give_to_folder_owner(file, target);
  }
  bool good = !beside || ::fchmod(file, mode    ? static_cast<mode_t>(*mode)
                                        : there ? status.st_mode & 07777U
                                                : 0666U & ~mask) == 0;
  for (std::size_t at = 0; good && at < text.size();) {
    const ssize_t count = ::write(file, text.data() + at, text.size() - at);
    good = count >= 0 || errno == EINTR;
    at += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  if (good && mode && beside) {
    good = ::fsync(file) == 0;
  }
  int number = errno;
  if (::close(file) != 0 && good) {
    good = false;
    number = errno;
  }
  if (good && beside && ::rename(written.c_str(), target.c_str()) != 0) {
    good = false;
    number = errno;
  }
  if (!good) {
    if (beside) {
      ::unlink(written.c_str());
    }
    return fail(number);
  }
  return true;
}

Result<bool> can_be_written(const std::string& path) {
  if (path.empty()) {
    return true;
  }
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  int number = 0;
  if (there && S_ISDIR(status.st_mode)) {
    number = EISDIR;
  } else if (!there || S_ISREG(status.st_mode)) {
    // The file that write_file() puts in its place, made and taken away again.
    char* const resolved = there ? ::realpath(path.c_str(), nullptr) : nullptr;
    std::string tried = (resolved == nullptr ? path : std::string(resolved)) + ".XXXXXX";
    ::free(resolved);
    const int file = ::mkostemp(tried.data(), O_CLOEXEC);
    number = file < 0 ? errno : 0;
    if (file >= 0) {
      ::close(file);
      ::unlink(tried.c_str());
    }
  } else if (::access(path.c_str(), W_OK) != 0) {
    number = errno;
  }
  if (number != 0) {
    return Error{ErrorCode::unavailable, "cannot be written: " + reason_of(number), path, 0, 0};
  }
  return true;
}

}  // namespace plumb
