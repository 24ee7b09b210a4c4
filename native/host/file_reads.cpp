// A path is walked part by part, each opened relative to the one before and never through a link: what is opened lies
// in the root whatever others do to the tree meanwhile.

#include "native/host/file_reads.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/run/reasons.hpp"
#include "core/text/utf8.hpp"
#include "native/base/front_matter.hpp"

namespace plumb::host {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) {
      ::close(value_);
    }
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_ = -1;
};

std::string why_not(const std::string& path) {
  if (errno == ELOOP || errno == ENOTDIR) {
    return "'" + path + "' leads through a link or something that is no folder; links are not followed";
  }
  return "'" + path + "' cannot be read: " + std::strerror(errno);
}

struct Listed {
  std::string path;
  bool folder = false;
  std::uint64_t bytes = 0;
};

// Which folders of a tree are entered.
struct Chosen {
  std::vector<std::string> leave_out;
  std::vector<std::string> within;  // without slashes at their ends

  bool enters(const std::string& name, const std::string& path) const {
    const auto leaves = [&](const std::string& one) { return one == "." ? name.front() == '.' : one == name; };
    if (std::any_of(leave_out.begin(), leave_out.end(), leaves)) {
      return false;
    }
    // On the way to one of them, or in it.
    const auto leads = [&](const std::string& one) { return is_in(path, one) || is_in(one, path); };
    return within.empty() || std::any_of(within.begin(), within.end(), leads);
  }
  bool lists(const std::string& path) const {
    const auto holds = [&](const std::string& one) { return is_in(path, one); };
    return within.empty() || std::any_of(within.begin(), within.end(), holds);
  }

 private:
  static bool is_in(const std::string& path, const std::string& folder) {
    return path.starts_with(folder) && (folder.empty() || path.size() == folder.size() || path[folder.size()] == '/');
  }
};

Chosen chosen(const json::Value& request) {
  Chosen out{json::texts_of(request, "leave_out"), json::texts_of(request, "within")};
  for (std::string& folder : out.within) {
    while (!folder.empty() && folder.back() == '/') {
      folder.pop_back();
    }
    while (folder.starts_with("./")) {
      folder.erase(0, 2);
    }
    if (folder == ".") {
      folder.clear();
    }
  }
  return out;
}

std::string below(const std::string& prefix, const std::string& name) {
  std::string path = prefix;
  path += prefix.empty() ? "" : "/";
  path += name;
  return path;
}

// Lists what is under `folder`, which it closes. False when there is more than may be listed.
bool list(Descriptor folder, const std::string& prefix, std::size_t level, const FileReadLimits& limits,
          const Chosen& wanted, std::vector<Listed>& out) {
  DIR* directory = ::fdopendir(folder.get());
  if (directory == nullptr) {
    return true;
  }
  (void)folder.release();
  std::vector<std::string> names;
  bool complete = true;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    const std::string path = below(prefix, name);
    if (name == "." || name == ".." || (!wanted.enters(name, path) && !wanted.lists(path))) {
      continue;
    }
    if (names.size() >= limits.entries_max) {
      complete = false;
      break;
    }
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    struct stat about {};
    if (::fstatat(::dirfd(directory), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0 ||
        (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) || !text::is_utf8(name)) {
      continue;
    }
    const std::string path = below(prefix, name);
    const bool is_folder = S_ISDIR(about.st_mode);
    if (is_folder ? !wanted.enters(name, path) : !wanted.lists(path)) {
      continue;
    }
    if (out.size() >= limits.entries_max) {
      complete = false;
      break;
    }
    out.push_back({path, is_folder, static_cast<std::uint64_t>(about.st_size)});
    if (is_folder) {
      if (level >= limits.levels_max) {
        complete = false;
        continue;
      }
      Descriptor inner(::openat(::dirfd(directory), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (inner.get() >= 0) {
        complete = list(std::move(inner), path, level + 1, limits, wanted, out) && complete;
      }
    }
  }
  ::closedir(directory);
  return complete;
}

run::Reply listed(Descriptor folder, const Chosen& wanted, const FileReadLimits& limits) {
  std::vector<Listed> entries;
  const bool complete = list(std::move(folder), "", 1, limits, wanted, entries);
  std::string json;
  json::Writer writer(json);
  writer.begin_object().key("entries").begin_array();
  for (const Listed& entry : entries) {
    writer.begin_object().member("path", entry.path).member("kind", entry.folder ? "folder" : "file");
    if (!entry.folder) {
      writer.member_uint("bytes", entry.bytes);
    }
    writer.end_object();
  }
  writer.end_array();
  if (!complete) {
    writer.member_boolean("cut", true);
  }
  writer.end_object();
  run::Reply reply;
  reply.value = run::Data::written(std::move(json));
  return reply;
}

struct BadLines {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
};

// Lines that are no UTF-8 become empty ones, so that all others keep their numbers: one bad byte costs one line, not an
// export. False for what is no text at all: it has a NUL, or such a line in two.
bool leave_out_bad_lines(std::string& text, BadLines& bad) {
  if (text.find('\0') != std::string::npos) {
    return false;
  }
  std::string out;
  std::uint64_t lines = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view line = std::string_view(text).substr(from, end - from);
    ++lines;
    if (text::is_utf8(line)) {
      out += line;
    } else if (++bad.count == 1) {
      bad.first = lines;
    }
    out += end < text.size() ? "\n" : "";
    from = end + 1;
  }
  text = std::move(out);
  return bad.count * 2 <= lines;
}

run::Reply whole(const Descriptor& file, const std::string& path, const FileReadLimits& limits, bool front) {
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16U);
  for (;;) {
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      return run::failed_reply(why_not(path));
    }
    if (size == 0) {
      break;
    }
    text.append(buffer.data(), static_cast<std::size_t>(size));
    if (text.size() > limits.bytes_max) {
      return run::failed_reply("'" + path + "' has more than " + std::to_string(limits.bytes_max) +
                               " bytes, the most that is read");
    }
  }
  const std::uint64_t bytes = text.size();
  BadLines bad;
  if (!text::is_utf8(text) && !leave_out_bad_lines(text, bad)) {
    return run::failed_reply("'" + path + "' is not UTF-8 text", Reason::not_text);
  }
  const Result<FrontMatter> said = front ? front_matter(text, path) : Result<FrontMatter>(FrontMatter{});
  if (!said) {
    const Error& error = said.error();
    return run::failed_reply("'" + path + "'" + (error.line > 0 ? ":" + std::to_string(error.line) : "") + " " +
                             error.message);
  }
  std::string json;
  json::Writer writer(json);
  writer.begin_object().member("text", std::string_view(text).substr(said.value().bytes)).member_uint("bytes", bytes);
  if (!said.value().json.empty()) {
    writer.key("front_matter").raw(said.value().json).member_uint("line", said.value().lines + 1);
    if (!said.value().members.empty()) {
      writer.key("lines").begin_object();
      for (const auto& [name, line] : said.value().members) {
        writer.member_uint(name, line);
      }
      writer.end_object();
    }
  }
  if (bad.count > 0) {
    writer.key("bad_lines").begin_object().member_uint("count", bad.count).member_uint("first", bad.first).end_object();
  }
  writer.end_object();
  run::Reply reply;
  reply.value = run::Data::written(std::move(json));
  return reply;
}

}  // namespace

