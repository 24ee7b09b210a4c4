// `plumb keys create|list|revoke`: who may call the proxy.
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "core/json/writer.hpp"
#include "core/require.hpp"
#include "core/run/stamp.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/near_miss.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/keys_place.hpp"
#include "native/cli/terminal.hpp"
#include "native/proxy/address.hpp"
#include "native/proxy/key_file.hpp"
#include "native/proxy/settings_file.hpp"
#include "native/proxy/time_point.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::cli {

namespace {

using proxy::ClientKey;
using proxy::LimitField;
using proxy::Mode;

constexpr std::size_t name_bytes_max = 100;

Error wrong(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

void random_bytes(std::uint8_t* into, std::size_t size) {
  PLUMB_REQUIRE(::getrandom(into, size, 0) == static_cast<ssize_t>(size), "the system gives random bytes at once");
}

std::string new_id() {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<std::uint8_t, 8> bytes{};
  random_bytes(bytes.data(), bytes.size());
  std::string id = "k";
  for (const std::uint8_t byte : bytes) {
    id += letters[byte & 31U];
  }
  return id;
}

std::optional<Mode> mode_of(const std::string& name) {
  for (const Mode mode : {Mode::off, Mode::observe, Mode::enforce, Mode::hold_back}) {
    if (name == proxy::mode_name(mode)) {
      return mode;
    }
  }
  return std::nullopt;
}

Result<bool> read_limits(const Arguments& arguments, proxy::Limits& into) {
  for (const std::string& said : arguments.list("--limit")) {
    const std::size_t sign = said.find('=');
    const std::string name = said.substr(0, sign);
    const LimitField* field = proxy::limit_field(name);
    if (field == nullptr) {
      std::vector<std::string_view> names;
      std::string all;
      for (const LimitField& one : proxy::limit_fields) {
        names.push_back(one.name);
        all += (all.empty() ? "" : ", ") + std::string(one.name);
      }
      return wrong("'--limit " + said + "': there is no limit '" + name + "'" + did_you_mean(name, names) +
                   "; limits are " + all);
    }
    const std::optional<std::uint64_t> value =
        sign == std::string::npos ? std::nullopt : proxy::read_limit(*field, said.substr(sign + 1));
    if (!value) {
      return wrong("'--limit " + said + "': " + name + "=VALUE is required, " +
                   (field->money ? "with dollars above 0, such as 1.50" : "with a whole number above 0"));
    }
    into.*field->member = *value;
  }
  return true;
}

Result<std::uint64_t> read_expiry(const std::string& said, std::uint64_t now_ms) {
  if (const auto duration = proxy::read_duration(said)) {
    return now_ms + *duration;
  }
  const auto time = proxy::read_utc(said);
  if (!time) {
    return wrong("'--expires " + said +
                 "': must be a date (2026-12-31), a time in UTC (2026-12-31T18:00:00Z) or a duration "
                 "(90d, 12h, 30m)");
  }
  if (*time <= now_ms) {
    return wrong("'--expires " + said + "' has passed already");
  }
  return *time;
}

Result<ClientKey> read_key(const Arguments& arguments, std::uint64_t now_ms) {
  ClientKey key;
  key.name = arguments.positionals().front();
  const bool printable = std::all_of(key.name.begin(), key.name.end(),
                                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
  if (key.name.empty() || key.name.size() > name_bytes_max || !printable) {
    return wrong("a key's name has 1 to 100 bytes, without line ends and controls");
  }
  key.models = arguments.list("--model");
  key.contracts = arguments.list("--contract");
  key.origins = arguments.list("--origin");
  for (const std::string& origin : key.origins) {
    if (!proxy::is_origin(origin)) {
      return wrong("'--origin " + origin + "' is not an origin: https://app.example.org is, without a path");
    }
  }
  if (const Result<bool> limits = read_limits(arguments, key.limits); !limits) {
    return limits.error();
  }
  key.project = arguments.text("--project");
  if (arguments.has("--project") && !proxy::is_project_name(key.project)) {
    return wrong("'--project " + key.project + "': a project's name has 1 to 32 letters, digits, '-' and '_'");
  }
  if (arguments.has("--expires")) {
    const Result<std::uint64_t> expires = read_expiry(arguments.text("--expires"), now_ms);
    if (!expires) {
      return expires.error();
    }
    key.expires_ms = expires.value();
  }
  if (arguments.has("--response-format")) {
    key.response_format = mode_of(arguments.text("--response-format"));
  }
  if (arguments.has("--tools")) {
    key.tools = mode_of(arguments.text("--tools"));
  }
  key.created_ms = now_ms;
  return key;
}

std::string_view state_of(const ClientKey& key, std::uint64_t now_ms) {
  return key.revoked_ms != 0 ? "revoked" : key.expires_ms != 0 && key.expires_ms <= now_ms ? "expired" : "good";
}

void append_key(json::Writer& json, const ClientKey& key, std::uint64_t now_ms) {
  const auto list = [&json](std::string_view name, const std::vector<std::string>& texts) {
    json.key(name).begin_array();
    for (const std::string& text : texts) {
      json.string(text);
    }
    json.end_array();
  };
  json.member("id", key.id).member("name", key.name).member("state", state_of(key, now_ms));
  if (!key.project.empty()) {
    json.member("project", key.project);
  }
  json.member("created", run::iso_time(key.created_ms));
  if (key.expires_ms != 0) {
    json.member("expires", run::iso_time(key.expires_ms));
  }
  if (key.revoked_ms != 0) {
    json.member("revoked", run::iso_time(key.revoked_ms));
  }
  list("models", key.models);
  list("contracts", key.contracts);
  list("origins", key.origins);
  json.key("limits").begin_object();
  for (const LimitField& field : proxy::limit_fields) {
    if (const std::uint64_t value = key.limits.*field.member; value != 0) {
      json.key(field.name).raw(proxy::limit_text(field, value));
    }
  }
  json.end_object();
  if (key.response_format) {
    json.member("responseFormat", proxy::mode_name(*key.response_format));
  }
  if (key.tools) {
    json.member("tools", proxy::mode_name(*key.tools));
  }
}

int out(const std::string& text) {
  if (write_all(STDOUT_FILENO, text)) {
    return exit_clean;
  }
  return fail(Error{ErrorCode::unavailable, "cannot be written: " + reason_of(errno), "standard output", 0, 0});
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width + 2), ' ');
  return text;
}

// A model or contract that plumb.yaml does not know yet is worth a word: the key would be of no use.
void note_unknown(const KeysPlace& place, const ClientKey& key) {
  if (!place.config || (key.models.empty() && key.contracts.empty())) {
    return;
  }
  const auto settings = proxy::read_proxy_settings(place.config->path);
  if (!settings) {
    return;
  }
  for (const std::string& model : key.models) {
    if (settings.value()->route_of(model) == nullptr) {
      note("plumb.yaml has no model '" + model + "'");
    }
  }
  for (const std::string& contract : key.contracts) {
    if (settings.value()->contract_named(contract) == nullptr) {
      note("plumb.yaml has no contract '" + contract + "'");
    }
  }
}

std::string limits_shown(const ClientKey& key) {
  std::string text;
  for (const LimitField& field : proxy::limit_fields) {
    if (const std::uint64_t value = key.limits.*field.member; value != 0) {
      text += (text.empty() ? "" : ", ") + std::string(field.name) + "=" + proxy::limit_text(field, value);
    }
  }
  return text;
}

std::string models_of(const ClientKey& key) { return key.models.empty() ? "all" : joined(key.models, ","); }

std::string table(const std::vector<ClientKey>& keys, std::uint64_t now_ms, const contract::TextStyle& style) {
  std::size_t name_width = 4;
  std::size_t model_width = 6;
  std::size_t project_width = 0;  // 0: no key has one
  for (const ClientKey& key : keys) {
    name_width = std::max(name_width, key.name.size());
    model_width = std::max(model_width, models_of(key).size());
    if (!key.project.empty()) {
      project_width = std::max({project_width, key.project.size(), std::string_view("project").size()});
    }
  }
  const auto project = [project_width](std::string text) {
    return project_width == 0 ? std::string() : padded(std::move(text), project_width);
  };
  std::string text = bold(padded("id", 9) + padded("name", name_width) + project("project") + padded("state", 7) +
                              padded("created", 10) + padded("expires", 10) + padded("models", model_width) + "limits",
                          style) +
                     "\n";
  for (const ClientKey& key : keys) {
    const std::string_view state = state_of(key, now_ms);
    const std::string shown = padded(std::string(state), 7);
    text += padded(key.id, 9) + padded(key.name, name_width) + project(key.project) +
            (state == "good" ? green(shown, style) : red(shown, style));
    text += padded(run::iso_time(key.created_ms).substr(0, 10), 10);
    text += padded(key.expires_ms == 0 ? "never" : run::iso_time(key.expires_ms).substr(0, 10), 10);
    text += padded(models_of(key), model_width) + limits_shown(key);
    while (text.back() == ' ') {
      text.pop_back();
    }
    text += "\n";
  }
  return text;
}

int create(const Arguments& arguments, const KeysPlace& place, std::uint64_t now_ms) {
  Result<ClientKey> read = read_key(arguments, now_ms);
  if (!read) {
    return fail(read.error());
  }
  ClientKey& key = read.value();
  std::array<std::uint8_t, 32> secret{};
  random_bytes(secret.data(), secret.size());
  const std::string text = proxy::key_text(secret);
  key.digest = proxy::key_digest(text);
  const Result<bool> changed = proxy::change_keys_file(place.file, [&](std::vector<ClientKey>& keys) -> Result<bool> {
    do {
      key.id = new_id();
    } while (std::any_of(keys.begin(), keys.end(), [&](const ClientKey& other) { return other.id == key.id; }));
    const bool taken = std::any_of(keys.begin(), keys.end(), [&](const ClientKey& other) {
      return other.name == key.name && state_of(other, now_ms) == "good";
    });
    if (taken) {
      return wrong("there is a key '" + key.name + "' already; revoke it first, or take another name");
    }
    keys.push_back(key);
    return true;
  });
  if (!changed) {
    return fail(changed.error());
  }
  note_unknown(place, key);
  if (arguments.has("--json")) {
    std::string json_text;
    json::Writer json(json_text, 2);
    json.begin_object().member("key", text).member("file", place.file);
    append_key(json, key, now_ms);
    json.end_object();
    return out(json_text + "\n");
  }
  note("key " + key.id + " for '" + key.name + "' is in " + place.file + "; it is shown this once");
  return out(text + "\n");
}

int list(const Arguments& arguments, const KeysPlace& place, std::uint64_t now_ms) {
  const Result<std::vector<ClientKey>> read = proxy::read_keys_file(place.file);
  if (!read) {
    return fail(read.error());
  }
  std::vector<ClientKey> keys;
  for (const ClientKey& key : read.value()) {
    if (arguments.has("--all") || state_of(key, now_ms) == "good") {
      keys.push_back(key);
    }
  }
  if (arguments.has("--json")) {
    std::string text;
    json::Writer json(text, 2);
    json.begin_array();
    for (const ClientKey& key : keys) {
      json.begin_object();
      append_key(json, key, now_ms);
      json.end_object();
    }
    json.end_array();
    return out(text + "\n");
  }
  if (keys.empty()) {
    const std::string more =
        read.value().empty() ? "; `plumb keys create NAME` makes one" : " that is accepted; --all shows the others";
    return out("no client key in " + place.file + more + "\n");
  }
  return out(table(keys, now_ms, style_for(arguments, STDOUT_FILENO)));
}

// By id, by the key's own text, by a name that one alone has.
Result<ClientKey*> find_key(std::vector<ClientKey>& keys, const std::string& said, std::uint64_t now_ms) {
  const proxy::KeyDigest digest = proxy::key_digest(said);
  std::vector<ClientKey*> named;
  std::vector<std::string_view> names;
  for (ClientKey& key : keys) {
    if (key.id == said || key.digest == digest) {
      return &key;
    }
    names.push_back(key.id);
    names.push_back(key.name);
    if (key.name == said && state_of(key, now_ms) != "revoked") {
      named.push_back(&key);
    }
  }
  if (named.size() == 1) {
    return named.front();
  }
  if (named.size() > 1) {
    return wrong(std::to_string(named.size()) + " keys are called '" + said + "': name one by its id");
  }
  // What looks like a key is not repeated.
  const bool secret = proxy::key_form(said) != proxy::KeyForm::not_ours;
  return Error{ErrorCode::not_found,
               secret ? "this key is not known here"
                      : "there is no key '" + said + "'" + did_you_mean(said, names) + "; `plumb keys list` has them",
               "", 0, 0};
}

int revoke(const Arguments& arguments, const KeysPlace& place, std::uint64_t now_ms) {
  std::vector<ClientKey> revoked;
  const Result<bool> changed = proxy::change_keys_file(place.file, [&](std::vector<ClientKey>& keys) -> Result<bool> {
    for (const std::string& said : arguments.positionals()) {
      const Result<ClientKey*> key = find_key(keys, said, now_ms);
      if (!key) {
        return key.error();
      }
      if (key.value()->revoked_ms == 0) {
        key.value()->revoked_ms = now_ms;
      }
      revoked.push_back(*key.value());
    }
    return true;
  });
  if (!changed) {
    return fail(changed.error());
  }
  if (arguments.has("--json")) {
    std::string text;
    json::Writer json(text, 2);
    json.begin_array();
    for (const ClientKey& key : revoked) {
      json.begin_object();
      append_key(json, key, now_ms);
      json.end_object();
    }
    json.end_array();
    return out(text + "\n");
  }
  std::string text;
  for (const ClientKey& key : revoked) {
    text += "revoked " + key.id + " (" + key.name + ")\n";
  }
  return out(text);
}

}  // namespace

int run_keys(const Arguments& arguments) {
  const Result<KeysPlace> place = keys_place(arguments);
  if (!place) {
    return fail(place.error());
  }
  const std::uint64_t now_ms = proxy::moment_now().wall_ms;
  const std::string_view path = arguments.command()->path;
  if (path == "keys create") {
    return create(arguments, place.value(), now_ms);
  }
  if (path == "keys list") {
    return list(arguments, place.value(), now_ms);
  }
  PLUMB_REQUIRE(path == "keys revoke", "every command of keys is run");
  return revoke(arguments, place.value(), now_ms);
}

}  // namespace plumb::cli
