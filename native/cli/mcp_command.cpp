// `plumb mcp`.
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>

#include "core/json/writer.hpp"
#include "native/base/random_seed.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/trust.hpp"
#include "native/mcp/http_port.hpp"
#include "native/mcp/line_input.hpp"
#include "native/mcp/own_server.hpp"
#include "native/mcp/settings.hpp"
#include "native/mcp/stdio_bridge.hpp"
#include "native/mcp/stdio_front.hpp"
#include "native/proxy/time_point.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::cli {

CommandSpec mcp_command() {
  CommandSpec c;
  c.path = "mcp";
  c.summary = "Offer checks as MCP tools, or check the tool calls of another MCP server";
  c.description =
      "A Model Context Protocol server on standard input and output, for agents and editors. Its tools are check, "
      "explain, derive, lint, edits and samples.\n\nWith --in-front-of it proxies another server. The arguments of "
      "each call are checked against the tool's inputSchema, the result against its outputSchema, and both against the "
      "contracts in plumb.yaml (`mcp`). Everything else passes byte for byte. In `observe` mode problems are reported "
      "on standard error. In `enforce` mode invalid data is blocked, and the caller gets a result with isError and the "
      "problems. See docs/mcp.md.";
  c.arguments = {
      {"ARGUMENT", "With --in-front-of COMMAND: the command's arguments, after --.", Completes::file, true, false}};
  c.options = {
      plain_option(
          "--in-front-of", "COMMAND|URL",
          "The server to proxy: a command, found in PATH and run without a shell, or an http or https address."),
      plain_option("--header", "NAME=VARIABLE",
                   "With an address: a header for each request, and the variable that holds its value.", true),
      plain_option("--http", "PORT",
                   "Serve over streamable HTTP on this port of 127.0.0.1 instead; 0 chooses a free port. The address "
                   "is printed on standard output."),
      {"--mode",
       0,
       "MODE",
       {"off", "observe", "enforce"},
       "observe",
       "With --in-front-of: the mode for tools that plumb.yaml does not name (`mcp.mode`).",
       Completes::choice,
       false},
      {"--log",
       0,
       "KIND",
       {"off", "text", "json"},
       "text",
       "The log format on standard error. The log contains no arguments or results.",
       Completes::choice,
       false},
      {"--log-level",
       0,
       "LEVEL",
       {"info", "warn"},
       "warn",
       "warn: problems, and data that could not be judged. info: every verdict.",
       Completes::choice,
       false},
      {"--config", 0, "FILE", {}, "", "Read this file instead of looking for plumb.yaml.", Completes::file, false},
      {"--no-config", 0, "", {}, "", "Do not look for plumb.yaml.", Completes::nothing, false},
      help_option(),
  };
  c.examples = {"plumb mcp\tin an agent's configuration: command plumb, argument mcp",
                "plumb mcp --mode enforce --in-front-of npx -- -y some-mcp-server\tproxies a server that is a command",
                "plumb mcp --http 8790 --in-front-of https://mcp.example.org/mcp\tproxies a server over HTTP"};
  return c;
}

