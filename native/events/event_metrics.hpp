// Metrics in the text form of Prometheus, as native/control writes them; native/events is below it. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::events {

struct EventSample {
  std::string labels;  // as they are between the braces, or empty
  std::uint64_t value = 0;
};

inline void append_event_metric(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                                const std::vector<EventSample>& samples) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" ");
  out.append(type).append("\n");
  for (const EventSample& one : samples) {
    out.append(name);
    if (!one.labels.empty()) {
      out.append("{").append(one.labels).append("}");
    }
    out.append(" ").append(std::to_string(one.value)).append("\n");
  }
}

}  // namespace plumb::events
