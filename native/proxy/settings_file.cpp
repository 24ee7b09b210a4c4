#include "native/proxy/settings_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <utility>

#include "native/base/file_bytes.hpp"
#include "native/proxy/setting_table.hpp"
#include "native/proxy/settings_reader.hpp"
#include "native/store/nats/nats_address.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t key_file_bytes_max = std::uint64_t{64} << 10;
constexpr std::string_view no_keys = "none";
constexpr std::string_view no_share = "none";

std::string absolute(const plumb::ConfigFile& config, const std::string& path) {
  const char* home = std::getenv("HOME");
  if (path.starts_with("~/") && home != nullptr) {
    return home + path.substr(1);
  }
  return plumb::absolute_path(path.front() == '/' ? path : config.directory + path);
}

// A time is named without its unit, which its value has (`call: 5m`); `call_ms: 300000` is the older form. Empty for
// what is no time.
std::string_view without_unit(std::string_view name) {
  if (name == "body_ms") {
    return "body_time";  // `body` is a size
  }
  if (name.ends_with("_ms")) {
    return name.substr(0, name.size() - 3);
  }
  return name == "ttl_s" ? name.substr(0, name.size() - 2) : std::string_view();
}

// The older form of such a name.
std::string with_unit(const std::string& name) {
  return name == "body_time" ? "body_ms" : name == "ttl" ? "ttl_s" : name + "_ms";
}

