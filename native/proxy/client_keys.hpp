// Client keys: who may call the proxy. A key is 256 random bits, shown once when it is made:
//
//   plumb_ and 43 letters and digits, then 6 that are a checksum of them, so that a misspelt key is told as one and
//   secret scanners find keys in texts.
//
// Stored is only its SHA-256, in a JSON file (mode 0600, replaced in one step) with what the key may do. Keys are
// looked up by their digest and compared in constant time. The file is written by `plumb keys`, and a running proxy
// reads it again within a second.
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
  std::string id;  // "k" and 8 letters: what logs, metrics and commands call it
  std::string name;
  KeyDigest digest = {};
  std::uint64_t created_ms = 0;         // since 1970
  std::uint64_t expires_ms = 0;         // 0: never
  std::uint64_t revoked_ms = 0;         // 0: not
  std::vector<std::string> models;      // names of routes; empty: all
  std::vector<std::string> contracts;   // names; empty: all
  std::vector<std::string> origins;     // pages that may use it; empty: those of the settings
  Limits limits;                        // what is set goes before the settings' own
  std::optional<Mode> response_format;  // what a schema in the request does: observe, enforce
  std::optional<Mode> tools;
  std::string project;  // whose runs it opens at the control port, and whose limits its calls share; empty: none's
};

// Letters, digits, '-' and '_', at most 32: as the name of a store.
bool is_project_name(std::string_view text);

// Whoever calls: a key, or this machine where no key is configured ("local").
struct Caller {
  std::string id = "local";
  std::string name = "this machine";
  ClientKey key;
  bool keyed = false;

  bool may_ask(std::string_view model) const;
  bool may_use(std::string_view contract) const;
};
using CallerPtr = std::shared_ptr<const Caller>;

// The text of a new key from 32 random bytes.
std::string key_text(const std::array<std::uint8_t, 32>& random);
enum class KeyForm : std::uint8_t { good, not_ours, misspelt };
KeyForm key_form(std::string_view text);
KeyDigest key_digest(std::string_view text);

enum class KeyState : std::uint8_t { good, unknown, revoked, expired };

// Looked up by digest. Never changed once made.
class KeyTable {
 public:
  KeyTable() = default;
  explicit KeyTable(const std::vector<ClientKey>& keys, bool keyless = false);
  // Whether this machine's calls are answered without a key.
  bool keyless() const { return keyless_; }
  KeyTable closed() const;
  // `unknown` has no caller.
  KeyState find(std::string_view text, std::uint64_t now_ms, CallerPtr& caller) const;
  // Revoked and expired ones too.
  std::size_t size() const { return by_digest_.size(); }
  std::size_t good(std::uint64_t now_ms) const;
  std::unordered_map<std::string, std::string> names() const;  // by id
  // Whether a key may be used from a page of that origin: what a preflight asks, without a key.
  bool any_origin(std::string_view origin) const;

 private:
  std::unordered_map<std::uint64_t, CallerPtr> by_digest_;  // by its first bytes, which are random
  bool keyless_ = false;
};

}  // namespace plumb::proxy
