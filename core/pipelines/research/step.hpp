// The researcher's decisions. Internal to this folder.
#pragma once

#include <span>
#include <string>

#include "core/json/record.hpp"

namespace plumb::pipelines::research {

struct Missing {
  std::string entity;
  std::string attribute;
  std::string scope;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Missing::entity>("entity"),
                                            json::field<&Missing::attribute>("attribute"),
                                            json::field_if_set<&Missing::scope>("scope")};
    return table;
  }
};
struct Decision {
  std::string decision;
  std::string reasoning;
  std::string query;
  Missing missing;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {
        json::field<&Decision::decision>("decision"), json::field<&Decision::reasoning>("reasoning"),
        json::field<&Decision::query>("query"), json::field<&Decision::missing>("missing")};
    return table;
  }
};

}  // namespace plumb::pipelines::research
