// What the control port shows of a proxy that runs in the same process; it knows no more of it than this.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace plumb::control {

// All of them, or none.
struct ProxyView {
  std::function<std::string()> state;                    // as JSON: docs/proxy-operate.md
  std::function<std::string(std::string_view id)> call;  // one of the last calls, as JSON; empty: none of this id
  std::function<std::uint64_t()> changes;                // another number when a call has ended
  std::function<void(std::string& out)> append_metrics;  // in the text form of Prometheus

  std::uint16_t port = 0;  // on which it listens

  explicit operator bool() const { return state != nullptr; }
};

}  // namespace plumb::control
