#include "core/workflow/contracts.hpp"

#include <map>

namespace plumb::workflow {

const contract::Contract& workflow_contract(std::string_view name) {
  static const std::map<std::string_view, contract::Contract> all = [] {
    std::map<std::string_view, contract::Contract> out;
    for (const contract::BuiltIn& one : workflow_contracts()) {
      Result<contract::Contract> read = contract::Contract::read(one.text);
      PLUMB_REQUIRE(static_cast<bool>(read), "the contracts of workflows are contracts");
      out.emplace(one.name, std::move(read).value());
    }
    return out;
  }();
  const auto found = all.find(name);
  PLUMB_REQUIRE(found != all.end(), "the contract is one of workflows");
  return found->second;
}

}  // namespace plumb::workflow
