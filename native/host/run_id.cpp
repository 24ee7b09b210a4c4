#include "native/host/run_id.hpp"

#include <sys/random.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "core/require.hpp"

namespace plumb::host {

std::string new_run_id() {
  constexpr std::string_view digits = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<std::uint8_t, 20> bytes{};
  const ssize_t size = ::getrandom(bytes.data(), bytes.size(), 0);
  PLUMB_REQUIRE(size == static_cast<ssize_t>(bytes.size()), "the system gives 20 random bytes at once");
  std::string id = "r";
  for (const std::uint8_t byte : bytes) {
    id += digits[byte & 31U];
  }
  return id;
}

}  // namespace plumb::host
