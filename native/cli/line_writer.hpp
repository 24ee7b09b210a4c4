// Lines to a file handle from many threads without a system call for each: they are collected and written together,
// several times a second.
//
//   LineWriter lines(STDERR_FILENO);
//   lines.write("...");                // never waits for the handle; what does not fit is dropped and counted
//
// What was taken is written before the destructor returns, unless the handle takes nothing more.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace plumb::cli {

class LineWriter {
 public:
  static constexpr std::size_t bytes_max = std::size_t{4} << 20;

  explicit LineWriter(int handle);
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  void write(std::string_view line);

 private:
  void work();

  int handle_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string lines_;
  std::uint64_t dropped_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace plumb::cli
