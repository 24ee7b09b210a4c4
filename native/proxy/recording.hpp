// Recording: prompts and answers, kept only where `record` in plumb.yaml names a directory. A line a call:
//
//   {"time": "2026-01-31T08:00:00.123Z", "id": "c...", "key": "k...", "route": "/v1/messages", "request": {...},
//    "answer": {...}}                                  the answer of a stream is its text: "data: {...}\n\n..."
//
// A file a day, for its owner alone to read. What is given waits in memory until the maintenance writes it: at most
// `waiting_bytes_max`, and `file_bytes_max` a file; what does not fit is dropped and counted. No key of a client or a
// provider is in it, unless somebody wrote one into a prompt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
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

// Without its line end. A request or an answer that is no JSON is a text.
std::string recorded_line(const RecordedCall& call, std::uint64_t wall_ms);

// For any number of threads; write() for one.
class Recording {
 public:
  static constexpr std::size_t waiting_bytes_max = std::size_t{32} << 20;
  static constexpr std::uint64_t file_bytes_max = std::uint64_t{1} << 30;

  void push(const std::string& line);
  // Appends what waits to the file of the day. The error is told once for each way in which it fails.
  Result<bool> write(const std::string& directory, std::uint64_t wall_ms);
  std::uint64_t dropped() const;

 private:
  mutable std::mutex mutex_;
  std::string waiting_;
  std::uint64_t lines_waiting_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace plumb::proxy
