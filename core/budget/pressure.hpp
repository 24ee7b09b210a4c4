// How full a window is, while a run goes on (seed 004, "Runtime Context Monitoring").
//
//   below 50 %     green     go on
//   from 50 %      yellow    log a warning
//   from 65 %      orange    consider a checkpoint
//   from 75 %      red       checkpoint and evaluate       (75 % and 85 % are red)
//   above 85 %     critical  force a checkpoint
//
// The document's "above 70 %: pause and checkpoint" lies inside its orange band of "consider". One rule settles it:
// both are asked, and the stronger response holds. So orange up to 70 % warns, orange above 70 % pauses. All six
// numbers can be set.
//
// What counts as used is the larger of our estimate and what the provider reported (pains: pressure seen too late, or
// on a wrong estimate). A window that is not known gives colour `unknown` and no response but `observe`.
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
// Of each band, without what `pause` adds. Critical pauses as red does: what differs is that nothing may put it off.
Response color_response(Color color);

struct Pressure {
  Color color = Color::unknown;
  Response response = Response::observe;
  bool checkpoint = false;        // the run is to be saved now
  std::uint64_t utilization = 0;  // hundredths of a percent of the window, rounded down
};
Pressure pressure(Tokens used, std::optional<Tokens> window, const PressureThresholds& thresholds = {});

// The size of the context after an iteration of the loop: as estimated, and as the provider reported it.
struct ContextSize {
  std::optional<Tokens> estimated;
  std::optional<Tokens> reported;
};

// The four metrics, and what follows.
struct Monitored {
  Tokens context_tokens_used = 0;
  std::optional<Tokens> tokens_per_iteration;           // mean growth, rounded up; none: under two readings
  std::optional<Tokens> iterations_remaining_estimate;  // until the window is full; none: it does not grow
  std::optional<Tokens> iterations_until_pause;         // until the first iteration that pauses
  Pressure pressure;                                    // with context_utilization
};

// After the last of `readings`. Growth is taken over the last `rate_of` readings, and only since the last checkpoint,
// that is since the context last became smaller.
Monitored monitor(std::span<const ContextSize> readings, std::optional<Tokens> window,
                  const PressureThresholds& thresholds = {}, std::uint32_t rate_of = 5);

}  // namespace plumb::budget
