#include "native/cli/job_display.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "core/pipelines/pipelines.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t bar_cells = 24;

std::string local_clock(std::uint64_t at_ms) {
  const auto seconds = static_cast<std::time_t>(at_ms / 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[16] = {};
  const std::size_t size = std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return {text, size};
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

}  // namespace

void JobDisplay::line(std::uint64_t at_ms, std::string_view text) {
  if (!look_.lines) {
    return;
  }
  wipe();
  const std::string shown = look_.ascii ? pipelines::ascii_line(text) : std::string(text);
  const contract::TextStyle style{look_.color, look_.ascii};
  write_all(STDERR_FILENO, dim("[" + local_clock(at_ms) + "]", style) + " " + shown + "\n");
  tick();
}

void JobDisplay::state(std::uint64_t percent, std::string_view status, std::uint64_t tokens) {
  percent_ = percent;
  status_ = status;
  tokens_ = tokens;
  received_ = 0;
  tick();
}

std::string JobDisplay::bar() const {
  const std::size_t full = static_cast<std::size_t>(percent_) * bar_cells / 100;
  std::string out;
  for (std::size_t i = 0; i < bar_cells; ++i) {
    out += i < full ? (look_.ascii ? "#" : "█") : (look_.ascii ? "." : "░");
  }
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun_).count();
  const std::string time =
      std::to_string(seconds / 60) + (seconds % 60 < 10 ? ":0" : ":") + std::to_string(seconds % 60);
  out += " " + std::to_string(percent_) + "%  " + status_ + "  " + time;
  if (tokens_ > 0) {
    out += "  " + grouped(tokens_) + " tokens";
  }
  if (received_ > 0) {
    out += "  " + grouped(received_) + " bytes coming";
  }
  return out;
}

void JobDisplay::tick() {
  if (!look_.bar) {
    return;
  }
  const contract::TextStyle style{look_.color, look_.ascii};
  write_all(STDERR_FILENO, "\r\x1b[K" + cyan(bar(), style));
  drawn_ = true;
}

void JobDisplay::wipe() {
  if (drawn_) {
    write_all(STDERR_FILENO, "\r\x1b[K");
  }
  drawn_ = false;
}

}  // namespace plumb::cli
