#include "native/control/web_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace plumb::control {

namespace {

struct NamedType {
  std::string_view ending;
  std::string_view type;
};

constexpr NamedType types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".wasm", "application/wasm"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
};

std::optional<std::string> resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real == nullptr ? std::nullopt : std::optional<std::string>(real.get());
}

// "index-Bx3_k9Qz.js" in a folder "assets": the bundler puts 8 characters of a hash before the ending.
bool has_hash(std::string_view path) {
  if (path.find("/assets/") == std::string_view::npos)
    return false;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot < 9 || name[dot - 9] != '-')
    return false;
  return std::all_of(
      name.begin() + static_cast<std::ptrdiff_t>(dot - 8), name.begin() + static_cast<std::ptrdiff_t>(dot), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
      });
}

// No empty, hidden, `.` or `..` segment, no byte that a path of ours never has.
bool is_plain(std::string_view path) {
  if (path.empty() || path.front() != '/' || path.size() > 1024)
    return false;
  if (std::any_of(path.begin(), path.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7F || c == '\\';
      })) {
    return false;
  }
  for (std::size_t from = 1; from < path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    if (to == from || path[from] == '.')
      return false;
    from = to + 1;
  }
  return true;
}

}  // namespace

std::string_view type_of_name(std::string_view name) {
  for (const NamedType& known : types) {
    if (name.size() > known.ending.size() && name.substr(name.size() - known.ending.size()) == known.ending) {
      return known.type;
    }
  }
  return "application/octet-stream";
}

std::optional<WebFiles> WebFiles::open(const std::string& folder) {
  const std::optional<std::string> real = resolved(folder);
  if (!real || ::access((*real + "/index.html").c_str(), R_OK) != 0)
    return std::nullopt;
  return WebFiles(*real);
}

std::optional<WebFile> WebFiles::find(std::string_view path) const {
  if (!is_plain(path))
    return std::nullopt;
  std::string wanted = folder_ + std::string(path);
  if (wanted.back() == '/')
    wanted += "index.html";
  const std::optional<std::string> real = resolved(wanted);
  if (!real || real->compare(0, folder_.size() + 1, folder_ + "/") != 0)
    return std::nullopt;
  const int descriptor = ::open(real->c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  WebFile file;
  struct stat status {};
  bool good = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= 0 &&
              static_cast<std::uint64_t>(status.st_size) <= bytes_max;
  if (good) {
    file.bytes.resize(static_cast<std::size_t>(status.st_size));
    std::size_t used = 0;
    while (used < file.bytes.size()) {
      const ssize_t count = ::read(descriptor, file.bytes.data() + used, file.bytes.size() - used);
      if (count <= 0)
        break;
      used += static_cast<std::size_t>(count);
    }
    good = used == file.bytes.size();
  }
  ::close(descriptor);
  if (!good)
    return std::nullopt;
  file.type = type_of_name(*real);
  file.immutable = has_hash(path);
  file.etag = "\"" + std::to_string(status.st_size) + "-" + std::to_string(status.st_mtim.tv_sec) + "." +
              std::to_string(status.st_mtim.tv_nsec) + "\"";
  return file;
}

}  // namespace plumb::control
