#include "native/cli/fixed_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "native/base/file_bytes.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

Error cannot_write(const std::string& path) {
  return Error{ErrorCode::unavailable, "cannot be fixed: " + reason_of(errno), path, 0, 0};
}

}  // namespace

Result<FixedFile> FixedFile::begin(const std::string& path) {
  if (path == "-") {
    return FixedFile(STDOUT_FILENO, path, "");
  }
  char* const resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) {
    return cannot_write(path);
  }
  const std::string real(resolved);
  ::free(resolved);
  if (::access(real.c_str(), W_OK) != 0) {
    return cannot_write(path);
  }
  std::string beside = real + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return cannot_write(path);
  }
  return FixedFile(descriptor, real, beside);
}

FixedFile::FixedFile(FixedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      beside_(std::move(other.beside_)) {}

FixedFile& FixedFile::operator=(FixedFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(beside_, other.beside_);
  return *this;
}

FixedFile::~FixedFile() { drop(); }

void FixedFile::drop() {
  if (descriptor_ < 0 || beside_.empty()) {
    return;
  }
  ::close(descriptor_);
  ::unlink(beside_.c_str());
  descriptor_ = -1;
}

Result<bool> FixedFile::add(std::string_view text) {
  if (!write_all(descriptor_, text)) {
    return cannot_write(path_);
  }
  return true;
}

Result<bool> FixedFile::commit() {
  if (beside_.empty()) {
    return true;
  }
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && ::fchmod(descriptor_, status.st_mode & 07777) != 0) {
    return cannot_write(path_);
  }
  if (::fsync(descriptor_) != 0 || ::rename(beside_.c_str(), path_.c_str()) != 0) {
    return cannot_write(path_);
  }
  ::close(descriptor_);
  descriptor_ = -1;
  return true;
}

}  // namespace plumb::cli
