// A network of addresses; address.hpp reads and compares them.
#pragma once

#include <array>
#include <cstdint>

namespace plumb::proxy {

// An IPv4 address is stored in its IPv4-mapped form.
struct Network {
  std::array<std::uint8_t, 16> address = {};
  unsigned bits = 128;
};

}  // namespace plumb::proxy
