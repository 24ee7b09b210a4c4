// What a person sees of a job while it goes on: its log lines, each with its time, and below them a bar with the
// progress, the phase, the tokens and the time. On a terminal only the bar is drawn over; elsewhere there are only
// lines.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::cli {

class JobDisplay {
 public:
  struct Look {
    bool lines = true;
    bool bar = true;
    bool ascii = false;
    bool color = false;
    std::size_t columns = 80;
  };
  explicit JobDisplay(const Look& look) : look_(look), begun_(std::chrono::steady_clock::now()) {}
  ~JobDisplay() { wipe(); }
  JobDisplay(const JobDisplay&) = delete;
  JobDisplay& operator=(const JobDisplay&) = delete;

  // A log line, stamped.
  void line(std::uint64_t at_ms, std::string_view text);
  // What the bar shows.
  void state(std::uint64_t percent, std::string_view status, std::uint64_t tokens);
  // Text that a model is writing: only its length is shown.
  void received(std::size_t bytes) { received_ += bytes; }
  // Draws the bar anew: for the time that goes by.
  void tick();
  void wipe();

 private:
  std::string bar() const;

  Look look_;
  std::chrono::steady_clock::time_point begun_;
  std::uint64_t percent_ = 0;
  std::string status_ = "pending";
  std::uint64_t tokens_ = 0;
  std::size_t received_ = 0;
  bool drawn_ = false;
};

}  // namespace plumb::cli
