#include "native/search/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace plumb::search {

namespace {

constexpr std::size_t complaint_bytes_max = 4096;

struct Pipe {
  int ends[2] = {-1, -1};
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int which) {
    if (ends[which] >= 0)
      ::close(ends[which]);
    ends[which] = -1;
  }
};

std::string program_path(const std::string& name) {
  const char* said = std::getenv("PATH");
  const std::string path = said == nullptr ? "/usr/bin:/bin" : said;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find(':', from), path.size());
    const std::string file = path.substr(from, to - from) + "/" + name;
    if (to > from && ::access(file.c_str(), X_OK) == 0)
      return file;
    from = to + 1;
  }
  return {};
}

void bound(int resource, std::uint64_t most) {
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = most;
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// Between fork and exec: only what is safe there.
[[noreturn]] void become(const char* program, char* const* argv, const Pipe& out, const Pipe& complaint,
                         const ChildLimits& limits) {
  setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0)
    ::dup2(nothing, STDIN_FILENO);
  ::dup2(out.ends[1], STDOUT_FILENO);
  ::dup2(complaint.ends[1], STDERR_FILENO);
  bound(RLIMIT_AS, limits.memory_max);
  bound(RLIMIT_CPU, limits.time_ms / 1000 + 1);
  bound(RLIMIT_CORE, 0);
  ::execv(program, argv);
  ::_exit(127);
}

std::uint64_t now_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// Reads both ends until they are closed; false: a bound was reached.
bool read_both(Pipe& out, Pipe& complaint, const ChildLimits& limits, std::string& text, std::string& said,
               std::string& why) {
  const std::uint64_t end_ms = now_ms() + limits.time_ms;
  std::vector<char> buffer(std::size_t{1} << 16U);
  while (out.ends[0] >= 0 || complaint.ends[0] >= 0) {
    const std::uint64_t now = now_ms();
    if (now >= end_ms) {
      why = "took more than " + std::to_string(limits.time_ms / 1000) + " s";
      return false;
    }
    pollfd watched[2] = {{out.ends[0], POLLIN, 0}, {complaint.ends[0], POLLIN, 0}};
    if (::poll(watched, 2, static_cast<int>(end_ms - now)) < 0 && errno != EINTR)
      break;
    for (int i = 0; i < 2; ++i) {
      Pipe& pipe = i == 0 ? out : complaint;
      if (watched[i].revents == 0 || pipe.ends[0] < 0)
        continue;
      const ssize_t size = ::read(pipe.ends[0], buffer.data(), buffer.size());
      if (size < 0 && errno == EINTR)
        continue;
      if (size <= 0) {
        pipe.close_end(0);
      } else if (i == 0) {
        text.append(buffer.data(), static_cast<std::size_t>(size));
      } else if (said.size() < complaint_bytes_max) {
        said.append(buffer.data(), static_cast<std::size_t>(size));
      }
    }
    if (text.size() > limits.bytes_max) {
      why = "wrote more than " + std::to_string(limits.bytes_max) + " bytes";
      return false;
    }
  }
  return true;
}

}  // namespace

bool has_program(const std::string& name) { return !program_path(name).empty(); }

Result<std::string> output_of(const std::vector<std::string>& argv, const ChildLimits& limits) {
  const std::string program = program_path(argv.front());
  if (program.empty())
    return Error{ErrorCode::not_found, "there is no program '" + argv.front() + "' in PATH", "", 0, 0};
  Pipe out;
  Pipe complaint;
  if (::pipe2(out.ends, O_CLOEXEC) != 0 || ::pipe2(complaint.ends, O_CLOEXEC) != 0)
    return Error{ErrorCode::unavailable, std::string("no pipe can be made: ") + std::strerror(errno), "", 0, 0};
  std::vector<char*> words;
  for (const std::string& word : argv)
    words.push_back(const_cast<char*>(word.c_str()));  // NOLINT: as execv wants it
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0)
    return Error{ErrorCode::unavailable, std::string("no process can be made: ") + std::strerror(errno), "", 0, 0};
  if (child == 0)
    become(program.c_str(), words.data(), out, complaint, limits);
  ::setpgid(child, child);
  out.close_end(1);
  complaint.close_end(1);
  std::string text;
  std::string said;
  std::string why;
  const bool whole = read_both(out, complaint, limits, text, said, why);
  if (!whole)
    ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole)
    return Error{ErrorCode::limit, argv.front() + " " + why + " and was stopped", "", 0, 0};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return text;
  said = said.substr(0, said.find('\n'));
  return Error{ErrorCode::unavailable, argv.front() + " could not read it" + (said.empty() ? "" : ": " + said), "", 0,
               0};
}

}  // namespace plumb::search
