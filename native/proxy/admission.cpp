#include "native/proxy/admission.hpp"

#include <algorithm>

#include "native/base/near_miss.hpp"
#include "native/proxy/policy_state.hpp"

namespace plumb::proxy {

namespace {

// What a message may repeat of a request.
std::string shown(std::string_view text) { return std::string(text.substr(0, 100)); }

std::string near_model(const Settings& settings, const Caller& caller, std::string_view asked) {
  std::vector<std::string_view> names;
  for (const Route& one : settings.routes) {
    if (one.name != "*" && caller.may_ask(one.name)) {
      names.push_back(one.name);
    }
  }
  return plumb::did_you_mean(asked, names);
}

std::string near_contract(const Settings& settings, const Caller& caller, std::string_view asked) {
  std::vector<std::string_view> names;
  for (const NamedContract& one : settings.guarding.contracts) {
    if (caller.may_use(one.name)) {
      names.push_back(one.name);
    }
  }
  return plumb::did_you_mean(asked, names);
}

bool has_money(const Limits& limits) { return limits.nano_usd_per_minute != 0 || limits.nano_usd_per_day != 0; }

}  // namespace

wire::Failure refusal(int status, wire::FailureClass failure_class, std::string code, std::string_view message,
                      std::optional<std::uint64_t> retry_after_ms) {
  wire::Failure failure = wire::make_failure(failure_class, message);
  failure.status = status;
  failure.code = std::move(code);
  failure.retryable = retry_after_ms.has_value();
  failure.retry_after_ms = retry_after_ms;
  return failure;
}

std::optional<wire::Failure> may_begin(const Settings& settings, const Caller& caller, const Ask& ask,
                                       const Route*& route) {
  using wire::FailureClass;
  if (ask.kind == AskKind::through) {
    route = &settings.through;
    if (!caller.key.models.empty()) {
      return refusal(403, FailureClass::forbidden, "model_not_allowed",
                     "This key is limited to some models, and which model this request is for is not read");
    }
    return std::nullopt;
  }
  route = settings.route_of(ask.model);
  // A key that names its models says names that clients ask for, also of those that "*" passes on.
  const bool allowed = caller.may_ask(ask.model) || (route != nullptr && caller.may_ask(route->name));
  if (route == nullptr) {
    return refusal(404, FailureClass::not_found, "model_not_found",
                   "There is no model '" + shown(ask.model) + "'" + near_model(settings, caller, ask.model) +
                       "; GET /v1/models lists what there is");
  }
  if (!allowed) {
    return refusal(403, FailureClass::forbidden, "model_not_allowed",
                   "This key may not ask for the model '" + shown(ask.model) + "'; GET /v1/models lists what it may");
  }
  if (ask.own_schema && !settings.guarding.inline_contracts) {
    return refusal(403, FailureClass::forbidden, "own_contract_not_allowed",
                   "Contracts of the client's own are switched off here (own_contracts); name one of the proxy's");
  }
  if (ask.contract.empty()) {
    return std::nullopt;
  }
  if (settings.contract_named(ask.contract) == nullptr) {
    return refusal(
        404, FailureClass::not_found, "contract_not_found",
        "There is no contract '" + shown(ask.contract) + "'" + near_contract(settings, caller, ask.contract));
  }
  if (!caller.may_use(ask.contract)) {
    return refusal(403, FailureClass::forbidden, "contract_not_allowed",
                   "This key may not use the contract '" + shown(ask.contract) + "'");
  }
  return std::nullopt;
}

Worst worst_case(const Settings& settings, const Route& route, std::string_view model, bool cost_limited,
                 std::uint64_t input_tokens, std::uint64_t output_tokens) {
  Worst worst;
  worst.amount.tokens = input_tokens + output_tokens;
  for (const auto* targets : {&route.targets, &route.fallbacks}) {
    for (const Target& target : *targets) {
      const Price price = settings.price_of(target, model);
      if (cost_limited && !price.known) {
        worst.refused = refusal(403, wire::FailureClass::forbidden, "price_unknown",
                                "There is a limit of cost for this call, and plumb.yaml has no price for '" +
                                    target.name + (target.model.empty() ? "/" + shown(model) : std::string()) + "'");
        return worst;
      }
      // What comes from a provider's cache may be dearer than nothing, never dearer than input.
      Price dear = price;
      dear.cached_micro_usd = std::max(price.cached_micro_usd, price.input_micro_usd);
      worst.amount.nano_usd = std::max(worst.amount.nano_usd, cost_nano_usd(dear, input_tokens, 0, output_tokens));
    }
  }
  return worst;
}

CallScopes::CallScopes(const Settings& settings, const Caller& caller, const Route& route)
    : key_name_("key:" + caller.account_id()),
      model_name_("model:" + route.name),
      project_name_(caller.key.project.empty() ? std::string() : "project:" + caller.key.project),
      key_(limits_over(caller.key.limits, settings.each_key)),
      model_(route.limits),
      all_(settings.all) {
  if (const auto found = settings.projects.find(caller.key.project); found != settings.projects.end()) {
    project_ = found->second;
  }
}

bool CallScopes::cost_limited() const {
  return has_money(key_) || has_money(project_) || has_money(model_) || has_money(all_);
}

wire::Failure over_limit(const OverLimit& over) {
  const std::string whose = over.scope == "all"              ? std::string("all calls together")
                            : over.scope.starts_with("key:") ? std::string("this key")
                            : over.scope.starts_with("project:")
                                ? "all keys of the project '" + over.scope.substr(8) + "'"
                                : "the model '" + over.scope.substr(6) + "'";
  const std::string_view unit = over.field->money ? "$" : "";
  const std::string limit = std::string(unit) + limit_text(*over.field, over.limit);
  const std::string left = std::string(unit) + limit_text(*over.field, over.left);
  const std::string wanted = std::string(unit) + limit_text(*over.field, over.wanted);
  const std::string name = std::string(over.field->name) + " (" + limit + ") of " + whose;
  if (over.never) {
    return refusal(429, wire::FailureClass::rate_limited, "request_over_limit",
                   "This call may need up to " + wanted + ", more than the whole limit " + name +
                       "; a smaller max_tokens or a shorter input needs less");
  }
  const std::uint64_t seconds = (over.retry_after_ms + 999) / 1000;
  std::string message = "The limit " + name + " is reached: " + left + " left, up to " + wanted + " wanted";
  if (over.field->member == &Limits::calls_at_once) {
    message = "The limit " + name + " is reached: so many calls are under way";
  }
  return refusal(429, wire::FailureClass::rate_limited, "rate_limit_exceeded",
                 message + "; try again in " + std::to_string(seconds) + " s", over.retry_after_ms);
}

}  // namespace plumb::proxy
