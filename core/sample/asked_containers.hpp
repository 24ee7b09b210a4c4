// What schemas ask of an array and of an object that is made. Private to core/sample/make_container.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/contract/program.hpp"

namespace plumb::sample {

struct ArrayAsked {
  std::uint64_t min = 0;
  std::uint64_t max = contract::no_bound;
  std::uint64_t useful = 0;  // items that have a schema of their own, or are wanted
  bool unique = false;
  bool wanted = false;
  std::vector<const contract::ContainsPart*> contains;
};

struct MembersAsked {
  std::vector<std::string> keys;   // those that the object will have
  std::vector<std::string> order;  // as the contract names them
  std::vector<std::string> needed;
  std::uint64_t min = 0;
  std::uint64_t max = contract::no_bound;
};

}  // namespace plumb::sample