Result<bool> known_root(const std::map<std::string, std::string>& roots, std::string_view name) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.where = name;
  const auto declared = roots.find(std::string(name));
  if (declared == roots.end()) {
    std::string names;
    for (const auto& [known, folder] : roots) {
      names += (names.empty() ? "" : ", ") + known;
    }
    error.message = "no root '" + json::excerpt(name, 60) + "' is declared; " +
                    (names.empty() ? "there is none" : "there are: " + names);
    return error;
  }
  struct stat about {};
  if (::stat(declared->second.c_str(), &about) != 0) {
    error.message = "the root '" + std::string(name) + "' cannot be read: " + std::strerror(errno);
    return error;
  }
  if (!S_ISDIR(about.st_mode)) {
    error.message = "the root '" + std::string(name) + "' is no folder";
    return error;
  }
  return true;
}

FileReads::FileReads(std::map<std::string, std::string> roots, FileReadLimits limits)
    : reading_(std::make_shared<const FileReadSettings>(FileReadSettings{std::move(roots), limits})),
      workers_(std::max<std::size_t>(1, limits.threads)) {}

void FileReads::begin(EffectCall call, std::function<void(run::Reply)> done) {
  workers_.give([reading = reading_, request = std::move(call.request), done = std::move(done)] {
    done(read(*reading, request));
  });
}

void FileReads::stop(std::string_view /*run*/, std::string_view /*key*/) {}

run::Reply FileReads::read(const FileReadSettings& reading, const run::Data& request) {
  auto member = [&](std::string_view name) {
    const json::Value* value = request.value().find(name);
    return value != nullptr && value->is(json::Kind::string) ? std::string(value->str()) : std::string();
  };
  const std::string root = member("root");
  const std::string path = member("path");
  const json::Value* tree = request.value().find("tree");
  const bool lists = tree != nullptr && tree->is(json::Kind::boolean) && tree->boolean;
  if (const Result<bool> known = known_root(reading.roots, root); !known) {
    return run::failed_reply(known.error().message);
  }
  if (!path.empty() && path.front() == '/') {
    return run::failed_reply("'" + path + "' is absolute; a path is relative to its root");
  }
  Descriptor at(::open(reading.roots.at(root).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.get() < 0) {
    return run::failed_reply("the root '" + root + "' cannot be read: " + std::strerror(errno));
  }
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    std::string part = path.substr(from, to - from);
    if (part == ".." || part.find('\0') != std::string::npos) {
      return run::failed_reply("'" + path + "' leads out of its root");
    }
    if (!part.empty() && part != ".") {
      parts.push_back(std::move(part));
    }
    from = to + 1;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    // A pipe or a device is not waited for.
    const int how = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (last && !lists ? 0 : O_DIRECTORY);
    Descriptor next(::openat(at.get(), parts[i].c_str(), how));
    if (next.get() < 0) {
      return run::failed_reply(why_not(path));
    }
    at = std::move(next);
  }
  if (lists) {
    return listed(std::move(at), chosen(request.value()), reading.limits);
  }
  struct stat about {};
  if (::fstat(at.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return run::failed_reply("'" + path + "' is no regular file; a folder is listed with `tree`");
  }
  const json::Value* front = request.value().find("front_matter");
  return whole(at, path, reading.limits, front != nullptr && front->is(json::Kind::boolean) && front->boolean);
}

}  // namespace plumb::host
