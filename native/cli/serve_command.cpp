// `plumb serve`.
#include <pthread.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <mutex>
#include <thread>

#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/version.hpp"
#include "native/control/server.hpp"
#include "native/host/isolated_call.hpp"

namespace plumb::cli {

namespace {

// "../web" beside the binary, wherever it was started from.
std::string default_web_folder() {
  std::string path(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0 || static_cast<std::size_t>(size) == path.size())
    return "";
  path.resize(static_cast<std::size_t>(size));
  path.resize(path.rfind('/'));
  return path + "/../web";
}

// A log message as a JSON string: what a request brings must not break a line.
class JsonMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& into) override {
    constexpr std::string_view digits = "0123456789abcdef";
    into.push_back('"');
    for (const char c : std::string_view(message.payload.data(), message.payload.size())) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        into.push_back('\\');
        into.push_back(c);
      } else if (byte < 0x20 || byte >= 0x7F) {
        for (const char escape : {'\\', 'u', '0', '0', digits[byte >> 4U], digits[byte & 15U]})
          into.push_back(escape);
      } else {
        into.push_back(c);
      }
    }
    into.push_back('"');
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<JsonMessage>(); }
};

void start_log(const std::string& kind, const std::string& level) {
  auto logger = std::make_shared<spdlog::logger>("plumb", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<JsonMessage>('*');
  formatter->set_pattern(kind == "json" ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l","message":%*})"
                                        : "%Y-%m-%d %H:%M:%S.%e %l %*");
  logger->set_formatter(std::move(formatter));
  logger->set_level(kind == "off" ? spdlog::level::off : spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace

int run_serve(const Arguments& arguments) {
  control::ServerSettings settings;
  settings.version = version;
  settings.host = arguments.text("--host", settings.host);
  const Result<std::uint64_t> port = arguments.number("--port", 8787, 0, 65535);
  if (!port)
    return fail(port.error());
  settings.port = static_cast<int>(port.value());
  const Result<std::uint64_t> body = arguments.size("--max-body", settings.body_bytes_max, std::uint64_t{1} << 30);
  if (!body)
    return fail(body.error());
  settings.body_bytes_max = body.value();
  settings.web = arguments.text("--web", default_web_folder());

  start_log(arguments.text("--log", "text"), arguments.text("--log-level", "warn"));
  host::install_requirement_handler();

  // SIGINT and SIGTERM are taken by one thread that waits for them; every thread made from here on inherits the mask.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  Result<std::unique_ptr<control::Server>> bound = control::Server::bind(settings);
  if (!bound)
    return fail(bound.error());
  control::Server& server = *bound.value();
  if (arguments.has("--web") && !server.has_page()) {
    return fail(Error{ErrorCode::not_found, "no index.html in this folder; ./dev build makes the page in build/web",
                      settings.web, 0, 0});
  }

  const std::string host = settings.host.find(':') != std::string::npos ? "[" + settings.host + "]"
                           : settings.host == "0.0.0.0"                 ? "127.0.0.1"
                                                                        : settings.host;
  const std::string line = "Plumbline is at http://" + host + ":" + std::to_string(server.port()) + "/" +
                           (server.has_page() ? "" : " (checks only: the page is not built, see ./dev build)") +
                           ". Ctrl-C ends it.\n";
  if (!write_all(STDOUT_FILENO, line)) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }

  // The waiting thread ends with the process: after the first signal it waits for a second one, which does not wait for
  // requests. It must not touch the server once that has stopped running.
  struct Stopping {
    std::mutex mutex;
    bool over = false;
  };
  const auto stopping = std::make_shared<Stopping>();
  std::thread([signals, &server, stopping] {
    int got = 0;
    sigwait(&signals, &got);
    {
      const std::lock_guard<std::mutex> lock(stopping->mutex);
      if (!stopping->over) {
        server.stop();
      }
    }
    sigwait(&signals, &got);
    ::_exit(exit_undecided);
  }).detach();

  server.run();
  {
    const std::lock_guard<std::mutex> lock(stopping->mutex);
    stopping->over = true;
  }
  spdlog::shutdown();
  return exit_clean;
}

}  // namespace plumb::cli
