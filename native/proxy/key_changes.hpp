// What operators do with client keys: create, revoke and show them. `plumb keys` does it with a file, and the control
// port for a command on another machine.
//
//   Result<CreatedKey> made = create_key("client-keys.json", {.name = "web", .models = {"fast"}}, now_ms);
//   ... show made.value().text once ...
//   revoke_keys("client-keys.json", {"web"}, now_ms);
//
// Over HTTP a key has the members of its row in the file (key_file.hpp) without `sha256`, and `state`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "native/control/keys_view.hpp"
#include "native/proxy/key_file.hpp"

namespace plumb::proxy {

struct CreatedKey {
  std::string text;  // "plumb_...", which is not kept
  ClientKey key;
};

// `wanted` has what the key may do; id, digest and time of creation are set here. Error: a name, origin or project that
// cannot be one, an accepted key of the same name, or a problem of the file.
Result<CreatedKey> create_key(const std::string& file, ClientKey wanted, std::uint64_t now_ms);

// Each text is an id, the key itself, or a name that one key alone has. All are revoked, or none. Returns them.
Result<std::vector<ClientKey>> revoke_keys(const std::string& file, const std::vector<std::string>& said,
                                           std::uint64_t now_ms);

// "good", "revoked" or "expired".
std::string_view key_state_name(const ClientKey& key, std::uint64_t now_ms);

// A date (2026-12-31), a time in UTC, or a duration such as 90d, as a time to come.
Result<std::uint64_t> read_expiry(std::string_view said, std::uint64_t now_ms);

// Models and contracts of the key that the settings do not have: "plumb.yaml has no model 'fast'".
std::vector<std::string> unknown_names(const Settings& settings, const ClientKey& key);

// Over HTTP. The members of a key, within an object; and keys read from a list of them.
void append_shown_key(json::Writer& json, const ClientKey& key, std::uint64_t now_ms);
Result<std::vector<ClientKey>> read_shown_keys(const json::Value& list);
// The body that asks for a key, and what it asks for. `expires` may be any text that read_expiry() takes.
std::string wanted_key_json(const ClientKey& wanted);
Result<ClientKey> read_wanted_key(const json::Value& body, std::uint64_t now_ms);

// The keys of a file for the control port. `file` tells where it is now, and `settings` what keys may name (null:
// nobody knows). A running proxy notices a change of the file by itself.
control::KeysView keys_over_http(std::function<Result<std::string>()> file,
                                 std::function<std::shared_ptr<const Settings>()> settings);

}  // namespace plumb::proxy
