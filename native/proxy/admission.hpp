// Admission: decides whether a caller may make a call, and how much to reserve. This is the part of policy.begin()
// that knows models, contracts, prices and limits; the ledger counts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/wire/failure.hpp"
#include "native/proxy/ledger.hpp"
#include "native/proxy/policy.hpp"

namespace plumb::proxy {

// Checks the requested model and contract. Returns nothing if both are allowed.
std::optional<wire::Failure> may_begin(const Settings& settings, const Caller& caller, const Ask& ask,
                                       const Route*& route);

// The highest cost of one round of this call, over all its targets. `refused`: there is a cost limit, but no price.
struct Worst {
  Amount amount;
  std::optional<wire::Failure> refused;
};
Worst worst_case(const Settings& settings, const Route& route, std::string_view model, bool cost_limited,
                 std::uint64_t input_tokens, std::uint64_t output_tokens);

// The scopes of a call: its key, its model, all calls, and its project if the key has one. Owns their names.
class CallScopes {
 public:
  struct List {
    std::array<LimitScope, Reservation::scopes_max> all;
    std::size_t size = 0;
    std::span<const LimitScope> span() const { return {all.data(), size}; }
  };
  CallScopes(const Settings& settings, const Caller& caller, const Route& route);
  List scopes() const {
    return {{LimitScope{key_name_, &key_}, LimitScope{model_name_, &model_}, LimitScope{"all", &all_},
             LimitScope{project_name_, &project_}},
            project_name_.empty() ? std::size_t{3} : std::size_t{4}};
  }
  bool cost_limited() const;

 private:
  std::string key_name_;
  std::string model_name_;
  std::string project_name_;
  Limits key_;
  Limits project_;
  Limits model_;
  Limits all_;
};

// "The limit requests_per_minute (60) of this key is used up: ..."
wire::Failure over_limit(const OverLimit& over);

}  // namespace plumb::proxy
