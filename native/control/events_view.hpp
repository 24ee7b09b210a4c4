// What the control port shows of events that are told and heard in the same process (native/events); it knows no more
// of them than this.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/budget/ladder.hpp"

namespace plumb::control {

struct EventsView {
  std::function<void(std::string& out)> append_metrics;  // in the text form of Prometheus
  // Loops of other agents, as JSON (docs/events.md); none: they are not listened to.
  std::function<std::string(std::size_t loops_max, budget::Response at_least)> loops;

  explicit operator bool() const { return append_metrics != nullptr; }
};

}  // namespace plumb::control
