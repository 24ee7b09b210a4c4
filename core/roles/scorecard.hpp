// What a role's contract says about itself, as its prompt tells it to the model and as its run is held to it.
//
//   scorecard_text(contract)     "- Query is new\n- Evidence delta: ..."   every rule of the contract
//   gates_text(contract)         "- Query is not vague: Reject and require it to encode the missing piece."   those
//                                that block, with what is to be done instead
//   Role role = read_role(contract);   purpose, what the prompt may be built from, effects that the role may have
//
// A contract without `role` reads nothing and may do nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"

namespace plumb::roles {

struct Role {
  struct May {
    std::string effect;
    std::uint64_t max = 0;
  };
  std::string purpose;
  std::vector<std::string> reads;
  std::vector<May> may;

  bool may_read(std::string_view name) const;
  // How many effects of this kind the role may have.
  std::uint64_t may_have(std::string_view effect) const;
};
Role read_role(const contract::Contract& contract);

std::string scorecard_text(const contract::Contract& contract);
std::string gates_text(const contract::Contract& contract);

}  // namespace plumb::roles
