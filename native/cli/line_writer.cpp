#include "native/cli/line_writer.hpp"

#include <chrono>
#include <utility>

#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr auto write_every = std::chrono::milliseconds(100);

}  // namespace

LineWriter::LineWriter(int handle) : handle_(handle), thread_([this] { work(); }) {}

LineWriter::~LineWriter() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void LineWriter::write(std::string_view line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (lines_.size() + line.size() >= bytes_max) {
    ++dropped_;
    return;
  }
  lines_ += line;
  lines_ += '\n';
}

void LineWriter::work() {
  std::string lines;  // keeps its room for the next ones, as long as they need it
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait_for(lock, write_every, [this] { return ending_; });
    const bool last = ending_;
    lines.swap(lines_);
    if (const std::uint64_t dropped = std::exchange(dropped_, 0); dropped != 0) {
      lines += "plumb: " + std::to_string(dropped) +
               " lines of the log were dropped: they came faster than they could be written\n";
    }
    lock.unlock();
    if (!lines.empty()) {
      (void)write_all(handle_, lines);
    }
    if (lines.size() < lines.capacity() / 4) {
      std::string().swap(lines);
    }
    lines.clear();
    lock.lock();
    if (last) {
      return;
    }
  }
}

}  // namespace plumb::cli
