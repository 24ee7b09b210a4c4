// Pressure: how full a model's window is while a run continues (seed 004, "Runtime Context Monitoring").
//
//   below 50 %     green     continue
//   from 50 %      yellow    log a warning
//   from 65 %      orange    consider a checkpoint
//   from 75 %      red       checkpoint and evaluate       (75 % and 85 % are red)
//   above 85 %     critical  force a checkpoint
//
// The seed's "above 70 %: pause and checkpoint" lies inside its orange band, "consider". One rule decides: both apply,
// and the stronger response holds. So orange up to 70 % warns, and orange above 70 % pauses. All numbers can be set.
//
// The larger of our estimate and the provider's report counts as used, so that pressure is not seen too late. If the
// window is unknown, the colour is `unknown` and the response is `observe`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/budget/ladder.hpp"
#include "core/budget/tokens_of.hpp"

namespace plumb::budget {

enum class Color : std::uint8_t { unknown, green, yellow, orange, red, critical };
std::string_view color_name(Color color);    // "green"
std::string_view color_action(Color color);  // "consider a checkpoint"

struct PressureThresholds {
  Share yellow = percent(50);
  Share orange = percent(65);
  Share red = percent(75);
  Share critical = percent(85);  // above
  Share pause = percent(70);     // above
};
// The response of a color, without the effect of `pause`. Critical pauses as red does; but nothing may postpone it.
Response color_response(Color color);

struct Pressure {
  Color color = Color::unknown;
  Response response = Response::observe;
  bool checkpoint = false;        // the run must be saved now
  std::uint64_t utilization = 0;  // hundredths of a percent of the window, rounded down
};
Pressure pressure(Tokens used, std::optional<Tokens> window, const PressureThresholds& thresholds = {});

// The size of the context after an iteration of a loop: as estimated, and as the provider reported it.
struct ContextSize {
  std::optional<Tokens> estimated;
  std::optional<Tokens> reported;
};

// The four metrics of the seed, and the pressure that follows.
struct Monitored {
  Tokens context_tokens_used = 0;
  std::optional<Tokens> tokens_per_iteration;           // mean growth, rounded up; none: fewer than two readings
  std::optional<Tokens> iterations_remaining_estimate;  // until the window is full; none: it does not grow
  std::optional<Tokens> iterations_until_pause;         // until the first iteration that pauses
  Pressure pressure;                                    // contains context_utilization
};

// The metrics after the last of `readings`. Growth is measured over the last `rate_of` readings, but only since the
// last checkpoint, which is where the context last became smaller.
Monitored monitor(std::span<const ContextSize> readings, std::optional<Tokens> window,
                  const PressureThresholds& thresholds = {}, std::uint32_t rate_of = 5);

}  // namespace plumb::budget
