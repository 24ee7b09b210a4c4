// The file of client keys: JSON, mode 0600, replaced atomically. `plumb keys` writes it, and a running proxy reads it
// again within a second.
//
//   {"plumb_keys": 1, "keys": [{"id": "kabcd2345", "name": "web", "sha256": "...", "created": "2026-01-31T08:00:00Z",
//     "expires": "...", "revoked": "...", "models": ["fast"], "contracts": ["quiz"],
//     "origins": ["https://app.example.org"], "limits": {"usd_per_day": "1.5"}, "response_format": "enforce",
//     "project": "acme"}]}
//
// Unset members are omitted. An unknown member is an error, because it could be a limit that would not be enforced.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/result.hpp"
#include "native/proxy/client_keys.hpp"

namespace plumb::proxy {

inline constexpr std::size_t keys_max = 10'000;

Result<std::vector<ClientKey>> read_keys(std::string_view text, const std::string& where);
std::string keys_text(const std::vector<ClientKey>& keys);

// One row of the file. `stored` has all its members; `shown` lacks `sha256` and has a `state`; `wanted` asks for a key:
// it has neither, nor an id or times of the past, and its `expires` is not read here.
enum class KeyRow : std::uint8_t { stored, shown, wanted };
Result<ClientKey> read_key_members(const json::Value& value, KeyRow row);
// The members, within an object. Unset ones are omitted.
void append_key_members(json::Writer& json, const ClientKey& key, bool with_digest);

// A missing or empty file has no keys. `blank` is set to true for an empty file, which is also how a file looks while
// it is being written in place.
Result<std::vector<ClientKey>> read_keys_file(const std::string& path, bool* blank = nullptr);
// True if there is, or has been, a key file. change_keys_file() leaves PATH.lock beside it, which stays when the file
// itself is removed.
bool keys_were_made(const std::string& path);
// Reads the keys, lets `change` modify them, and writes them unless it returns an error. A lock protects against other
// commands.
Result<bool> change_keys_file(const std::string& path,
                              const std::function<Result<bool>(std::vector<ClientKey>&)>& change);

}  // namespace plumb::proxy
