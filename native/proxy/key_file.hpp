// The file of client keys: JSON, mode 0600, replaced in one step. `plumb keys` writes it, a running proxy reads it
// again within a second.
//
//   {"plumb_keys": 1, "keys": [{"id": "kabcd2345", "name": "web", "sha256": "...", "created": "2026-01-31T08:00:00Z",
//     "expires": "...", "revoked": "...", "models": ["fast"], "contracts": ["quiz"],
//     "origins": ["https://app.example.org"], "limits": {"usd_per_day": "1.5"}, "response_format": "enforce",
//     "project": "acme"}]}
//
// What is not set is left out. An unknown member is an error: it would be a limit that nobody heeds.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/proxy/client_keys.hpp"

namespace plumb::proxy {

inline constexpr std::size_t keys_max = 10'000;

Result<std::vector<ClientKey>> read_keys(std::string_view text, const std::string& where);
std::string keys_text(const std::vector<ClientKey>& keys);

// A file that is not there has no keys, nor has one that is empty; `blank` becomes true for the latter, which is also
// how a file looks while it is written in place.
Result<std::vector<ClientKey>> read_keys_file(const std::string& path, bool* blank = nullptr);
// Whether there is, or has been, a file of keys: change_keys_file() leaves PATH.lock beside it, which stays when the
// file itself is taken away.
bool keys_were_made(const std::string& path);
// Reads, lets `change` work on the keys, and writes unless it gives an error; under a lock, so that of two commands at
// once none is lost.
Result<bool> change_keys_file(const std::string& path,
                              const std::function<Result<bool>(std::vector<ClientKey>&)>& change);

}  // namespace plumb::proxy
