#include "native/control/web_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/ascii.hpp"

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
  if (path.find("/assets/") == std::string_view::npos) {
    return false;
  }
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot < 9 || name[dot - 9] != '-') {
    return false;
  }
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot - 8),
                     name.begin() + static_cast<std::ptrdiff_t>(dot),
                     [](char c) { return ascii::is_word(c) || c == '-'; });
}

// No empty, hidden, `.` or `..` segment, no byte that a path of ours never has.
bool is_plain(std::string_view path) {
  if (path.empty() || path.front() != '/' || path.size() > 1024) {
    return false;
  }
  if (std::any_of(path.begin(), path.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7F || c == '\\';
      })) {
    return false;
  }
  for (std::size_t from = 1; from < path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    if (to == from || path[from] == '.') {
      return false;
    }
    from = to + 1;
  }
  return true;
}

// A file as it was opened; its descriptor ends with it.
struct Opened {
  Opened() = default;
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  Opened(Opened&& other) noexcept : descriptor(std::exchange(other.descriptor, -1)), status(other.status) {}
  Opened& operator=(Opened&& other) noexcept {
    std::swap(descriptor, other.descriptor);
    status = other.status;
    return *this;
  }
  ~Opened() {
    if (descriptor >= 0) {
      ::close(descriptor);
    }
  }

  bool is_file() const {
    return descriptor >= 0 && S_ISREG(status.st_mode) && status.st_size >= 0 &&
           static_cast<std::uint64_t>(status.st_size) <= WebFiles::bytes_max;
  }

  bool read_into(std::string& bytes) const {
    bytes.resize(static_cast<std::size_t>(status.st_size));
    for (std::size_t used = 0; used < bytes.size();) {
      const ssize_t count = ::read(descriptor, bytes.data() + used, bytes.size() - used);
      if (count <= 0) {
        return false;
      }
      used += static_cast<std::size_t>(count);
    }
    return true;
  }

  int descriptor = -1;
  struct stat status {};
};

// `path` has no links but perhaps the last part, which is refused.
Opened opened(const std::string& path) {
  Opened file;
  file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file.descriptor >= 0 && ::fstat(file.descriptor, &file.status) != 0) {
    file.status = {};
  }
  return file;
}

// Files of one build are copied one after the other, and some file systems keep even seconds only.
constexpr time_t made_apart_s_max = 2;

}  // namespace

std::string_view type_of_name(std::string_view name) {
  for (const NamedType& known : types) {
    if (name.size() > known.ending.size() && name.ends_with(known.ending)) {
      return known.type;
    }
  }
  return "application/octet-stream";
}

std::optional<WebFiles> WebFiles::open(const std::string& folder) {
  const std::optional<std::string> real = resolved(folder);
  if (!real || ::access((*real + "/index.html").c_str(), R_OK) != 0) {
    return std::nullopt;
  }
  return WebFiles(*real);
}

std::optional<WebFile> WebFiles::find(std::string_view path, std::string_view accept_encoding) const {
  if (!is_plain(path)) {
    return std::nullopt;
  }
  std::string wanted = folder_ + std::string(path);
  if (wanted.back() == '/') {
    wanted += "index.html";
  }
  const std::optional<std::string> real = resolved(wanted);
  if (!real || !real->starts_with(folder_ + "/")) {
    return std::nullopt;
  }
  Opened plain = opened(*real);
  if (!plain.is_file()) {
    return std::nullopt;
  }
  for (const Coding coding : wanted_codings(accept_encoding)) {
    Opened coded;
    if (coding != Coding::identity) {
      coded = opened(*real + std::string(coding_ending(coding)));
      if (!coded.is_file() || coded.status.st_mtim.tv_sec + made_apart_s_max < plain.status.st_mtim.tv_sec) {
        continue;
      }
    }
    const Opened& chosen = coding == Coding::identity ? plain : coded;
    WebFile file;
    if (!chosen.read_into(file.bytes)) {
      continue;
    }
    file.type = type_of_name(*real);
    file.coding = coding;
    file.immutable = has_hash(path);
    const std::string_view name = coding_name(coding);
    file.etag = "\"" + std::to_string(chosen.status.st_size) + "-" + std::to_string(chosen.status.st_mtim.tv_sec) +
                "." + std::to_string(chosen.status.st_mtim.tv_nsec) + (name.empty() ? "" : "-" + std::string(name)) +
                "\"";
    return file;
  }
  return std::nullopt;
}

bool names_tag(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    const std::size_t comma = std::min(if_none_match.find(','), if_none_match.size());
    std::string_view one = if_none_match.substr(0, comma);
    if_none_match.remove_prefix(std::min(comma + 1, if_none_match.size()));
    one = ascii::trim(one, ascii::blanks);
    if (one.starts_with("W/")) {
      one.remove_prefix(2);
    }
    if (one == "*" || one == etag) {
      return true;
    }
  }
  return false;
}

}  // namespace plumb::control
