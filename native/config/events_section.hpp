// `events` in plumb.yaml: where what happens in workflows' runs is told, and what is listened to (docs/events.md).
//
//   events:
//     nats: nats://127.0.0.1:4222     # or tls://HOST:PORT, several with ','; /NAME after it: the stream, else plumb
//     loops: off                      # loops of other agents on agent.monitor.> are judged: on, off
//     triggers: [plan-and-execute]    # workflow.trigger.NAME that begin runs
//
// Who asks is said as for a store (PLUMB_NATS_LOGIN). Of a file that was merely found it holds once it is trusted.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace YAML {
class Node;
}

namespace plumb {

struct EventsSection {
  std::string nats;  // an address with its NAME; empty: nothing is told
  bool loops = true;
  std::vector<std::string> triggers;
};

// Errors carry file, line and column.
Result<EventsSection> read_events_section(const std::string& file, const YAML::Node& node);

}  // namespace plumb
