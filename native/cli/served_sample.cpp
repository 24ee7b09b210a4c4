#include "native/cli/served_sample.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <string>

#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"
#include "native/proxy/sample_port.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t grace_ms = 1'000;

// A sample has no runs, no page and no proxy: what would be for these is refused, not passed over.
constexpr std::array<std::string_view, 8> others = {"--port", "--proxy", "--store",    "--web",
                                                    "--root", "--token", "--provider", "--record"};

Error refused(std::string message, std::string where) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

}  // namespace

int serve_sample(const Arguments& arguments) {
  for (const std::string_view one : others) {
    if (arguments.has(one)) {
      return fail(refused("has no meaning with --sample, which opens its own port and nothing else", std::string(one)));
    }
  }
  proxy::HttpServerSettings settings;
  settings.host = "127.0.0.1";
  settings.loops = 1;
  settings.connections_max = 1'000;
  settings.connections_each_max = 0;
  const std::string port = arguments.text("--sample");
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), settings.port);
  if (failed != std::errc() || end != port.data() + port.size()) {
    return fail(refused("must be a whole number from 0 to 65535, not '" + port + "'", "--sample"));
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const Result<std::unique_ptr<proxy::HttpServer>> server = proxy::open_sample_port(settings);
  if (!server) {
    return fail(server.error());
  }
  const std::string base = "http://127.0.0.1:" + std::to_string(server.value()->port());
  if (!write_all(STDOUT_FILENO, "A sample model is at " + base + "/v1 (OpenAI) and " + base +
                                    " (Anthropic, Ollama). Ctrl-C ends it.\n")) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }
  int got = 0;
  (void)sigwait(&signals, &got);
  server.value()->stop(grace_ms);
  return exit_clean;
}

}  // namespace plumb::cli
