// Client tokens: what one page may do for some minutes, signed by this process and stored nowhere.
//
//   ClientTokens tokens;                                     // makes a signing key of its own
//   std::string text = tokens.sign(rights);                  // "plumb_token.PAYLOAD.SIGNATURE"
//   std::optional<TokenRights> read = tokens.read(text);     // nothing if it was not signed here
//   tokens.budget(*read, now_ms)->reserve(1'200)             // false: the budget is spent
//
// The payload is JSON in base64url, and the signature its HMAC-SHA256. The signing key is 256 random bits in memory, so
// no token outlives a restart. Only what live tokens have used is kept, in memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::proxy {

struct TokenRights {
  std::string id;      // "t" and 20 letters
  std::string issuer;  // id of the client key that asked for it; empty: the operator
  std::string origin;
  std::vector<std::string> models;  // never empty
  std::string contract;             // every call is held to it; empty: the client names its own, or none
  std::uint64_t tokens = 0;         // the budget
  std::uint64_t expires_ms = 0;
};

// What calls with one token have used and reserved.
class TokenBudget {
 public:
  explicit TokenBudget(std::uint64_t tokens) : tokens_(tokens) {}
  bool reserve(std::uint64_t tokens);
  void settle(std::uint64_t reserved, std::uint64_t used);
  std::uint64_t left() const;

 private:
  mutable std::mutex mutex_;
  const std::uint64_t tokens_;
  std::uint64_t used_ = 0;
  std::uint64_t reserved_ = 0;
};

class ClientTokens {
 public:
  static constexpr std::uint64_t lifetime_s_max = 900;
  static constexpr std::uint64_t budget_max = 10'000'000;
  static constexpr std::size_t models_max = 20;
  static constexpr std::size_t live_max = 100'000;  // tokens in use

  ClientTokens();
  // By its beginning: a token of some server.
  static bool is_token(std::string_view text);

  // 20 random letters.
  static std::string new_id();
  std::string sign(const TokenRights& rights);
  std::optional<TokenRights> read(std::string_view text) const;
  // True once this process has signed one.
  bool any_signed() const { return any_signed_; }
  // nullptr: too many are in use. Any thread may call it.
  std::shared_ptr<TokenBudget> budget(const TokenRights& rights, std::uint64_t now_ms);

 private:
  std::string signature(std::string_view payload) const;

  struct InUse {
    std::shared_ptr<TokenBudget> budget;
    std::uint64_t expires_ms = 0;
  };
  std::array<unsigned char, 32> key_ = {};
  std::atomic<bool> any_signed_{false};
  std::mutex mutex_;
  std::unordered_map<std::string, InUse> live_;
};

// The rights that a body asks for: {"origin", "models", "contract", "tokens", "seconds"}. Without id and issuer.
Result<TokenRights> read_token_request(const json::Value& body, std::uint64_t now_ms);

}  // namespace plumb::proxy
