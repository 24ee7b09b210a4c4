#include "core/pipelines/pipeline_contracts.hpp"

namespace plumb::pipelines {

const contract::BuiltIn* known_contract(std::string_view name) {
  for (const contract::BuiltIn& one : pipeline_contracts()) {
    if (one.name == name) {
      return &one;
    }
  }
  return contract::built_in_contract(name);
}

}  // namespace plumb::pipelines
