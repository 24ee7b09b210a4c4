#include "native/proxy/recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "native/base/file_bytes.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

namespace {

constexpr mode_t owner_only = 0600;
constexpr mode_t owner_directory = 0700;

// As the JSON that it is, else as a text.
void append_body(json::Writer& json, std::string_view name, std::string_view body) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(body, arena, {256, std::uint64_t{1} << 30});
  json.key(name);
  if (value) {
    json.value(value.value());
  } else {
    json.string(body);
  }
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return true;
}

}  // namespace

std::string recorded_line(const RecordedCall& call, std::uint64_t wall_ms) {
  std::string out;
  out.reserve(call.request.size() + call.answer.size() + 256);
  json::Writer json(out);
  json.begin_object().member("time", utc_text_ms(wall_ms)).member("id", call.id).member("key", call.key);
  json.member("route", call.route);
  append_body(json, "request", call.request);
  append_body(json, "answer", call.answer);
  json.end_object();
  return out;
}

std::optional<Error> Recording::problem_of(const std::string& directory) {
  if (directory.empty()) {
    return std::nullopt;
  }
  ::mkdir(directory.c_str(), owner_directory);
  struct stat status {};
  int number = ::stat(directory.c_str(), &status) == 0 ? 0 : errno;
  if (number == 0 && !S_ISDIR(status.st_mode)) {
    number = ENOTDIR;
  }
  if (number == 0 && ::access(directory.c_str(), W_OK | X_OK) != 0) {
    number = errno;
  }
  if (number == 0) {
    return std::nullopt;
  }
  return Error{ErrorCode::unavailable,
               "prompts and answers cannot be kept there (`record` in plumb.yaml): " + plumb::reason_of(number),
               directory, 0, 0};
}

void Recording::push(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() + line.size() + 1 > waiting_bytes_max) {
    ++dropped_;
    return;
  }
  waiting_ += line;
  waiting_ += '\n';
  ++lines_waiting_;
}

Result<bool> Recording::write(const std::string& directory, std::uint64_t wall_ms) {
  std::string text;
  std::uint64_t lines = 0;
  {
    const std::lock_guard lock(mutex_);
    text.swap(waiting_);
    lines = std::exchange(lines_waiting_, 0);
  }
  if (text.empty()) {
    return true;
  }
  const std::string path = directory + "/" + utc_text_ms(wall_ms).substr(0, 10) + ".jsonl";
  const auto failed = [&](ErrorCode code, std::string message) {
    const std::lock_guard lock(mutex_);
    dropped_ += lines;
    return Error{code, std::move(message), path, 0, 0};
  };
  ::mkdir(directory.c_str(), owner_directory);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, owner_only);
  if (file < 0) {
    return failed(ErrorCode::unavailable, "cannot be written: " + plumb::reason_of(errno));
  }
  struct stat status {};
  const bool fits =
      ::fstat(file, &status) == 0 && static_cast<std::uint64_t>(status.st_size) + text.size() <= file_bytes_max;
  const bool good = fits && write_all(file, text);
  const int number = errno;
  // On a full disk no half of a line stays.
  if (fits && !good) {
    (void)!::ftruncate(file, status.st_size);
  }
  ::close(file);
  if (!fits) {
    return failed(ErrorCode::limit, "has 1 GB, more of this day is not kept");
  }
  if (!good) {
    return failed(ErrorCode::unavailable, "cannot be written: " + plumb::reason_of(number));
  }
  return true;
}

std::uint64_t Recording::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace plumb::proxy
