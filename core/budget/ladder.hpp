// The ladder of responses (seed 004, "Graduated responses"). Each response includes those before it.
//
//   observe    counted, but not shown
//   log        a line in the log
//   warn       shown to people, and flagged for review
//   pause      the run saves a checkpoint and waits to be resumed
//   halt       the run ends
//   escalate   a person is asked
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plumb::budget {

enum class Response : std::uint8_t { observe, log, warn, pause, halt, escalate };

constexpr std::string_view response_names[] = {"observe", "log", "warn", "pause", "halt", "escalate"};
constexpr std::string_view response_name(Response response) {
  return response_names[static_cast<std::uint8_t>(response)];
}
constexpr std::optional<Response> response_named(std::string_view name) {
  for (std::uint8_t i = 0; i < 6; ++i) {
    if (response_names[i] == name) {
      return static_cast<Response>(i);
    }
  }
  return std::nullopt;
}

}  // namespace plumb::budget
