// Members that a contract allows and does not name. A schema that a model is held to carries only members with a name,
// so that whatever comes back has lost the others: they are taken over from the value that was sent.
//
//   const Unnamed unnamed(contract);
//   unnamed.taken_over(R"({"name":"a","ticket":7})", R"({"name":"b"})")      // {"name":"b","ticket":7}
//
// An object whose other members the contract speaks of (additionalProperties, patternProperties), or of which it names
// no member, is carried whole and stays as it came back. Items of lists are paired where nothing else in them has
// changed, else by their place in lists of one length.
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

  // `now` with those members of `before`, as JSON text.
  std::string taken_over(const json::Value& before, const json::Value& now) const;

 private:
  struct Known;
  std::unique_ptr<const Known> known_;  // null where the contract has no forms: then nothing is taken over
};

}  // namespace plumb::derive
