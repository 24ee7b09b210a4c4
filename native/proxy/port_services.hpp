// PortServices: what all calls of a port share.
#pragma once

#include <cstdint>

#include "native/provider/structured_output.hpp"
#include "native/proxy/fair_work.hpp"
#include "native/proxy/policy.hpp"

namespace plumb::proxy {

struct PortServices {
  Policy& policy;
  FairWork& work;
  provider::ContractShelf& shelf;
  std::uint64_t hash_seed = 0;
};

}  // namespace plumb::proxy
