// Admission: whether a caller may make this call at all, and what it is to reserve. The part of policy.begin() that
// knows models, contracts, prices and limits; the ledger counts.
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

// Which model and contract may be asked for; nothing: go on.
std::optional<wire::Failure> may_begin(const Settings& settings, const Caller& caller, const Ask& ask,
                                       const Route*& route);

// The dearest that a round of this call may be, over all its targets. The failure: a limit of cost and no price.
struct Worst {
  Amount amount;
  std::optional<wire::Failure> refused;
};
Worst worst_case(const Settings& settings, const Route& route, std::string_view model, bool cost_limited,
                 std::uint64_t input_tokens, std::uint64_t output_tokens);

// The scopes of a call: its key, its model, all, and its project where the key has one. Owns their names.
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
