// Members that a contract allows but does not name. An enforced schema carries named members only, so a model's answer
// loses the others. This class copies them from the original value.
//
//   const Unnamed unnamed(contract);
//   unnamed.taken_over(R"({"name":"a","ticket":7})", R"({"name":"b"})")      // {"name":"b","ticket":7}
//
// An object is returned unchanged if the contract names none of its members, or has additionalProperties or
// patternProperties there. List items are paired with the original item that differs only in unnamed members; if there
// is none, by position, provided that both lists have the same length.
#pragma once

#include <memory>
#include <string>

#include "core/contract/contract.hpp"
#include "core/json/value.hpp"

namespace plumb::derive {

class Unnamed {
 public:
  explicit Unnamed(const contract::Contract& contract);
  ~Unnamed();
  Unnamed(const Unnamed&) = delete;
  Unnamed& operator=(const Unnamed&) = delete;

  // Returns `now` with the unnamed members of `before`, as JSON text.
  std::string taken_over(const json::Value& before, const json::Value& now) const;

 private:
  struct Known;
  std::unique_ptr<const Known> known_;  // null where the contract has no forms: then nothing is taken over
};

}  // namespace plumb::derive
