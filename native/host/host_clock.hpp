// The host's clock, in milliseconds since 1970. Internal to native/host.
#pragma once

#include <chrono>
#include <cstdint>

#include "native/host/host.hpp"

namespace plumb::host {

inline std::uint64_t now_ms(const HostSettings& settings) {
  if (settings.now_ms) {
    return settings.now_ms();
  }
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

}  // namespace plumb::host