namespace {

Result<ConfigFile> mcp_config(const Arguments& arguments) {
  if (arguments.has("--no-config")) {
    return ConfigFile();
  }
  const std::string path = arguments.text("--config", find_config_file());
  Result<ConfigFile> config = path.empty() ? Result<ConfigFile>(ConfigFile()) : read_config_file(path);
  if (config && !arguments.has("--config")) {
    if (std::optional<Error> error = not_trusted(config.value(), "mcp")) {
      return *error;
    }
  }
  return config;
}

// The log: one line each on standard error, whole, whichever thread tells it.
mcp::Tell teller(const Arguments& arguments) {
  const std::string kind = arguments.text("--log", "text");
  if (kind == "off") {
    return [](const mcp::Told&) {};
  }
  const bool all = arguments.text("--log-level", "warn") == "info";
  const auto lines = std::make_shared<std::mutex>();
  return [json_lines = kind == "json", all, lines](const mcp::Told& told) {
    const bool wrong = told.warn || told.findings > 0 || told.did == "refused" || told.did == "replaced";
    if (!wrong && !all) {
      return;
    }
    const std::string time = proxy::utc_text_ms(proxy::moment_now().wall_ms);
    const std::string_view level = wrong ? "warn" : "info";
    std::string text;
    json::Writer json(text);
    if (json_lines) {
      json.begin_object().member("time", time).member("level", level).member("event", "mcp." + std::string(told.event));
    } else {
      text = time + " " + std::string(level) + " mcp." + std::string(told.event) + ":";
    }
    const auto say = [&](std::string_view name, std::string_view value) {
      if (value.empty()) {
        return;
      }
      if (json_lines) {
        json.member(name, value);
      } else {
        text.append(" ").append(name).append("=");
        value.find_first_of(" \"") == std::string_view::npos ? void(text += value) : json::append_string(text, value);
      }
    };
    say("tool", told.tool);
    say("mode", told.mode);
    say("contract", told.contract);
    say("decision", told.decision);
    if (json_lines) {
      json.member_uint("findings", told.findings);
    } else if (!told.decision.empty()) {
      text += " findings=" + std::to_string(told.findings);
    }
    say("did", told.did);
    say("why", told.why);
    if (json_lines) {
      json.end_object();
    }
    const std::lock_guard<std::mutex> lock(*lines);
    write_all(STDERR_FILENO, text + "\n");
  };
}

int serve_stdio(const mcp::OwnServer& server) {
  mcp::LineInput input(STDIN_FILENO);
  for (;;) {
    const mcp::LineInput::Got got = input.read();
    for (std::string line; input.take(line);) {
      const mcp::Reply reply = server.handle(line, nullptr);
      if (!reply.body.empty() && !mcp::write_line(STDOUT_FILENO, reply.body)) {
        return exit_clean;  // the client has gone
      }
    }
    if (got == mcp::LineInput::Got::too_long) {
      return fail(Error{ErrorCode::limit, "a message has more than 64 MB", "standard input", 0, 0});
    }
    if (got == mcp::LineInput::Got::end) {
      return exit_clean;
    }
  }
}

Error refused(std::string message, std::string where = "") {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

bool is_address(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

Result<std::uint16_t> http_port(const Arguments& arguments) {
  const Result<std::uint64_t> port = arguments.number("--http", 0, 0, 65'535);
  if (!port) {
    return port.error();
  }
  return static_cast<std::uint16_t>(port.value());
}

// Until a signal to end comes. `open` is called with the signals blocked, so that they are nobody else's.
int serve_http(const std::function<Result<std::unique_ptr<proxy::HttpServer>>()>& open, const std::string& path) {
  constexpr std::uint64_t grace_ms = 1'000;
  sigset_t signals;
  sigemptyset(&signals);
  for (const int one : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&signals, one);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const Result<std::unique_ptr<proxy::HttpServer>> server = open();
  if (!server) {
    return fail(server.error());
  }
  if (!write_all(STDOUT_FILENO, "MCP is at http://127.0.0.1:" + std::to_string(server.value()->port()) + path +
                                    ". Ctrl-C ends it.\n")) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }
  int got = 0;
  (void)sigwait(&signals, &got);
  server.value()->stop(grace_ms);
  return exit_clean;
}

int offer_own_tools(const Arguments& arguments, const ConfigFile& config, std::uint64_t steps_max) {
  if (!arguments.positionals().empty() || arguments.has("--mode")) {
    return fail(refused("arguments and --mode go with --in-front-of"));
  }
  const Result<mcp::NamedTexts> named = mcp::named_texts(config);
  if (!named) {
    return fail(named.error());
  }
  const mcp::ToolSetting setting{named.value(), random_seed(), steps_max};
  if (!arguments.has("--http")) {
    return serve_stdio(mcp::OwnServer(setting));
  }
  const Result<std::uint16_t> port = http_port(arguments);
  if (!port) {
    return fail(port.error());
  }
  return serve_http([&] { return mcp::open_own_port(port.value(), setting); }, "/mcp");
}

// NAME=VARIABLE: keys do not appear in the list of processes.
Result<std::vector<provider::HeaderField>> said_headers(const Arguments& arguments) {
  std::vector<provider::HeaderField> fields;
  for (const std::string& one : arguments.list("--header")) {
    const std::size_t equals = one.find('=');
    const char* said = equals == std::string::npos ? nullptr : std::getenv(one.c_str() + equals + 1);
    if (said == nullptr) {
      return refused("'" + one + "': must be NAME=VARIABLE, with a variable that is set", "--header");
    }
    Result<std::string> value = provider::read_key(said);
    if (!value) {
      return refused("'" + one + "': " + value.error().message, "--header");
    }
    fields.push_back({one.substr(0, equals), std::move(value).value()});
  }
  return fields;
}

int front_address(const Arguments& arguments, const mcp::FrontSettings& settings) {
  if (!arguments.positionals().empty()) {
    return fail(refused("an address has no arguments"));
  }
  const Result<provider::BaseUrl> url = provider::read_base_url(arguments.text("--in-front-of"));
  if (!url) {
    return fail(url.error());
  }
  if (!arguments.has("--http")) {
    const Result<std::vector<provider::HeaderField>> fields = said_headers(arguments);
    if (!fields) {
      return fail(fields.error());
    }
    const Result<bool> ended =
        mcp::front_address(url.value(), fields.value(), settings, teller(arguments), random_seed());
    return ended ? exit_clean : fail(ended.error());
  }
  const Result<std::uint16_t> port = http_port(arguments);
  if (!port) {
    return fail(port.error());
  }
  if (arguments.has("--header")) {
    return fail(refused("clients over HTTP send their own", "--header"));
  }
  return serve_http(
      [&] { return mcp::open_front_port(port.value(), url.value(), settings, teller(arguments), random_seed()); },
      url.value().path.empty() ? "/" : url.value().path);
}

}  // namespace

int run_mcp(const Arguments& arguments) {
  const Result<ConfigFile> config = mcp_config(arguments);
  if (!config) {
    return fail(config.error());
  }
  Result<mcp::FrontSettings> settings = mcp::read_front_settings(config.value());
  if (!settings) {
    return fail(settings.error());
  }
  if (!arguments.has("--in-front-of")) {
    return offer_own_tools(arguments, config.value(), settings.value().steps_max);
  }
  if (const auto mode = mcp::mode_named(arguments.text("--mode"))) {
    settings.value().mode = *mode;
  }
  std::vector<std::string> command = {arguments.text("--in-front-of")};
  if (is_address(command.front())) {
    return front_address(arguments, settings.value());
  }
  if (arguments.has("--http")) {
    return fail(refused("clients of a command are at standard input and output", "--http"));
  }
  command.insert(command.end(), arguments.positionals().begin(), arguments.positionals().end());
  const Result<bool> ended = mcp::front_command(command, settings.value(), teller(arguments), random_seed());
  if (!ended) {
    return fail(ended.error());
  }
  return ended.value() ? exit_clean : exit_undecided;
}

}  // namespace plumb::cli
