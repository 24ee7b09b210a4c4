// A bar on standard error while there is much to do: drawn only on a terminal, only after a third of a second, never
// more than ten times a second, and wiped before anything else is written. Any thread may call it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace plumb::cli {

class ProgressBar {
 public:
  // `bytes` and `artifacts` to be done; 0 bytes: nobody knows, and only what is done is shown.
  ProgressBar(bool shown, bool ascii, bool color, std::uint64_t bytes_total, std::uint64_t files_total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void bytes_done(std::uint64_t bytes);
  void file_done();
  void artifacts_done(std::uint64_t count, std::uint64_t with_findings);
  // Takes the bar away until the next draw. Call it before writing to a terminal.
  void wipe();

 private:
  void draw();

  const bool shown_;
  const bool ascii_;
  const bool color_;
  const std::uint64_t bytes_total_;
  const std::uint64_t files_total_;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> artifacts_{0};
  std::atomic<std::uint64_t> with_findings_{0};
  std::mutex drawing_;
  bool drawn_ = false;
  const std::chrono::steady_clock::time_point begun_;
  std::atomic<std::int64_t> drawn_ms_{0};
};

}  // namespace plumb::cli
