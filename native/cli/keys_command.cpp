// `plumb keys create|list|revoke`: who may call the proxy, kept in a file or by a server.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/require.hpp"
#include "core/run/stamp.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/near_miss.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/keys_place.hpp"
#include "native/cli/server_ask.hpp"
#include "native/cli/terminal.hpp"
#include "native/proxy/address.hpp"
#include "native/proxy/key_changes.hpp"
#include "native/proxy/settings_file.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::cli {

namespace {

using proxy::ClientKey;
using proxy::LimitField;
using proxy::Mode;

Error wrong(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

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

Result<ClientKey> read_key(const Arguments& arguments, std::uint64_t now_ms) {
  ClientKey key;
  key.name = arguments.positionals().front();
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
    const Result<std::uint64_t> expires = proxy::read_expiry(arguments.text("--expires"), now_ms);
    if (!expires) {
      return wrong("'--expires " + arguments.text("--expires") + "' " + expires.error().message);
    }
    key.expires_ms = expires.value();
  }
  if (arguments.has("--response-format")) {
    key.response_format = mode_of(arguments.text("--response-format"));
  }
  if (arguments.has("--tools")) {
    key.tools = mode_of(arguments.text("--tools"));
  }
  return key;
}

void append_key(json::Writer& json, const ClientKey& key, std::uint64_t now_ms) {
  const auto list = [&json](std::string_view name, const std::vector<std::string>& texts) {
    json.key(name).begin_array();
    for (const std::string& text : texts) {
      json.string(text);
    }
    json.end_array();
  };
  json.member("id", key.id).member("name", key.name).member("state", proxy::key_state_name(key, now_ms));
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
    const std::string_view state = proxy::key_state_name(key, now_ms);
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

// A model or contract that plumb.yaml does not know yet is worth a word: the key would be of no use.
void note_unknown(const KeysPlace& place, const ClientKey& key) {
  if (!place.config || (key.models.empty() && key.contracts.empty())) {
    return;
  }
  if (const auto settings = proxy::read_proxy_settings(place.config->path)) {
    for (const std::string& one : proxy::unknown_names(*settings.value(), key)) {
      note(one);
    }
  }
}

// Where the keys are: in a file of this machine, or with a server that has one.
struct KeySource {
  std::string server;  // an address; empty: the file
  KeysPlace place;
  std::uint64_t now_ms = 0;

  // The answer of the server, with its `keys`.
  struct Served {
    json::Arena arena;
    json::Value value;
    std::vector<ClientKey> keys;
  };
  std::optional<Error> ask(const char* method, const std::string& target, std::string body, Served& into) {
    const Result<ServerAnswer> answer = ask_server(server, method, target, std::move(body));
    if (!answer) {
      return answer.error();
    }
    const Result<json::Value> read = json::parse(answer.value().body, into.arena);
    const json::Value* list = read ? read.value().find("keys") : nullptr;
    if (list == nullptr) {
      return Error{ErrorCode::unavailable, "does not answer as a server of plumb with client keys", server, 0, 0};
    }
    into.value = read.value();
    Result<std::vector<ClientKey>> keys = proxy::read_shown_keys(*list);
    if (!keys) {
      return Error{ErrorCode::unavailable, keys.error().message, server, 0, 0};
    }
    into.keys = std::move(keys).value();
    place.file = json::text_of(into.value, "file");
    return std::nullopt;
  }

  Result<proxy::CreatedKey> create(const ClientKey& wanted) {
    if (server.empty()) {
      Result<proxy::CreatedKey> made = proxy::create_key(place.file, wanted, now_ms);
      if (made) {
        note_unknown(place, made.value().key);
      }
      return made;
    }
    Served served;
    if (std::optional<Error> error = ask("POST", "/v1/keys", proxy::wanted_key_json(wanted), served)) {
      return *error;
    }
    for (const std::string& one : json::texts_of(served.value, "notes")) {
      note(one);
    }
    std::string text(json::text_of(served.value, "key"));
    if (text.empty() || served.keys.size() != 1) {
      return Error{ErrorCode::unavailable, "does not answer with the new key", server, 0, 0};
    }
    return proxy::CreatedKey{std::move(text), std::move(served.keys.front())};
  }

  Result<std::vector<ClientKey>> list() {
    if (server.empty()) {
      return proxy::read_keys_file(place.file);
    }
    Served served;
    const std::optional<Error> error = ask("GET", "/v1/keys", {}, served);
    return error ? Result<std::vector<ClientKey>>(*error) : Result<std::vector<ClientKey>>(std::move(served.keys));
  }

  Result<std::vector<ClientKey>> revoke(const std::vector<std::string>& said) {
    if (server.empty()) {
      return proxy::revoke_keys(place.file, said, now_ms);
    }
    std::string body;
    json::Writer json(body);
    json.begin_object().key("keys").begin_array();
    for (const std::string& one : said) {
      json.string(one);
    }
    json.end_array().end_object();
    Served served;
    const std::optional<Error> error = ask("POST", "/v1/keys/revoke", std::move(body), served);
    return error ? Result<std::vector<ClientKey>>(*error) : Result<std::vector<ClientKey>>(std::move(served.keys));
  }

  std::string shown_place() const { return place.file + (server.empty() ? "" : " at " + server); }
};

int print_keys(const std::vector<ClientKey>& keys, std::uint64_t now_ms) {
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

int create(const Arguments& arguments, KeySource& source) {
  const Result<ClientKey> wanted = read_key(arguments, source.now_ms);
  if (!wanted) {
    return fail(wanted.error());
  }
  const Result<proxy::CreatedKey> made = source.create(wanted.value());
  if (!made) {
    return fail(made.error());
  }
  const auto& [text, key] = made.value();
  if (arguments.has("--json")) {
    std::string json_text;
    json::Writer json(json_text, 2);
    json.begin_object().member("key", text).member("file", source.place.file);
    append_key(json, key, source.now_ms);
    json.end_object();
    return out(json_text + "\n");
  }
  note("key " + key.id + " for '" + key.name + "' is in " + source.shown_place() + "; it is shown this once");
  return out(text + "\n");
}

int list(const Arguments& arguments, KeySource& source) {
  const Result<std::vector<ClientKey>> read = source.list();
  if (!read) {
    return fail(read.error());
  }
  std::vector<ClientKey> keys;
  for (const ClientKey& key : read.value()) {
    if (arguments.has("--all") || proxy::key_state_name(key, source.now_ms) == "good") {
      keys.push_back(key);
    }
  }
  if (arguments.has("--json")) {
    return print_keys(keys, source.now_ms);
  }
  if (keys.empty()) {
    const std::string more =
        read.value().empty() ? "; `plumb keys create NAME` makes one" : " that is accepted; --all shows the others";
    return out("no client key in " + source.shown_place() + more + "\n");
  }
  return out(table(keys, source.now_ms, style_for(arguments, STDOUT_FILENO)));
}

int revoke(const Arguments& arguments, KeySource& source) {
  const Result<std::vector<ClientKey>> revoked = source.revoke(arguments.positionals());
  if (!revoked) {
    return fail(revoked.error());
  }
  if (arguments.has("--json")) {
    return print_keys(revoked.value(), source.now_ms);
  }
  std::string text;
  for (const ClientKey& key : revoked.value()) {
    text += "revoked " + key.id + " (" + key.name + ")\n";
  }
  return out(text);
}

}  // namespace

int run_keys(const Arguments& arguments) {
  KeySource source;
  source.now_ms = proxy::moment_now().wall_ms;
  source.server = arguments.text("--server");
  if (source.server.empty()) {
    Result<KeysPlace> place = keys_place(arguments);
    if (!place) {
      return fail(place.error());
    }
    source.place = std::move(place).value();
  } else if (arguments.has("--file")) {
    return fail(wrong("--file and --server exclude each other: the server has its own file of keys"));
  }
  const std::string_view path = arguments.command()->path;
  if (path == "keys create") {
    return create(arguments, source);
  }
  if (path == "keys list") {
    return list(arguments, source);
  }
  PLUMB_REQUIRE(path == "keys revoke", "every command of keys is run");
  return revoke(arguments, source);
}

}  // namespace plumb::cli
