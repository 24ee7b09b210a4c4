#include "native/cli/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>

#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::int64_t first_after_ms = 333;
constexpr std::int64_t again_after_ms = 100;

std::string amount(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  std::uint64_t tenths = bytes * 10;
  while (tenths >= 10000 && unit + 1 < 5) {
    tenths /= 1000;
    ++unit;
  }
  std::string text = std::to_string(tenths / 10);
  if (unit > 0 && tenths < 1000) {
    text += "." + std::to_string(tenths % 10);
  }
  return text + " " + units[unit];
}

}  // namespace

ProgressBar::ProgressBar(bool shown, bool ascii, bool color, std::uint64_t bytes_total, std::uint64_t files_total)
    : shown_(shown),
      ascii_(ascii),
      color_(color),
      bytes_total_(bytes_total),
      files_total_(files_total),
      begun_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() { wipe(); }

void ProgressBar::bytes_done(std::uint64_t bytes) {
  bytes_ += bytes;
  draw();
}

void ProgressBar::file_done() { ++files_; }

void ProgressBar::artifacts_done(std::uint64_t count, std::uint64_t with_findings) {
  artifacts_ += count;
  with_findings_ += with_findings;
}

void ProgressBar::wipe() {
  if (!shown_) {
    return;
  }
  const std::lock_guard<std::mutex> lock(drawing_);
  if (drawn_) {
    write_all(STDERR_FILENO, "\r\x1b[K");
  }
  drawn_ = false;
}

void ProgressBar::draw() {
  if (!shown_) {
    return;
  }
  const std::int64_t now_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun_).count();
  const std::int64_t last_ms = drawn_ms_;
  if (now_ms < first_after_ms || now_ms - last_ms < again_after_ms) {
    return;
  }
  const std::unique_lock<std::mutex> lock(drawing_, std::try_to_lock);
  if (!lock.owns_lock()) {
    return;
  }
  drawn_ms_ = now_ms;

  const contract::TextStyle style{color_, ascii_};
  const std::uint64_t bytes = bytes_;
  std::string left = "\r  ";
  std::string right;
  if (files_total_ > 1) {
    right += "  " + std::to_string(files_) + " of " + std::to_string(files_total_) + " files";
  }
  right += "  " + std::to_string(artifacts_) + " checked";
  if (with_findings_ > 0) {
    right += ", " + std::to_string(with_findings_) + " with findings";
  }
  const std::uint64_t ms = static_cast<std::uint64_t>(std::max<std::int64_t>(now_ms, 1));
  right += "  " + amount(bytes * 1000 / ms) + "/s";
  if (bytes_total_ == 0) {
    left += amount(bytes);
  } else {
    const std::uint64_t percent = std::min<std::uint64_t>(100, bytes * 100 / bytes_total_);
    const std::size_t columns = terminal_columns(STDERR_FILENO);
    const std::size_t room = columns > right.size() + 12 ? columns - right.size() - 12 : 0;
    const std::size_t width = std::min<std::size_t>(30, room);
    const std::size_t full = static_cast<std::size_t>(width * percent / 100);
    std::string bar;
    for (std::size_t i = 0; i < full; ++i) {
      bar += ascii_ ? "#" : "\u2501";
    }
    std::string rest;
    for (std::size_t i = full; i < width; ++i) {
      rest += ascii_ ? "-" : "\u2501";
    }
    const std::string number = std::to_string(percent) + "%";
    left += cyan(bar, style) + dim(color_ || ascii_ ? rest : std::string(width - full, ' '), style) + " " +
            std::string(4 - number.size(), ' ') + number;
  }
  write_all(STDERR_FILENO, left + dim(right, style) + "\x1b[K");
  drawn_ = true;
}

}  // namespace plumb::cli
