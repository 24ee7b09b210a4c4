// What the control port counts, in the text form of Prometheus (version 0.0.4).
//
//   metrics.request("/v1/runs/{id}", "GET", 200, 0.004);
//   std::string text = metrics.text();            // then what the host counts, added by the route
//   append_metric(text, "plumb_runs_waiting", "gauge", "Runs that have not ended.", 3);
//
// Routes are those of the table, so that what a client sends makes no new series; models are as many as `models_max`,
// the rest is counted under "other".
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

namespace plumb::control {

class Metrics {
 public:
  static constexpr std::size_t models_max = 100;

  void request(std::string_view route, std::string_view method, int status, double seconds);
  // A stream has begun: counted as a request, without a time.
  void stream(std::string_view route, std::string_view method);
  // Turned away before a route was asked: a code.
  void refused(std::string_view why);
  void call(std::string_view kind, std::string_view status, double seconds);
  void tokens(std::string_view provider, std::string_view model, std::uint64_t input, std::uint64_t output,
              bool estimated);

  std::atomic<std::uint64_t> streams_open{0};
  std::atomic<std::uint64_t> streams_refused{0};
  std::atomic<std::uint64_t> watchers_dropped{0};

  std::string text() const;

 private:
  static constexpr std::array<double, 12> bounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30};
  struct Histogram {
    std::array<std::uint64_t, bounds.size() + 1> counts = {};
    double sum = 0;
    void add(double seconds);
  };
  static void append(std::string& out, std::string_view name, const std::string& labels, const Histogram& histogram);

  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t> requests_;
  std::map<std::string, Histogram> request_seconds_;
  std::map<std::string, std::uint64_t> refused_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> calls_;
  std::map<std::string, Histogram> call_seconds_;
  std::map<std::tuple<std::string, std::string, std::string, bool>, std::uint64_t> tokens_;
  std::map<std::pair<std::string, std::string>, bool> models_;
};

// One series with its HELP and TYPE. `labels` as they are between the braces, or empty.
void append_metric(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                   std::uint64_t value, std::string_view labels = {});
void append_heading(std::string& out, std::string_view name, std::string_view type, std::string_view help);
void append_sample(std::string& out, std::string_view name, std::string_view labels, std::uint64_t value);
// name="value", escaped.
std::string metric_label(std::string_view name, std::string_view value);

}  // namespace plumb::control
