// Recording: prompts and answers, kept only if `record` in plumb.yaml names a directory. One line per call:
//
//   {"time": "2026-01-31T08:00:00.123Z", "id": "c...", "key": "k...", "route": "/v1/messages", "request": {...},
//    "answer": {...}}                                  a stream's answer is its text: "data: {...}\n\n..."
//
// There is one file a day, readable only by its owner. Records wait in memory until the maintenance thread writes
// them: at most `waiting_bytes_max`, and `file_bytes_max` per file; the rest is dropped and counted. No client's or
// provider's key is in it, unless somebody wrote one into a prompt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::proxy {

struct RecordedCall {
  std::string_view id;
  std::string_view key;
  std::string_view route;
  std::string_view request;  // as it came
  std::string_view answer;   // as it was sent
};

// The line, without a line end. A request or answer that is not JSON is written as a string.
std::string recorded_line(const RecordedCall& call, std::uint64_t wall_ms);

// For any number of threads; write() for one.
class Recording {
 public:
  static constexpr std::size_t waiting_bytes_max = std::size_t{32} << 20;
  static constexpr std::uint64_t file_bytes_max = std::uint64_t{1} << 30;

  // Why nothing could be kept there. Makes the directory if its parent exists; nothing for an empty name.
  static std::optional<Error> problem_of(const std::string& directory);

  void push(const std::string& line);
  // Appends the waiting records to the day's file. Each kind of error is reported once.
  Result<bool> write(const std::string& directory, std::uint64_t wall_ms);
  std::uint64_t dropped() const;

 private:
  mutable std::mutex mutex_;
  std::string waiting_;
  std::uint64_t lines_waiting_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace plumb::proxy
