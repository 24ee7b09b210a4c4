#include "native/proxy/client_tokens.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <algorithm>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/require.hpp"
#include "native/base/near_miss.hpp"
#include "native/proxy/address.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view token_prefix = "plumb_token.";
constexpr std::size_t token_text_max = 8'192;
constexpr std::size_t token_name_max = 200;

std::string base64url(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  out.resize(out.find_last_not_of('=') + 1);
  return out;
}

// Of a text that was signed here, and so is base64url.
std::string of_base64url(std::string_view text) {
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  const std::size_t missing = (4 - padded.size() % 4) % 4;
  padded.append(missing, '=');
  std::string out(padded.size() / 4 * 3 + 1, '\0');
  const int size =
      ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                        reinterpret_cast<const unsigned char*>(padded.data()), static_cast<int>(padded.size()));
  out.resize(size < 0 ? 0 : static_cast<std::size_t>(size) - missing);
  return out;
}

Error bad_request_of_token(std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0};
}

bool is_name(const json::Value& value) {
  return value.is(json::Kind::string) && value.size != 0 && value.size <= token_name_max;
}

// A whole number of the body, else `otherwise`.
Result<std::uint64_t> read_whole(const json::Value& body, std::string_view name, std::uint64_t otherwise,
                                 std::uint64_t max) {
  const json::Value* value = body.find(name);
  std::uint64_t number = otherwise;
  if (value != nullptr && (!value->is(json::Kind::number) || !json::read_uint(value->str(), number))) {
    number = 0;
  }
  if (number == 0 || number > max) {
    return bad_request_of_token("'" + std::string(name) + "' must be a whole number from 1 to " + std::to_string(max));
  }
  return number;
}

}  // namespace

bool TokenBudget::reserve(std::uint64_t tokens) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t taken = std::min(tokens_, used_ + reserved_);
  if (tokens > tokens_ - taken) {
    return false;
  }
  reserved_ += tokens;
  return true;
}

void TokenBudget::settle(std::uint64_t reserved, std::uint64_t used) {
  const std::lock_guard lock(mutex_);
  reserved_ -= std::min(reserved, reserved_);
  used_ += used;
}

std::uint64_t TokenBudget::left() const {
  const std::lock_guard lock(mutex_);
  return tokens_ - std::min(tokens_, used_ + reserved_);
}

ClientTokens::ClientTokens() {
  PLUMB_REQUIRE(::getrandom(key_.data(), key_.size(), 0) == static_cast<ssize_t>(key_.size()),
                "the system gives random bytes at once");
}

std::string ClientTokens::new_id() {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<unsigned char, 20> bytes{};
  PLUMB_REQUIRE(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
                "the system gives random bytes at once");
  std::string id;
  for (const unsigned char byte : bytes) {
    id += letters[byte & 31U];
  }
  return id;
}

bool ClientTokens::is_token(std::string_view text) { return text.starts_with(token_prefix); }

std::string ClientTokens::signature(std::string_view payload) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const unsigned char* const done =
      ::HMAC(::EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
             reinterpret_cast<const unsigned char*>(payload.data()), payload.size(), digest.data(), &size);
  PLUMB_REQUIRE(done != nullptr, "OpenSSL has SHA-256");
  return base64url({reinterpret_cast<const char*>(digest.data()), size});
}

std::string ClientTokens::sign(const TokenRights& rights) {
  std::string payload;
  json::Writer json(payload);
  json.begin_object().member("id", rights.id).member("issuer", rights.issuer).member("origin", rights.origin);
  json.key("models").begin_array();
  for (const std::string& model : rights.models) {
    json.string(model);
  }
  json.end_array().member("contract", rights.contract).member_uint("tokens", rights.tokens);
  json.member_uint("expires", rights.expires_ms).end_object();
  any_signed_ = true;
  const std::string text = base64url(payload);
  return std::string(token_prefix) + text + "." + signature(text);
}

std::optional<TokenRights> ClientTokens::read(std::string_view text) const {
  if (!is_token(text) || text.size() > token_text_max) {
    return std::nullopt;
  }
  text.remove_prefix(token_prefix.size());
  const std::size_t dot = text.find('.');
  const std::string_view payload = text.substr(0, dot);
  const std::string wanted = signature(payload);
  const std::string_view told = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  if (told.size() != wanted.size() || ::CRYPTO_memcmp(told.data(), wanted.data(), wanted.size()) != 0) {
    return std::nullopt;
  }
  json::Arena arena;
  const std::string body = of_base64url(payload);
  const Result<json::Value> read = json::parse(body, arena);
  if (!read) {
    return std::nullopt;
  }
  TokenRights rights;
  rights.id = json::text_of(read.value(), "id");
  rights.issuer = json::text_of(read.value(), "issuer");
  rights.origin = json::text_of(read.value(), "origin");
  rights.models = json::texts_of(read.value(), "models");
  rights.contract = json::text_of(read.value(), "contract");
  rights.tokens = json::number_of(read.value(), "tokens");
  rights.expires_ms = json::number_of(read.value(), "expires");
  return rights;
}

std::shared_ptr<TokenBudget> ClientTokens::budget(const TokenRights& rights, std::uint64_t now_ms) {
  const std::lock_guard lock(mutex_);
  if (const auto found = live_.find(rights.id); found != live_.end()) {
    return found->second.budget;
  }
  if (live_.size() >= live_max) {
    std::erase_if(live_, [&](const auto& one) { return one.second.expires_ms <= now_ms; });
    if (live_.size() >= live_max) {
      return nullptr;
    }
  }
  InUse& made = live_[rights.id];
  made = {std::make_shared<TokenBudget>(rights.tokens), rights.expires_ms};
  return made.budget;
}

Result<TokenRights> read_token_request(const json::Value& body, std::uint64_t now_ms) {
  static const std::vector<std::string_view> members = {"origin", "models", "contract", "tokens", "seconds"};
  for (const json::Member& one : body.object()) {
    if (std::find(members.begin(), members.end(), one.key) == members.end()) {
      return bad_request_of_token("unknown member '" + json::excerpt(one.key, 60) + "'" +
                                  plumb::did_you_mean(one.key, members));
    }
  }
  TokenRights rights;
  rights.origin = json::text_of(body, "origin");
  if (!is_origin(rights.origin)) {
    return bad_request_of_token("'origin' must be the origin of one page, such as https://app.example.org");
  }
  const json::Value* models = body.find("models");
  const bool listed = models != nullptr && models->is(json::Kind::array) && models->size != 0 &&
                      models->size <= ClientTokens::models_max &&
                      std::all_of(models->array().begin(), models->array().end(), is_name);
  if (!listed) {
    return bad_request_of_token("'models' must be a list of 1 to 20 names");
  }
  rights.models = json::texts_of(body, "models");
  const json::Value* contract = body.find("contract");
  if (contract != nullptr && !contract->is(json::Kind::null) && !is_name(*contract)) {
    return bad_request_of_token("'contract' must be the name of a contract, or null");
  }
  rights.contract = json::text_of(body, "contract");
  const Result<std::uint64_t> tokens = read_whole(body, "tokens", 0, ClientTokens::budget_max);
  const Result<std::uint64_t> seconds =
      read_whole(body, "seconds", ClientTokens::lifetime_s_max, ClientTokens::lifetime_s_max);
  if (!tokens || !seconds) {
    return tokens ? seconds.error() : tokens.error();
  }
  rights.tokens = tokens.value();
  rights.expires_ms = now_ms + seconds.value() * 1'000;
  return rights;
}

}  // namespace plumb::proxy
