// Client keys: who may call the proxy. A key is 256 random bits, shown once when it is created:
//
//   plumb_ and 43 letters and digits, then 6 that are a checksum of them, so that a mistyped key is recognised, and
//   secret scanners find keys in texts.
//
// Only its SHA-256 is stored, in a JSON file (mode 0600, replaced atomically) with what the key may do. Keys are found
// by their digest and compared in constant time. `plumb keys` writes the file, and a running proxy reads it again
// within a second.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "native/proxy/settings.hpp"

namespace plumb::proxy {

using KeyDigest = std::array<std::uint8_t, 32>;

struct ClientKey {
  std::string id;  // "k" and 8 letters: its name in logs, metrics and commands
  std::string name;
  KeyDigest digest = {};
  std::uint64_t created_ms = 0;         // since 1970
  std::uint64_t expires_ms = 0;         // 0: never
  std::uint64_t revoked_ms = 0;         // 0: not revoked
  std::vector<std::string> models;      // names of routes; empty: all
  std::vector<std::string> contracts;   // names; empty: all
  std::vector<std::string> origins;     // pages that may use it; empty: those of the settings
  Limits limits;                        // limits set here override those of the settings
  std::optional<Mode> response_format;  // how a schema in the request is handled: observe, enforce
  std::optional<Mode> tools;
  std::string project;  // the project whose runs it opens at the control port, and whose limits it shares; may be empty
};

// Letters, digits, '-' and '_', at most 32, as in a store's name.
bool is_project_name(std::string_view text);

class TokenBudget;  // client_tokens.hpp

// Who makes a call: a key, a client token, or this machine if no key is configured ("local").
struct Caller {
  std::string id = "local";
  std::string name = "this machine";
  ClientKey key;
  bool keyed = false;
  std::string account = {};                       // of a token: whose limits it uses; else empty
  std::string bound_contract = {};                // of a token: every call is held to it
  std::shared_ptr<TokenBudget> budget = nullptr;  // of a token

  const std::string& account_id() const { return account.empty() ? id : account; }

  bool may_ask(std::string_view model) const;
  bool may_use(std::string_view contract) const;
};
using CallerPtr = std::shared_ptr<const Caller>;

// The text of a new key made from 32 random bytes.
std::string key_text(const std::array<std::uint8_t, 32>& random);
enum class KeyForm : std::uint8_t { good, not_ours, misspelt };
KeyForm key_form(std::string_view text);
KeyDigest key_digest(std::string_view text);

enum class KeyState : std::uint8_t { good, unknown, revoked, expired };

// Keys by digest. Immutable.
class KeyTable {
 public:
  KeyTable() = default;
  explicit KeyTable(const std::vector<ClientKey>& keys, bool keyless = false);
  // True if calls from this machine need no key.
  bool keyless() const { return keyless_; }
  KeyTable closed() const;
  // `caller` is not set if the state is `unknown`.
  KeyState find(std::string_view text, std::uint64_t now_ms, CallerPtr& caller) const;
  // Includes revoked and expired keys.
  std::size_t size() const { return by_digest_.size(); }
  std::size_t good(std::uint64_t now_ms) const;
  std::unordered_map<std::string, std::string> names() const;  // by id
  CallerPtr by_id(const std::string& id) const;                // nullptr: there is none
  // True if some key may be used by pages of that origin. A preflight asks this, without a key.
  bool any_origin(std::string_view origin) const;

 private:
  std::unordered_map<std::uint64_t, CallerPtr> by_digest_;  // by its first bytes, which are random
  std::unordered_map<std::string, CallerPtr> by_id_;
  bool keyless_ = false;
};

}  // namespace plumb::proxy
