#include "native/cli/served_proxy.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "native/base/file_bytes.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/store_file.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"
#include "native/config/trust.hpp"
#include "native/proxy/address.hpp"
#include "native/proxy/claim_law.hpp"
#include "native/proxy/settings_file.hpp"
#include "native/proxy/time_point.hpp"
#include "native/store/nats/jetstream.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t key_file_bytes_max = 64U << 10;
constexpr std::uint64_t calls_answer_ms = 2'000;
// What one takes at the servers, about.
constexpr std::uint64_t response_bytes = 512;

using SettingsPtr = std::shared_ptr<const proxy::Settings>;

// What the command line says goes before what the file says, now and after each reload.
struct ProxyOptions {
  std::optional<proxy::ListenAddress> address;
  std::optional<proxy::LogKind> log;
  std::string share_at;  // where plumb.yaml says nothing: the store's
};

Result<SettingsPtr> with_said(Result<SettingsPtr> read, const ProxyOptions& said) {
  if (!read || (!said.address && !said.log && said.share_at.empty())) {
    return read;
  }
  auto settings = std::make_shared<proxy::Settings>(*read.value());
  if (said.address) {
    settings->host = said.address->host;
    settings->port = said.address->port;
  }
  settings->log = said.log.value_or(settings->log);
  if (settings->share_at.empty()) {
    settings->share_at = said.share_at;
  }
  return SettingsPtr(std::move(settings));
}

proxy::LogKind log_kind_named(std::string_view name) {
  return name == "off" ? proxy::LogKind::off : name == "json" ? proxy::LogKind::json : proxy::LogKind::text;
}

// Without a plumb.yaml: every name is passed on to the provider that the command line or the environment chooses.
Result<SettingsPtr> settings_without_file(const Arguments& arguments) {
  const Result<ProviderSetup> setup = provider_setup(arguments);
  if (!setup) {
    return setup.error();
  }
  const bool asks_nobody = setup.value().choices.empty() || setup.value().choices.front().provider == "extract" ||
                           setup.value().choices.front().provider == "replay";
  if (asks_nobody) {
    return Error{ErrorCode::invalid_argument,
                 "says where the proxy listens; say as well whom it asks: --provider ollama/NAME, openai/NAME or "
                 "anthropic/NAME, or a plumb.yaml with `proxy:`",
                 "--proxy", 0, 0};
  }
  ConfigFile config;
  config.path = "--proxy";
  config.directory = absolute_path(".") + "/";
  config.text = "proxy: {}\n";
  for (const provider::Choice& choice : setup.value().choices) {
    if (config.providers.choices.empty()) {
      config.providers.choices.emplace_back("default", choice.said);
    }
  }
  const Result<std::string> state = proxy::state_directory();
  if (!state) {
    return state.error();
  }
  return proxy::read_proxy_settings({config, provider::variables_of_process(),
                                     [](const std::string& file) { return read_file(file, key_file_bytes_max); },
                                     state.value()});
}

// What limits and keys are shared over; nullptr: nothing.
Result<std::unique_ptr<proxy::Sharing>> open_sharing(const proxy::Settings& settings) {
  if (settings.share_at.empty() || settings.share_at == "none") {
    return std::unique_ptr<proxy::Sharing>();
  }
  Result<store::NatsAddress> address = store::read_nats_address(settings.share_at);
  const Result<std::string> login = nats_login();
  if (!address || !login) {
    return address ? login.error() : address.error();
  }
  if (address.value().user.empty() && address.value().token.empty() && !login.value().empty()) {
    store::set_login(address.value(), login.value());
  }
  store::JetStreamSettings jetstream;
  jetstream.address = address.value();
  jetstream.keeps = store::Keeps::proxies;
  jetstream.authorities = nats_authorities();
  Result<std::unique_ptr<store::SharedLog>> log = store::open_jetstream(jetstream);
  if (!log) {
    return log.error();
  }
  proxy::SharingOptions options;
  options.name = address.value().shown;
  options.keys_file = settings.keys_file;
  options.host_file = settings.counters_file.empty() ? std::string() : settings.counters_file + ".host";
  jetstream.told = [](store::StoreTold kind, const std::string& text) {
    if (kind == store::StoreTold::note) {
      note(text);
    }
  };
  jetstream.answer_ms = calls_answer_ms;
  jetstream.keeps = store::Keeps::responses;
  jetstream.bounds.age_ms = settings.responses.ttl_ms;
  jetstream.bounds.calls_bytes_max = std::max<std::uint64_t>(settings.responses.entries_max, 1'000) * response_bytes;
  Result<std::unique_ptr<store::SharedLog>> responses = store::open_jetstream(jetstream);
  if (!responses) {
    return responses.error();
  }
  if (settings.idempotency.bytes_max == 0) {
    return proxy::Sharing::open(std::move(log).value(), std::move(options), nullptr, std::move(responses).value());
  }
  jetstream.keeps = store::Keeps::calls;
  // A claim is there as long as its call.
  jetstream.bounds = {};
  jetstream.bounds.age_ms = std::max(settings.idempotency.ttl_ms, settings.bounds.call_ms + proxy::claim_grace_ms);
  jetstream.bounds.replies_bytes_max = settings.idempotency.bytes_max;
  Result<std::unique_ptr<store::SharedLog>> calls = store::open_jetstream(jetstream);
  if (!calls) {
    Error error = calls.error();
    error.message += " (what Idempotency-Keys are shared in, " + address.value().name + "-calls and " +
                     address.value().name + "-replies; with `idempotency: off` they are not)";
    return error;
  }
  return proxy::Sharing::open(std::move(log).value(), std::move(options), std::move(calls).value(),
                              std::move(responses).value());
}

std::string shown(const std::string& host, std::uint16_t port) {
  const std::string name = host.find(':') != std::string::npos ? "[" + host + "]"
                           : host == "0.0.0.0"                 ? "127.0.0.1"
                                                               : host;
  return "http://" + name + ":" + std::to_string(port);
}

}  // namespace

