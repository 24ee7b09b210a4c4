#include "native/proxy/key_changes.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>

#include "core/json/members.hpp"
#include "core/require.hpp"
#include "native/base/near_miss.hpp"
#include "native/proxy/address.hpp"
#include "native/proxy/time_point.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

namespace {

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

std::optional<Error> problem_of(const ClientKey& key) {
  const bool printable = std::all_of(key.name.begin(), key.name.end(),
                                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
  if (key.name.empty() || key.name.size() > name_bytes_max || !printable) {
    return wrong("a key's name has 1 to 100 bytes, without line ends and controls");
  }
  for (const std::string& origin : key.origins) {
    if (!is_origin(origin)) {
      return wrong("'" + origin + "' is not an origin: https://app.example.org is, without a path");
    }
  }
  if (!key.project.empty() && !is_project_name(key.project)) {
    return wrong("'" + key.project + "': a project's name has 1 to 32 letters, digits, '-' and '_'");
  }
  return std::nullopt;
}

// By id, by the key's own text, by a name that one alone has.
Result<ClientKey*> find_key(std::vector<ClientKey>& keys, const std::string& said) {
  const KeyDigest digest = key_digest(said);
  std::vector<ClientKey*> named;
  std::vector<std::string_view> names;
  for (ClientKey& key : keys) {
    if (key.id == said || key.digest == digest) {
      return &key;
    }
    names.push_back(key.id);
    names.push_back(key.name);
    if (key.name == said && key.revoked_ms == 0) {
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
  const bool secret = key_form(said) != KeyForm::not_ours;
  return Error{ErrorCode::not_found,
               secret ? "this key is not known here"
                      : "there is no key '" + said + "'" + did_you_mean(said, names) + "; `plumb keys list` has them",
               "", 0, 0};
}

// {"file": "...", ...} with the keys.
void append_keys(json::Writer& json, const std::string& file, const std::vector<ClientKey>& keys,
                 std::uint64_t now_ms) {
  json.member("file", file).key("keys").begin_array();
  for (const ClientKey& key : keys) {
    json.begin_object();
    append_shown_key(json, key, now_ms);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string_view key_state_name(const ClientKey& key, std::uint64_t now_ms) {
  return key.revoked_ms != 0 ? "revoked" : key.expires_ms != 0 && key.expires_ms <= now_ms ? "expired" : "good";
}

Result<std::uint64_t> read_expiry(std::string_view said, std::uint64_t now_ms) {
  if (const auto duration = read_duration(said)) {
    return now_ms + *duration;
  }
  const auto time = read_utc(said);
  if (!time) {
    return wrong("must be a date (2026-12-31), a time in UTC (2026-12-31T18:00:00Z) or a duration (90d, 12h, 30m)");
  }
  if (*time <= now_ms) {
    return wrong("has passed already");
  }
  return *time;
}

Result<CreatedKey> create_key(const std::string& file, ClientKey wanted, std::uint64_t now_ms) {
  if (std::optional<Error> problem = problem_of(wanted)) {
    return *problem;
  }
  CreatedKey made;
  std::array<std::uint8_t, 32> secret{};
  random_bytes(secret.data(), secret.size());
  made.text = key_text(secret);
  made.key = std::move(wanted);
  made.key.digest = key_digest(made.text);
  made.key.created_ms = now_ms;
  const Result<bool> changed = change_keys_file(file, [&](std::vector<ClientKey>& keys) -> Result<bool> {
    do {
      made.key.id = new_id();
    } while (std::any_of(keys.begin(), keys.end(), [&](const ClientKey& other) { return other.id == made.key.id; }));
    const bool taken = std::any_of(keys.begin(), keys.end(), [&](const ClientKey& other) {
      return other.name == made.key.name && key_state_name(other, now_ms) == "good";
    });
    if (taken) {
      return wrong("there is a key '" + made.key.name + "' already; revoke it first, or take another name");
    }
    keys.push_back(made.key);
    return true;
  });
  return changed ? Result<CreatedKey>(std::move(made)) : Result<CreatedKey>(changed.error());
}

Result<std::vector<ClientKey>> revoke_keys(const std::string& file, const std::vector<std::string>& said,
                                           std::uint64_t now_ms) {
  std::vector<ClientKey> revoked;
  const Result<bool> changed = change_keys_file(file, [&](std::vector<ClientKey>& keys) -> Result<bool> {
    for (const std::string& one : said) {
      const Result<ClientKey*> key = find_key(keys, one);
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
  return changed ? Result<std::vector<ClientKey>>(std::move(revoked)) : Result<std::vector<ClientKey>>(changed.error());
}

std::vector<std::string> unknown_names(const Settings& settings, const ClientKey& key) {
  std::vector<std::string> out;
  for (const std::string& model : key.models) {
    if (settings.route_of(model) == nullptr) {
      out.push_back("plumb.yaml has no model '" + model + "'");
    }
  }
  for (const std::string& contract : key.contracts) {
    if (settings.contract_named(contract) == nullptr) {
      out.push_back("plumb.yaml has no contract '" + contract + "'");
    }
  }
  return out;
}

void append_shown_key(json::Writer& json, const ClientKey& key, std::uint64_t now_ms) {
  append_key_members(json, key, false);
  json.member("state", key_state_name(key, now_ms));
}

Result<std::vector<ClientKey>> read_shown_keys(const json::Value& list) {
  std::vector<ClientKey> keys;
  for (const json::Value& one : list.array()) {
    Result<ClientKey> key = read_key_members(one, KeyRow::shown);
    if (!key) {
      return key.error();
    }
    keys.push_back(std::move(key).value());
  }
  return keys;
}

std::string wanted_key_json(const ClientKey& wanted) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  append_key_members(json, wanted, false);
  json.end_object();
  return out;
}

Result<ClientKey> read_wanted_key(const json::Value& body, std::uint64_t now_ms) {
  Result<ClientKey> key = read_key_members(body, KeyRow::wanted);
  if (!key) {
    return key;
  }
  if (const std::string_view expires = json::text_of(body, "expires"); !expires.empty()) {
    const Result<std::uint64_t> at = read_expiry(expires, now_ms);
    if (!at) {
      return wrong("'expires' " + at.error().message);
    }
    key.value().expires_ms = at.value();
  }
  return key;
}

control::KeysView keys_over_http(std::function<Result<std::string>()> file,
                                 std::function<std::shared_ptr<const Settings>()> settings) {
  const auto text_of = [](const std::string& path, const Result<std::vector<ClientKey>>& keys) -> Result<std::string> {
    if (!keys) {
      return keys.error();
    }
    std::string out;
    json::Writer json(out);
    json.begin_object();
    append_keys(json, path, keys.value(), moment_now().wall_ms);
    json.end_object();
    return out;
  };
  control::KeysView view;
  view.list = [file, text_of]() -> Result<std::string> {
    const Result<std::string> path = file();
    return path ? text_of(path.value(), read_keys_file(path.value())) : path;
  };
  view.create = [file, settings](const json::Value& body) -> Result<std::string> {
    const std::uint64_t now_ms = moment_now().wall_ms;
    const Result<ClientKey> wanted = read_wanted_key(body, now_ms);
    const Result<std::string> path = wanted ? file() : Result<std::string>(wanted.error());
    if (!path) {
      return path;
    }
    const Result<CreatedKey> made = create_key(path.value(), wanted.value(), now_ms);
    if (!made) {
      return made.error();
    }
    std::string out;
    json::Writer json(out);
    json.begin_object().member("key", made.value().text);
    append_keys(json, path.value(), {made.value().key}, now_ms);
    json.key("notes").begin_array();
    if (const std::shared_ptr<const Settings> known = settings()) {
      for (const std::string& note : unknown_names(*known, made.value().key)) {
        json.string(note);
      }
    }
    json.end_array().end_object();
    return out;
  };
  view.revoke = [file, text_of](const std::vector<std::string>& said) -> Result<std::string> {
    const Result<std::string> path = file();
    if (!path) {
      return path;
    }
    Result<std::vector<ClientKey>> revoked = revoke_keys(path.value(), said, moment_now().wall_ms);
    if (revoked) {
    }
    return text_of(path.value(), revoked);
  };
  return view;
}

}  // namespace plumb::proxy
