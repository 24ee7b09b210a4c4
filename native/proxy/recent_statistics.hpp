// Recent activity for the live page: ten minutes in steps of five seconds, and the last calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>

#include "core/json/writer.hpp"
#include "native/proxy/call_record.hpp"
#include "native/proxy/spans.hpp"

namespace plumb::proxy {

// Writes a call as in "calls".
void write_call(json::Writer& json, const CallRecord& record);

// For any number of threads.
class RecentStatistics {
 public:
  static constexpr std::size_t steps = 120;
  static constexpr std::uint64_t step_ms = 5'000;
  static constexpr std::size_t calls_max = 100;

  void add(const RecordPtr& record, TimePoint now);
  // A request that never became a call.
  void add_refused(TimePoint now);
  // Changes with every call.
  std::uint64_t changes() const;

  // "steps": [{"at": ms since 1970, "calls": n, ..., "p50_ms": x, "p95_ms": y}], oldest first
  void append_steps(json::Writer& json, TimePoint now) const;
  // "calls": [...], newest first
  void append_calls(json::Writer& json) const;
  // The call with this id, or null.
  RecordPtr call(std::string_view id) const;

 private:
  // Times are counted in classes that grow by half, from 0.1 ms: a percentile is accurate to a quarter.
  static constexpr std::size_t classes = 40;
  struct Step {
    std::uint64_t number = 0;
    std::uint64_t calls = 0;
    std::uint64_t failed = 0;
    std::uint64_t refused = 0;
    std::uint64_t input_tokens = 0;
    std::uint64_t output_tokens = 0;
    std::uint64_t nano_usd = 0;
    std::uint64_t accepted = 0;
    std::uint64_t rejected = 0;
    std::uint64_t early_stops = 0;
    std::array<std::uint32_t, classes> times = {};
  };
  Step& step_at(TimePoint now);
  static std::size_t class_of(std::uint64_t us);
  static double percentile_ms(const Step& step, double share);

  mutable std::mutex mutex_;
  std::array<Step, steps> steps_;
  std::deque<RecordPtr> calls_;  // newest first
  std::uint64_t changes_ = 0;
};

}  // namespace plumb::proxy
