// The proxy's metrics, in Prometheus' text format. There is one series per client key and model, at most `series_max`;
// the rest counts under "other". A model is a route's name, so names that are passed on make no series.
//
//   std::shared_ptr<Series> series = metrics.series(key, model);     // when a call begins
//   metrics.add(*series, record);                                    // when it ends: additions to atomics
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "native/proxy/call_record.hpp"

namespace plumb::proxy {

using Count = std::atomic<std::uint64_t>;

inline constexpr std::array<std::string_view, 6> decisions = {
    "accept", "accept_with_warnings", "accept_unverified", "undecided", "revise", "block"};

// The outcomes of asking other proxies about Idempotency-Keys.
enum class ClaimCount : std::uint8_t { mine, alone, answered, busy, other_body, gone, unsettled };
inline constexpr std::array<std::string_view, 7> claim_counts = {"mine",       "alone", "answered", "busy",
                                                                 "other_body", "gone",  "unsettled"};

struct TimeCounts {
  static constexpr std::array<double, 14> bounds_s = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                      1,     2.5,  5,     10,   30,  60,   120};
  std::array<Count, bounds_s.size() + 1> counts = {};
  Count sum_us{0};
  void add(std::uint64_t us);
};

struct Series {
  std::string key;
  std::string model;
  std::array<Count, 5> results = {};  // indexed by CallResult
  Count input_tokens{0};
  Count output_tokens{0};
  Count input_tokens_estimated{0};  // for calls without reported usage
  Count output_tokens_estimated{0};
  Count nano_usd{0};
  std::array<Count, decisions.size()> verdicts = {};
  Count findings{0};
  Count edits{0};
  Count judge_calls{0};
  Count judge_failed{0};
  std::array<Count, 3> judged = {};  // rules that hold, are broken, or were left open
  Count early_stops{0};
  Count tokens_saved{0};
  Count retries{0};
  Count replayed{0};
  TimeCounts first_byte;
  TimeCounts took;
};

class ProxyMetrics {
 public:
  static constexpr std::size_t series_max = 1'000;
  static constexpr std::size_t codes_max = 100;

  std::shared_ptr<Series> series(std::string_view key, std::string_view model);
  void add(Series& series, const CallRecord& record);
  // Counts a refused call or request, by its code.
  void refused(std::string_view code);

  Count calls_open{0};
  Count reloads{0};
  Count reloads_refused{0};
  Count counters_failed{0};         // failed writes of the counters' file
  std::atomic<bool> shares{false};  // limits are shared with other proxies
  Count sharing_away{0};            // 1: the servers for sharing cannot be reached
  Count shares_stored{0};
  std::array<Count, claim_counts.size()> claims = {};

  std::vector<std::shared_ptr<const Series>> all() const;
  std::map<std::string, std::uint64_t> refusals() const;
  void append(std::string& out) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Series>> series_;
  std::map<std::string, std::uint64_t, std::less<>> refused_;
};

}  // namespace plumb::proxy