std::vector<OptionSpec> proxy_options() {
  return {
      {"--proxy",
       0,
       "[HOST:]PORT",
       {},
       "",
       "Open the data port here: model calls of any OpenAI or Anthropic client (docs/proxy.md). It is opened anyway, "
       "on "
       "127.0.0.1:8788, where plumb.yaml has `proxy:`. Without plumb.yaml all models are passed on to --provider.",
       Completes::nothing,
       false},
      {"--config", 0, "FILE", {}, "", "Read this file instead of looking for plumb.yaml.", Completes::file, false},
      {"--no-config", 0, "", {}, "", "Do not look for plumb.yaml.", Completes::nothing, false},
  };
}

std::string ServedProxy::address_line() const {
  const std::string note = policy_->start_note();
  return "The proxy is at " + shown(policy_->settings()->host, port_->port()) + "/v1" +
         (note.empty() ? "" : " (" + note + ")") + "\n";
}

std::string ServedProxy::log_kind() const {
  switch (policy_->settings()->log) {
    case proxy::LogKind::off:
      return "off";
    case proxy::LogKind::json:
      return "json";
    case proxy::LogKind::text:
      break;
  }
  return "text";
}

Result<std::unique_ptr<ServedProxy>> open_proxy(const Arguments& arguments) {
  ProxyOptions said;
  std::optional<proxy::ListenAddress>& address = said.address;
  if (arguments.has("--log")) {
    said.log = log_kind_named(arguments.text("--log"));
  }
  if (arguments.has("--proxy")) {
    const Result<proxy::ListenAddress> read = proxy::read_listen(arguments.text("--proxy"));
    if (!read) {
      return Error{read.error().code, read.error().message, "--proxy", 0, 0};
    }
    address = read.value();
  }
  const std::string path = config_path(arguments);
  if (path.empty() && !address) {
    return std::unique_ptr<ServedProxy>();
  }
  if (!path.empty() && !address) {
    const Result<ConfigFile> config = read_config_file(path);
    if (!config) {
      return config.error();
    }
    if (!config.value().has_proxy) {
      return std::unique_ptr<ServedProxy>();
    }
  }
  const Result<std::string> store = store_file(arguments);
  if (store && store::is_nats_address(store.value())) {
    said.share_at = store.value();
  }
  const bool named = arguments.has("--config");
  const auto read = [said, named](const std::string& file) -> Result<SettingsPtr> {
    if (const Result<ConfigFile> config = read_config_file(file); config && !named) {
      for (const char* part : {"proxy", "providers."}) {
        if (std::optional<Error> error = not_trusted(config.value(), part)) {
          return *error;
        }
      }
    }
    return with_said(proxy::read_proxy_settings(file), said);
  };
  const Result<SettingsPtr> settings = path.empty() ? with_said(settings_without_file(arguments), said) : read(path);
  if (!settings) {
    return settings.error();
  }

  const std::string level = arguments.text("--log-level", "warn");
  auto log = std::make_unique<LineWriter>(STDERR_FILENO);
  proxy::PolicyOptions options;
  options.settings = settings.value();
  options.log_calls = level == "info" || level == "debug";
  if (arguments.text("--log", "text") != "off") {
    options.log = [writer = log.get()](std::string_view line) { writer->write(line); };
  }
  Result<std::unique_ptr<proxy::Sharing>> sharing = open_sharing(*settings.value());
  if (!sharing) {
    return sharing.error();
  }
  Result<std::unique_ptr<proxy::Policy>> policy = proxy::Policy::open(std::move(options), proxy::moment_now());
  if (!policy) {
    return policy.error();
  }
  if (sharing.value()) {
    sharing.value()->attach(*policy.value());
  }
  Result<std::unique_ptr<proxy::DataPort>> port = proxy::DataPort::open(*policy.value());
  if (!port) {
    return port.error();
  }
  proxy::MaintenanceOptions keeping;
  keeping.config = path;
  keeping.read_settings = read;
  auto maintenance = std::make_unique<proxy::Maintenance>(*policy.value(), std::move(keeping));
  return std::make_unique<ServedProxy>(std::move(log), std::move(policy).value(), std::move(sharing).value(),
                                       std::move(port).value(), std::move(maintenance));
}

control::ProxyView proxy_view(proxy::Policy& policy) {
  return {[&policy] { return policy.state_json(proxy::moment_now()); },
          [&policy](std::string_view id) { return policy.call_json(id); }, [&policy] { return policy.changes(); },
          [&policy](std::string& out) { policy.append_metrics(out, proxy::moment_now()); }};
}

}  // namespace plumb::cli
