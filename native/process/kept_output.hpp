// The first and the last part of what a program wrote, in bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::process {

class KeptOutput {
 public:
  KeptOutput() = default;
  KeptOutput(std::uint64_t first_max, std::uint64_t last_max) : first_max_(first_max), last_max_(last_max) {}

  void add(std::string_view bytes);
  std::uint64_t bytes() const { return bytes_; }  // that were written
  std::uint64_t left_out() const {
    return bytes_ - first_.size() - (ring_.size() < last_max_ ? ring_.size() : last_max_);
  }
  // As it was written, or with a line "[... 12345 bytes left out ...]" between the two parts.
  std::string text() const;

 private:
  std::uint64_t first_max_ = 0;
  std::uint64_t last_max_ = 0;
  std::uint64_t bytes_ = 0;
  std::string first_;
  std::string ring_;  // the last bytes; cut to last_max_ when it is twice that
};

}  // namespace plumb::process
