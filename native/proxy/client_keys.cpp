#include "native/proxy/client_keys.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/ascii.hpp"
#include "core/json/sha256.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view prefix = "plumb_";
constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t secret_digits = 43;  // 62^43 > 2^256
constexpr std::size_t check_digits = 6;    // 62^6 > 2^32

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    table[i] = value;
  }
  return table;
}

std::uint32_t crc32(std::string_view text) {
  static constexpr std::array<std::uint32_t, 256> table = crc_table();
  std::uint32_t value = ~0U;
  for (const char c : text) {
    value = (value >> 8U) ^ table[(value ^ static_cast<unsigned char>(c)) & 0xFFU];
  }
  return ~value;
}

std::string check_of(std::string_view secret) {
  std::string text(check_digits, '0');
  std::uint32_t value = crc32(secret);
  for (std::size_t i = check_digits; i-- > 0; value /= 62) {
    text[i] = digits[value % 62];
  }
  return text;
}

std::uint64_t first_bytes(const KeyDigest& digest) {
  std::uint64_t value = 0;
  std::memcpy(&value, digest.data(), sizeof value);
  return value;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_project_name(std::string_view text) {
  constexpr std::size_t name_max = 32;
  return !text.empty() && text.size() <= name_max && std::all_of(text.begin(), text.end(), [](char c) {
    return ascii::is_alphanumeric(c) || c == '-' || c == '_';
  });
}

std::string key_text(const std::array<std::uint8_t, 32>& random) {
  // The bytes as one number, written in base 62.
  std::array<std::uint8_t, 32> number = random;
  std::string secret(secret_digits, '0');
  for (std::size_t i = secret_digits; i-- > 0;) {
    unsigned rest = 0;
    for (std::uint8_t& byte : number) {
      const unsigned value = rest * 256 + byte;
      byte = static_cast<std::uint8_t>(value / 62);
      rest = value % 62;
    }
    secret[i] = digits[rest];
  }
  return std::string(prefix) + secret + check_of(secret);
}

KeyForm key_form(std::string_view text) {
  if (!text.starts_with(prefix)) {
    return KeyForm::not_ours;
  }
  text.remove_prefix(prefix.size());
  if (text.size() != secret_digits + check_digits ||
      !std::all_of(text.begin(), text.end(), ascii::is_alphanumeric<char>)) {
    return KeyForm::misspelt;
  }
  return check_of(text.substr(0, secret_digits)) == text.substr(secret_digits) ? KeyForm::good : KeyForm::misspelt;
}

KeyDigest key_digest(std::string_view text) {
  // With each request: OpenSSL has the processor's own instructions for it. What it works with is made once a thread,
  // since that takes longer than the digest.
  static const EVP_MD* const sha256 = ::EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(),
                                                                                       &::EVP_MD_CTX_free);
  KeyDigest digest = {};
  if (sha256 != nullptr && context != nullptr && ::EVP_DigestInit_ex2(context.get(), sha256, nullptr) == 1 &&
      ::EVP_DigestUpdate(context.get(), text.data(), text.size()) == 1 &&
      ::EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1) {
    return digest;
  }
  json::Sha256 hash;
  hash.update(text);
  return hash.digest();
}

bool Caller::may_ask(std::string_view model) const { return key.models.empty() || contains(key.models, model); }

bool Caller::may_use(std::string_view contract) const {
  return key.contracts.empty() || contains(key.contracts, contract);
}

KeyTable::KeyTable(const std::vector<ClientKey>& keys, bool keyless) : keyless_(keyless) {
  for (const ClientKey& key : keys) {
    auto caller = std::make_shared<Caller>();
    caller->id = key.id;
    caller->name = key.name;
    caller->key = key;
    caller->keyed = true;
    by_id_.emplace(key.id, caller);
    by_digest_.emplace(first_bytes(key.digest), std::move(caller));
  }
}

KeyTable KeyTable::closed() const {
  KeyTable out = *this;
  out.keyless_ = false;
  return out;
}

KeyState KeyTable::find(std::string_view text, std::uint64_t now_ms, CallerPtr& caller) const {
  if (text.size() != prefix.size() + secret_digits + check_digits) {
    return KeyState::unknown;
  }
  const KeyDigest digest = key_digest(text);
  // A digest says nothing of a key that one does not have already; it is compared in constant time all the same.
  const auto found = by_digest_.find(first_bytes(digest));
  if (found == by_digest_.end() ||
      ::CRYPTO_memcmp(found->second->key.digest.data(), digest.data(), digest.size()) != 0) {
    return KeyState::unknown;
  }
  caller = found->second;
  if (caller->key.revoked_ms != 0) {
    return KeyState::revoked;
  }
  return caller->key.expires_ms != 0 && caller->key.expires_ms <= now_ms ? KeyState::expired : KeyState::good;
}

CallerPtr KeyTable::by_id(const std::string& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::size_t KeyTable::good(std::uint64_t now_ms) const {
  return static_cast<std::size_t>(std::count_if(by_digest_.begin(), by_digest_.end(), [&](const auto& one) {
    const ClientKey& key = one.second->key;
    return key.revoked_ms == 0 && (key.expires_ms == 0 || key.expires_ms > now_ms);
  }));
}

std::unordered_map<std::string, std::string> KeyTable::names() const {
  std::unordered_map<std::string, std::string> out;
  for (const auto& [first, caller] : by_digest_) {
    out.emplace(caller->id, caller->name);
  }
  return out;
}

bool KeyTable::any_origin(std::string_view origin) const {
  return std::any_of(by_digest_.begin(), by_digest_.end(), [&](const auto& one) {
    return one.second->key.revoked_ms == 0 && contains(one.second->key.origins, origin);
  });
}

}  // namespace plumb::proxy
