// Two threads: one reads the client, the other the server. Only the first one writes to the server, so that a server
// that takes nothing before its own output is taken never waits for itself: what the second one has for the server
// goes through a queue.
#include "native/mcp/stdio_front.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "native/mcp/line_input.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::mcp {

namespace {

constexpr std::uint64_t end_ms_max = 5'000;   // from a closed input to SIGTERM
constexpr std::uint64_t kill_ms_max = 2'000;  // from there to SIGKILL
constexpr std::size_t held_max = 1'000;
constexpr int look_ms = 100;

std::uint64_t now_ms() { return proxy::moment_now().steady_ms(); }

Error trouble(const std::string& what, int code) {
  return Error{ErrorCode::unavailable, what + ": " + std::strerror(code), "", 0, 0};
}

struct Descriptor {
  int number = -1;
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (number >= 0) {
      ::close(number);
    }
    number = -1;
  }
};

struct Server {
  pid_t pid = 0;
  Descriptor input, output;

  std::optional<Error> start(const std::vector<std::string>& command) {
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0) {
      return trouble("no pipe can be made", errno);
    }
    Descriptor child_input;
    child_input.number = in[0];
    input.number = in[1];
    if (::pipe2(out, O_CLOEXEC) != 0) {
      return trouble("no pipe can be made", errno);
    }
    Descriptor child_output;
    child_output.number = out[1];
    output.number = out[0];
    std::vector<char*> words;
    for (const std::string& word : command) {
      words.push_back(const_cast<char*>(word.c_str()));  // NOLINT: as posix_spawn wants it
    }
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, child_input.number, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child_output.number, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int one : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) {
      sigaddset(&usual, one);
    }
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);  // all that it starts can be ended with it
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const int failed = ::posix_spawnp(&pid, words.front(), &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
      return trouble("the server '" + command.front() + "' cannot be started", failed);
    }
    return std::nullopt;
  }

  // True once it has ended; `well` is then set.
  bool has_ended(bool& well) {
    if (pid == 0) {
      return true;
    }
    int status = 0;
    const pid_t got = ::waitpid(pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) {
      return false;
    }
    well = got > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    pid = 0;
    return true;
  }
};

class Between {
 public:
  // `stop`: a descriptor that can be read once a signal to end has come.
  Between(Server& server, const FrontSettings& settings, const Tell& tell, std::uint64_t seed, int stop)
      : server_(server),
        stop_(stop),
        tools_(std::make_shared<KnownTools>(settings.steps_max)),
        front_(settings, tools_, tell, seed),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  Between(const Between&) = delete;
  Between& operator=(const Between&) = delete;
  ~Between() { ::close(wake_); }

  Result<bool> run() {
    std::thread reader([this] { read_server(); });
    const std::optional<Error> error = read_client();
    const bool well = end_server();
    reader.join();
    if (error) {
      return *error;
    }
    return well;
  }

 private:
  struct Held {
    std::string id, text;
    std::uint64_t since_ms = 0;
  };

  std::optional<Error> read_client() {
    LineInput input(STDIN_FILENO);
    bool open = true;
    while (!server_over_) {
      if (!look_after()) {
        break;
      }
      const bool full = held_count() >= held_max;
      if (!open && held_count() == 0) {
        break;
      }
      pollfd watched[3] = {{open && !full ? STDIN_FILENO : -1, POLLIN, 0}, {stop_, POLLIN, 0}, {wake_, POLLIN, 0}};
      if (::poll(watched, 3, look_ms) < 0 && errno != EINTR) {
        return trouble("the client cannot be waited for", errno);
      }
      if (watched[1].revents != 0) {
        break;
      }
      if (watched[0].revents == 0) {
        continue;
      }
      const LineInput::Got got = input.read();
      if (got == LineInput::Got::too_long) {
        return Error{ErrorCode::limit, "a message of the client has more than 64 MB", "standard input", 0, 0};
      }
      for (std::string line; input.take(line);) {
        if (!of_client(line)) {
          return std::nullopt;
        }
      }
      open = got != LineInput::Got::end;
    }
    return std::nullopt;
  }

