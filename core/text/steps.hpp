// Steps: a budget of work, for what a stranger has sent. The core has no clock, so work is counted where it is done in
// bulk: states of a pattern looked at, schemas at work at a place, values compared, nodes compiled. A step takes some
// ten nanoseconds, and the same work takes the same steps on every machine.
//
//   Steps steps(50'000'000, [&] { return !client_has_left; });
//   if (!steps.take(values.size())) ... stop: nothing more is decided
//
// The second argument is asked now and then; false ends the work as a budget that is used up does. Who has no budget
// passes nullptr.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace plumb::text {

class Steps {
 public:
  // 0: no bound, only `goes_on`.
  explicit Steps(std::uint64_t max, std::function<bool()> goes_on = {})
      : max_(max == 0 ? std::numeric_limits<std::uint64_t>::max() : max), goes_on_(std::move(goes_on)) {}
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  // False once they are used up.
  bool take(std::uint64_t steps) {
    used_ += steps;
    return used_ < look_at_ || look();
  }
  // For the next piece of work, with the whole budget again.
  void restart() {
    used_ = 0;
    look_at_ = std::min(look_every, max_);
    spent_ = false;
  }
  bool spent() const { return spent_; }
  std::uint64_t used() const { return used_; }
  // "more than 50000000 steps", or that nobody waits any more.
  std::string why() const {
    return used_ > max_ ? "it takes more than " + std::to_string(max_) + " steps" : "nobody waits for it any more";
  }

 private:
  static constexpr std::uint64_t look_every = std::uint64_t{1} << 16U;

  bool look() {
    if (!spent_) {
      spent_ = used_ > max_ || (goes_on_ && !goes_on_());
      look_at_ = spent_ ? 0 : std::min(used_ + look_every, std::max(used_ + 1, max_));
    }
    return !spent_;
  }

  std::uint64_t max_;
  std::uint64_t used_ = 0;
  std::uint64_t look_at_ = std::min(look_every, max_);
  bool spent_ = false;
  std::function<bool()> goes_on_;
};

}  // namespace plumb::text
