#include "core/budget/pressure.hpp"

#include <algorithm>

namespace plumb::budget {

namespace {

Tokens used_of(const ContextSize& reading) {
  return std::max(reading.estimated.value_or(0), reading.reported.value_or(0));
}

Color color_of(Tokens used, Tokens window, const PressureThresholds& thresholds) {
  return exceeds(used, window, thresholds.critical) ? Color::critical
         : reaches(used, window, thresholds.red)    ? Color::red
         : reaches(used, window, thresholds.orange) ? Color::orange
         : reaches(used, window, thresholds.yellow) ? Color::yellow
                                                    : Color::green;
}

// The fewest iterations after which `used` has passed `line`: above it, or at it.
Tokens iterations_to(Tokens used, Tokens growth, Tokens line) {
  return used >= line ? 0 : (line - used + growth - 1) / growth;
}

}  // namespace

std::string_view color_name(Color color) {
  constexpr std::string_view names[] = {"unknown", "green", "yellow", "orange", "red", "critical"};
  return names[static_cast<std::size_t>(color)];
}

std::string_view color_action(Color color) {
  constexpr std::string_view actions[] = {"find out the window",     "go on",
                                          "log a warning",           "consider a checkpoint",
                                          "checkpoint and evaluate", "force a checkpoint"};
  return actions[static_cast<std::size_t>(color)];
}

Response color_response(Color color) {
  constexpr Response responses[] = {Response::observe, Response::observe, Response::log,
                                    Response::warn,    Response::pause,   Response::pause};
  return responses[static_cast<std::size_t>(color)];
}

Pressure pressure(Tokens used, std::optional<Tokens> window, const PressureThresholds& thresholds) {
  Pressure out;
  if (!window || *window == 0) {
    return out;
  }
  out.utilization = share_of(used, *window);
  out.color = color_of(used, *window, thresholds);
  out.response = color_response(out.color);
  if (exceeds(used, *window, thresholds.pause)) {
    out.response = std::max(out.response, Response::pause);
  }
  out.checkpoint = out.response >= Response::pause;
  return out;
}

Monitored monitor(std::span<const ContextSize> readings, std::optional<Tokens> window,
                  const PressureThresholds& thresholds, std::uint32_t rate_of) {
  Monitored out;
  if (readings.empty()) {
    out.pressure = pressure(0, window, thresholds);
    return out;
  }
  const std::size_t last = readings.size() - 1;
  const Tokens used = used_of(readings[last]);
  out.context_tokens_used = used;
  out.pressure = pressure(used, window, thresholds);
  std::size_t first = last;
  while (first > 0 && last - first + 1 < rate_of && used_of(readings[first - 1]) <= used_of(readings[first])) {
    --first;
  }
  if (first == last) {
    return out;
  }
  const Tokens steps = last - first;
  const Tokens growth = (used - used_of(readings[first]) + steps - 1) / steps;
  out.tokens_per_iteration = growth;
  if (!window || growth == 0) {
    return out;
  }
  out.iterations_remaining_estimate = used >= *window ? 0 : (*window - used) / growth;
  // The first count of tokens at which the response is to pause.
  const Tokens red = part_up(*window, thresholds.red);
  const Tokens pause = part_down(*window, thresholds.pause) + 1;
  out.iterations_until_pause = iterations_to(used, growth, std::min(red, pause));
  return out;
}

}  // namespace plumb::budget