// 0: not a unit.
std::uint64_t milliseconds(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> units = {
      {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
  for (const auto& [name, ms] : units) {
    if (name == unit) {
      return ms;
    }
  }
  return 0;
}

}  // namespace

void SettingsReader::wrong(const YAML::Node& node, std::string message) {
  if (!error) {
    error = at(node.Mark(), std::move(message));
  }
}

void SettingsReader::keep(std::optional<Error> found) {
  if (!error) {
    error = std::move(found);
  }
}

bool SettingsReader::map(const YAML::Node& node, std::string_view name, std::string_view path) {
  if (error) {
    return false;
  }
  std::vector<std::string_view> known = plumb::keys_below(proxy_settings(), path);
  if (!node.IsMap()) {
    wrong(node,
          "'" + std::string(name) + "' must be a map with " + plumb::listed(known) + ", not " + plumb::yaml_kind(node));
    return false;
  }
  std::deque<std::string> older;  // stay where they are while more are added
  for (const plumb::Setting& one : proxy_settings()) {
    if (one.type == "duration" && one.path.size() > path.size() + 1 && one.path.starts_with(path) &&
        one.path.find('.', path.size() + 1) == std::string::npos) {
      known.push_back(older.emplace_back(with_unit(one.path.substr(path.size() + 1))));
    }
  }
  keep(only_keys(node, known, " in '" + std::string(name) + "'"));
  return !error;
}

void SettingsReader::text_of(const YAML::Node& map, const char* key, std::string& into) {
  if (error || !map[key]) {
    return;
  }
  keep(text(map[key], key, into));
}

void SettingsReader::number(const YAML::Node& map, const char* key, std::uint64_t min, std::uint64_t max,
                            std::uint64_t& into) {
  const std::string shorter(without_unit(key));
  const bool is_time = !shorter.empty() && !error;
  if (is_time && map[shorter] && map[key]) {
    wrong(map[key], "'" + shorter + "' and '" + key + "' are the same setting; keep '" + shorter + "'");
  }
  const std::string name = is_time && map[shorter] ? shorter : std::string(key);
  std::string said;
  text_of(map, name.c_str(), said);
  if (error || said.empty()) {
    return;
  }
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(said.data(), said.data() + said.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(said.data() + said.size() - end));
  bool good = failed == std::errc() && (unit.empty() ? name == key : is_time);
  if (good && !unit.empty()) {
    const std::uint64_t own_ms = std::string_view(key).ends_with("_ms") ? 1 : 1'000;
    const std::uint64_t unit_ms = milliseconds(unit);
    good = unit_ms >= own_ms && value <= max * own_ms / unit_ms;
    value = good ? value * unit_ms / own_ms : 0;
  }
  if (!good || value < min || value > max) {
    const std::string of = is_time ? (std::string_view(key).ends_with("_ms") ? " ms" : " s") : "";
    wrong(map[name], "'" + name + ": " + said + "': must be " +
                         (is_time ? "a time such as 500ms, 30s, 5m or 1h, from " : "a whole number from ") +
                         std::to_string(min) + of + " to " + std::to_string(max) + of);
    return;
  }
  into = value;
}

void SettingsReader::bytes(const YAML::Node& map, const char* key, std::uint64_t max, std::uint64_t& into) {
  std::string said;
  text_of(map, key, said);
  if (error || said.empty()) {
    return;
  }
  const std::string written = said;
  if (said.size() > 2 && said.ends_with('B')) {
    said.pop_back();
  }
  constexpr std::string_view letters = "KMG";
  const std::size_t letter = letters.find(said.back());
  const std::uint64_t unit = letter == std::string_view::npos ? 1 : std::uint64_t{1} << (10 * (letter + 1));
  const std::size_t digits = said.size() - (unit == 1 ? 0 : 1);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(said.data(), said.data() + digits, value);
  if (failed != std::errc() || end != said.data() + digits || value > max / unit) {
    wrong(map[key], "'" + std::string(key) + ": " + written + "': must be a number of bytes up to " +
                        std::to_string(max) + ", such as 65536, 64KB or 16MB");
    return;
  }
  into = value * unit;
}

void SettingsReader::flag(const YAML::Node& map, const char* key, bool& into) {
  if (const std::optional<std::string> said = choice(map, key, {"true", "false"})) {
    into = *said == "true";
  }
}

std::optional<std::string> SettingsReader::choice(const YAML::Node& map, const char* key,
                                                  const std::vector<std::string_view>& choices) {
  if (error || !map[key]) {
    return std::nullopt;
  }
  std::string said;
  keep(one_of(map[key], key, choices, said));
  return error ? std::nullopt : std::optional(said);
}

std::vector<std::string> SettingsReader::texts(const YAML::Node& map, const char* key) {
  std::vector<std::string> out;
  if (error || !map[key]) {
    return out;
  }
  if (!map[key].IsSequence()) {
    wrong(map[key], "'" + std::string(key) + "' must be a list of texts, not " + plumb::yaml_kind(map[key]));
    return out;
  }
  for (const YAML::Node& one : map[key]) {
    std::string said;
    keep(text(one, key, said));
    out.push_back(said);
  }
  return out;
}

std::string SettingsReader::path_of(const YAML::Node& map, const char* key, const std::string& otherwise) {
  std::string said;
  text_of(map, key, said);
  return said.empty() ? otherwise : absolute(input.config, said);
}

// As `plumb keys` looks for it, so that both mean one file.
void SettingsReader::client_keys(const YAML::Node& proxy) {
  std::string said;
  text_of(proxy, "keys", said);
  const std::string* variable = provider::find_variable(input.variables, "PLUMB_KEYS");
  const bool by_variable = variable != nullptr && !variable->empty();
  settings.keys_wanted = by_variable || (!said.empty() && said != no_keys);
  if (by_variable) {
    settings.keys_file = plumb::absolute_path(*variable);
  } else if (said != no_keys) {
    settings.keys_file = said.empty() ? input.state_directory + "/client-keys.json" : absolute(input.config, said);
  }
}

void SettingsReader::document(const YAML::Node& proxy) {
  if (proxy.IsMap() && proxy["cache"]) {
    wrong(proxy["cache"], "'cache': there is no cache of answers at temperature 0 any more; take this setting away");
  }
  if (!map(proxy, "proxy", "proxy")) {
    return;
  }
  listen(proxy);
  std::uint64_t threads = settings.threads;
  number(proxy, "threads", 1, 256, threads);
  settings.threads = static_cast<unsigned>(threads);
  number(proxy, "max_output_tokens", 1, 10'000'000, settings.output_tokens_max);
  limits(proxy, "limits", settings.each_key);
  limits(proxy, "limits_all", settings.all);
  projects(proxy);
  retries(proxy);
  breaker(proxy);
  prices(proxy);
  models(proxy);
  through(proxy);
  guarding(proxy);
  costs_are_known(proxy);
  stored(proxy, "idempotency", settings.idempotency);
  kept_responses(proxy);
  origins(proxy);
  networks(proxy);
  bounds(proxy);
  for (Upstream& upstream : settings.upstreams) {
    upstream.exchange.deadline_ms = settings.bounds.call_ms;
    upstream.exchange.body_bytes_max = settings.bounds.answer_bytes_max;
  }
  telemetry(proxy);
  client_keys(proxy);
  settings.counters_file = path_of(proxy, "counters", input.state_directory + "/proxy-counters.json");
  text_of(proxy, "share", settings.share_at);
  if (!error && !settings.share_at.empty() && settings.share_at != no_share) {
    const bool nats = store::is_nats_address(settings.share_at);
    const Result<store::NatsAddress> address = nats ? store::read_nats_address(settings.share_at) : Error{};
    if (!address) {
      wrong(proxy["share"], nats ? "'share': " + address.error().message
                                 : "'share' must be 'none' or nats://HOST:PORT/NAME (docs/scale.md)");
    }
  }
  settings.record_directory = path_of(proxy, "record", "");
  if (const std::optional<std::string> kind = choice(proxy, "log", {"off", "text", "json"})) {
    settings.log = *kind == "off" ? LogKind::off : *kind == "json" ? LogKind::json : LogKind::text;
  }
}

Result<std::shared_ptr<const Settings>> read_proxy_settings(const SettingsInput& input) {
  auto settings = std::make_shared<Settings>();
  settings->file = input.config.path;
  const std::optional<Error> wrong =
      plumb::read_yaml(input.config.path, input.config.text, [&](const YAML::Node& root) -> std::optional<Error> {
        SettingsReader reader{{input.config.path}, input, *settings, std::nullopt};
        const YAML::Node proxy = root.IsMap() ? root["proxy"] : YAML::Node();
        reader.document(proxy && !proxy.IsNull() ? proxy : YAML::Node(YAML::NodeType::Map));
        return reader.error;
      });
  if (wrong) {
    return *wrong;
  }
  return std::shared_ptr<const Settings>(std::move(settings));
}

Result<std::shared_ptr<const Settings>> read_proxy_settings(const std::string& path) {
  const Result<plumb::ConfigFile> config = plumb::read_config_file(path);
  if (!config) {
    return config.error();
  }
  const Result<std::string> state = state_directory();
  if (!state) {
    return state.error();
  }
  return read_proxy_settings({config.value(), provider::variables_of_process(),
                              [](const std::string& file) { return plumb::read_file(file, key_file_bytes_max); },
                              state.value()});
}

Result<std::string> keys_file_of(const plumb::ConfigFile& config, const std::string& otherwise) {
  std::string path = otherwise;
  const std::optional<Error> wrong =
      plumb::read_yaml(config.path, config.text, [&](const YAML::Node& root) -> std::optional<Error> {
        const YAML::Node proxy = root.IsMap() ? root["proxy"] : YAML::Node();
        if (!proxy || !proxy.IsMap() || !proxy["keys"]) {
          return std::nullopt;
        }
        std::string said;
        const plumb::YamlReading reading{config.path};
        std::optional<Error> error = reading.text(proxy["keys"], "keys", said);
        if (!error && said == no_keys) {
          return reading.at(proxy["keys"].Mark(),
                            "'keys: none' has this machine's calls answered without a key; name a "
                            "file here, or with --file, to keep keys in");
        }
        if (!error) {
          path = absolute(config, said);
        }
        return error;
      });
  if (wrong) {
    return *wrong;
  }
  return path;
}

Result<std::string> state_directory() {
  const auto variable = [](const char* name) {
    const char* said = std::getenv(name);
    return std::string(said == nullptr ? "" : said);
  };
  std::string state = variable("XDG_STATE_HOME");
  if (state.empty()) {
    if (variable("HOME").empty()) {
      return Error{ErrorCode::not_found,
                   "there is no HOME to keep client keys in; say where with `proxy.keys` and "
                   "`proxy.counters` in plumb.yaml, or set XDG_STATE_HOME",
                   "", 0, 0};
    }
    state = variable("HOME") + "/.local/state";
  }
  const std::filesystem::path folder = std::filesystem::path(state) / "plumb";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return Error{ErrorCode::unavailable, "cannot be made: " + failed.message(), folder.string(), 0, 0};
  }
  return folder.string();
}

}  // namespace plumb::proxy
