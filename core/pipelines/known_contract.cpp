#include "core/pipelines/pipeline_contracts.hpp"
#include "core/workflow/contracts.hpp"

namespace plumb::pipelines {

const contract::BuiltIn* known_contract(std::string_view name) {
  for (const contract::BuiltIn& one : pipeline_contracts()) {
    if (one.name == name) {
      return &one;
    }
  }
  for (const contract::BuiltIn& one : workflow::workflow_contracts()) {
    if (one.name == name) {
      return &one;
    }
  }
  return contract::built_in_contract(name);
}

}  // namespace plumb::pipelines