  // What waits for the server is written, and a list that does not come is given up. False: nobody reads.
  bool look_after() {
    std::uint64_t count = 0;
    (void)!::read(wake_, &count, sizeof count);
    std::deque<std::string> waiting;
    std::deque<Held> held;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting.swap(for_server_);
      if (!held_.empty() && now_ms() >= held_.front().since_ms + Front::list_ms_max) {
        front_.no_list("the server does not list its tools", now_ms());
        list_done_ = true;
      }
      if (list_done_) {
        held.swap(held_);
        list_done_ = false;
      }
    }
    for (const std::string& text : waiting) {
      if (!write_line(server_.input.number, text, stop_)) {
        return false;
      }
    }
    for (const Held& one : held) {
      if (!of_client(one.text, one.since_ms)) {
        return false;
      }
    }
    return true;
  }

  std::size_t held_count() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return held_.size();
  }

  // False: the server, or the client, takes nothing any more.
  bool of_client(const std::string& text, std::uint64_t since_ms = now_ms()) {
    Step step;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      step = front_.from_client(text, now_ms());
      if (!held_.empty()) {
        if (const std::string id = Front::cancelled_by(text); !id.empty()) {
          for (auto one = held_.begin(); one != held_.end(); ++one) {
            if (one->id == id) {
              held_.erase(one);
              return true;  // the server has not seen the call: there is nothing for it to cancel
            }
          }
        }
      }
      if (step.what == Step::What::list) {
        held_.push_back({id_of(text), text, since_ms});
      }
    }
    switch (step.what) {
      case Step::What::pass:
        return write_line(server_.input.number, text, stop_);
      case Step::What::answer:
        return to_client(step.text);
      case Step::What::list:
        return step.text.empty() || write_line(server_.input.number, step.text, stop_);
      case Step::What::listed:
      case Step::What::drop:
        break;
    }
    return true;
  }

  static std::string id_of(std::string_view text) {
    json::Arena arena;
    const Result<Message> read = read_message(text, arena);
    return read && read.value().id != nullptr ? id_key(*read.value().id) : std::string();
  }

  bool to_client(std::string_view text) {
    const std::lock_guard<std::mutex> lock(client_mutex_);
    return write_line(STDOUT_FILENO, text, stop_);
  }

  void read_server() {
    LineInput input(server_.output.number);
    bool takes = true;
    while (takes && input.read() == LineInput::Got::bytes) {
      for (std::string line; takes && input.take(line);) {
        takes = of_server(line);
      }
    }
    server_over_ = true;
    wake();
    // What it still writes is read and left, so that it can end.
    while (input.read() == LineInput::Got::bytes) {
      for (std::string line; input.take(line);) {
      }
    }
  }

  bool of_server(const std::string& text) {
    Step step;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      step = front_.from_server(text, now_ms());
      if (step.what == Step::What::list) {
        for_server_.push_back(std::move(step.text));
      }
      if (step.what == Step::What::listed) {
        list_done_ = true;
      }
    }
    switch (step.what) {
      case Step::What::pass:
        return to_client(text);
      case Step::What::answer:
        return to_client(step.text);
      case Step::What::list:
      case Step::What::listed:
        wake();
        break;
      case Step::What::drop:
        break;
    }
    return true;
  }

  void wake() {
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
  }

  // As the protocol wants it. True: by itself, with exit code 0.
  bool end_server() {
    server_.input.close();
    bool well = false;
    const std::uint64_t since = now_ms();
    const pid_t group = server_.pid;
    bool told = false;
    while (!server_.has_ended(well)) {
      const std::uint64_t waited = now_ms() - since;
      if (waited >= end_ms_max && !told) {
        ::kill(-group, SIGTERM);
        told = true;
      }
      if (waited >= end_ms_max + kill_ms_max) {
        ::kill(-group, SIGKILL);
      }
      ::usleep(10'000);
    }
    ::kill(-group, SIGKILL);  // what it has left behind holds its output open
    return well;
  }

  Server& server_;
  const int stop_;
  std::shared_ptr<KnownTools> tools_;
  std::mutex mutex_;  // of what follows
  Front front_;
  std::deque<Held> held_;
  std::deque<std::string> for_server_;
  bool list_done_ = false;
  std::mutex client_mutex_;  // of standard output
  std::atomic<bool> server_over_{false};
  int wake_;
};

}  // namespace

Result<bool> front_command(const std::vector<std::string>& command, const FrontSettings& settings, const Tell& tell,
                           std::uint64_t seed) {
  ::signal(SIGPIPE, SIG_IGN);  // NOLINT: whoever takes nothing any more is an error of write()
  sigset_t ending;
  sigemptyset(&ending);
  for (const int one : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&ending, one);
  }
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  Descriptor stop;
  stop.number = ::signalfd(-1, &ending, SFD_CLOEXEC);
  if (stop.number < 0) {
    return trouble("signals cannot be waited for", errno);
  }
  Server server;
  if (std::optional<Error> error = server.start(command)) {
    return *error;
  }
  return Between(server, settings, tell, seed, stop.number).run();
}

}  // namespace plumb::mcp
