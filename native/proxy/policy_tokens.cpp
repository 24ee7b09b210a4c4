// What the policy does with client tokens: it signs them within the rights of who asks, and finds their callers.
#include <algorithm>

#include "core/json/writer.hpp"
#include "core/run/stamp.hpp"
#include "native/proxy/policy_state.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view operator_account = "client-tokens";

Error not_allowed(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

// What the settings do not have, or the key that asks may not do itself.
std::optional<Error> beyond(const TokenRights& rights, const Settings& settings, const Caller& issuer) {
  for (const std::string& model : rights.models) {
    const Route* route = settings.route_of(model);
    if (route == nullptr) {
      return not_allowed("there is no model '" + model + "' here");
    }
    if (!issuer.may_ask(model) && !issuer.may_ask(route->name)) {
      return not_allowed("this client key may not ask for the model '" + model + "'");
    }
  }
  if (!rights.contract.empty() && settings.contract_named(rights.contract) == nullptr) {
    return not_allowed("there is no contract '" + rights.contract + "' here");
  }
  if (!rights.contract.empty() && !issuer.may_use(rights.contract)) {
    return not_allowed("this client key may not use the contract '" + rights.contract + "'");
  }
  if (rights.contract.empty() && !issuer.key.contracts.empty()) {
    return not_allowed("this client key is limited to contracts: name one of them in 'contract'");
  }
  const std::vector<std::string>& origins = issuer.key.origins;
  if (!origins.empty() && std::find(origins.begin(), origins.end(), rights.origin) == origins.end()) {
    return not_allowed("this client key is not for pages of " + rights.origin);
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> Policy::sign_token(const json::Value& body, std::string_view client_key, TimePoint now) {
  Result<TokenRights> read = read_token_request(body, now.wall_ms);
  if (!read) {
    return read.error();
  }
  TokenRights& rights = read.value();
  CallerPtr issuer = std::make_shared<const Caller>();
  if (!client_key.empty() && state_->known_keys()->find(client_key, now.wall_ms, issuer) != KeyState::good) {
    return not_allowed("this client key is not accepted");
  }
  if (std::optional<Error> error = beyond(rights, *settings(), *issuer)) {
    return *error;
  }
  rights.issuer = issuer->key.id;
  if (issuer->key.expires_ms != 0) {
    rights.expires_ms = std::min(rights.expires_ms, issuer->key.expires_ms);
  }
  rights.id = "t" + state_->tokens.new_id();
  const std::string text = state_->tokens.sign(rights);
  tell("info", "client_token",
       rights.id + " for " + rights.origin + " by " + (rights.issuer.empty() ? "the operator" : rights.issuer));
  std::string out;
  json::Writer json(out);
  json.begin_object().member("token", text).member("id", rights.id).member("origin", rights.origin);
  json.key("models").begin_array();
  for (const std::string& model : rights.models) {
    json.string(model);
  }
  json.end_array().key("contract");
  if (rights.contract.empty()) {
    json.null();
  } else {
    json.string(rights.contract);
  }
  json.member_uint("tokens", rights.tokens).member("expires", run::iso_time(rights.expires_ms)).end_object();
  return out;
}

bool Policy::any_token_signed() const { return state_->tokens.any_signed(); }

Identified Policy::identify_token(std::string_view text, const Presented& presented, TimePoint now) {
  using wire::FailureClass;
  Identified out;
  out.by_token = true;
  const std::optional<TokenRights> rights = state_->tokens.read(text);
  if (!rights) {
    out.refused = refusal(401, FailureClass::unauthorised, "invalid_client_token",
                          "This client token was not signed by this server since its start; ask for another one");
    return out;
  }
  auto caller = std::make_shared<Caller>();
  caller->id = rights->id;
  caller->name = "client token";
  caller->account = rights->issuer.empty() ? operator_account : rights->issuer;
  caller->keyed = true;
  if (!rights->issuer.empty()) {
    const CallerPtr issuer = state_->known_keys()->by_id(rights->issuer);
    if (issuer == nullptr || issuer->key.revoked_ms != 0) {
      out.refused = refusal(401, FailureClass::unauthorised, "key_revoked",
                            "The client key that asked for this client token has been revoked");
      return out;
    }
    caller->key = issuer->key;
  }
  caller->key.models = rights->models;
  caller->key.origins = {rights->origin};
  caller->key.contracts.clear();
  if (!rights->contract.empty()) {
    caller->key.contracts = {rights->contract};
    caller->bound_contract = rights->contract;
  }
  if (rights->expires_ms <= now.wall_ms) {
    out.refused = refusal(401, FailureClass::unauthorised, "client_token_expired",
                          "This client token has expired; ask for another one");
  } else if (presented.origin != rights->origin) {
    out.refused = refusal(403, FailureClass::forbidden, "origin_not_allowed",
                          "This client token is for pages of " + rights->origin + " alone");
  } else if (caller->budget = state_->tokens.budget(*rights, now.wall_ms); caller->budget == nullptr) {
    out.refused = refusal(503, FailureClass::overloaded, "too_many_client_tokens",
                          "Too many client tokens are in use; try again in a minute", 60'000);
  }
  out.caller = std::move(caller);
  return out;
}

}  // namespace plumb::proxy
