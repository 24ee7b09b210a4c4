#include "native/proxy/time_point.hpp"

#include <chrono>

namespace plumb::proxy {

TimePoint moment_now() {
  using std::chrono::duration_cast;
  const auto steady = std::chrono::steady_clock::now().time_since_epoch();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {static_cast<std::uint64_t>(duration_cast<std::chrono::microseconds>(steady).count()),
          static_cast<std::uint64_t>(duration_cast<std::chrono::milliseconds>(wall).count())};
}

}  // namespace plumb::proxy
