#include "native/proxy/proxy_metrics.hpp"

#include <algorithm>

#include "native/base/concat.hpp"
#include "native/control/metrics.hpp"

namespace plumb::proxy {

namespace {

using control::append_heading;
using control::append_metric;
using control::append_sample;
using control::metric_label;

constexpr std::array<CallResult, 5> results = {CallResult::answered, CallResult::refused, CallResult::failed,
                                               CallResult::cut, CallResult::client_left};

std::string labels_of(const Series& series) {
  return metric_label("key", series.key) + "," + metric_label("model", series.model);
}

// One counter of every series that has counted something.
template <class Get>
void append_each(std::string& out, const std::vector<std::shared_ptr<const Series>>& all, std::string_view name,
                 std::string_view help, const Get& get) {
  append_heading(out, name, "counter", help);
  for (const auto& one : all) {
    if (const std::uint64_t value = get(*one).load(std::memory_order_relaxed); value != 0) {
      append_sample(out, name, labels_of(*one), value);
    }
  }
}

void append_tokens(std::string& out, const std::vector<std::shared_ptr<const Series>>& all) {
  constexpr std::string_view name = "plumb_proxy_tokens_total";
  append_heading(out, name, "counter",
                 "Tokens of calls, by direction; estimated where nobody told how many there were.");
  for (const auto& one : all) {
    const auto sample = [&](const Count& count, std::string_view direction, std::string_view estimated) {
      if (const std::uint64_t value = count; value != 0) {
        append_sample(
            out, name,
            labels_of(*one) + "," + metric_label("direction", direction) + "," + metric_label("estimated", estimated),
            value);
      }
    };
    sample(one->input_tokens, "input", "false");
    sample(one->output_tokens, "output", "false");
    sample(one->input_tokens_estimated, "input", "true");
    sample(one->output_tokens_estimated, "output", "true");
  }
}

void append_judged(std::string& out, const std::vector<std::shared_ptr<const Series>>& all) {
  append_each(out, all, "plumb_proxy_judge_calls_total", "Calls of the judge for rules that no check decides.",
              [](const Series& one) -> const Count& { return one.judge_calls; });
  append_each(out, all, "plumb_proxy_judge_failed_total", "Calls of the judge that came to nothing.",
              [](const Series& one) -> const Count& { return one.judge_failed; });
  constexpr std::string_view name = "plumb_proxy_judged_total";
  constexpr std::array<std::string_view, 3> outcomes = {"holds", "broken", "undecided"};
  append_heading(out, name, "counter", "Rules left to a judge, at each place, by what became of them.");
  for (const auto& one : all) {
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (const std::uint64_t value = one->judged[i]; value != 0) {
        append_sample(out, name, labels_of(*one) + "," + metric_label("outcome", outcomes[i]), value);
      }
    }
  }
}

// The histograms of all keys of a model, added up.
void append_times(std::string& out, const std::vector<std::shared_ptr<const Series>>& all, std::string_view name,
                  std::string_view help, TimeCounts Series::*member) {
  struct Sum {
    std::array<std::uint64_t, TimeCounts::bounds_s.size() + 1> counts = {};
    std::uint64_t sum_us = 0;
  };
  std::map<std::string, Sum> by_model;
  for (const auto& one : all) {
    const TimeCounts& times = (*one).*member;
    Sum& sum = by_model[one->model];
    for (std::size_t i = 0; i < sum.counts.size(); ++i) {
      sum.counts[i] += times.counts[i];
    }
    sum.sum_us += times.sum_us;
  }
  append_heading(out, name, "histogram", help);
  for (const auto& [model, sum] : by_model) {
    const std::string label = metric_label("model", model);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < sum.counts.size(); ++i) {
      below += sum.counts[i];
      const std::string bound =
          i < TimeCounts::bounds_s.size() ? general(TimeCounts::bounds_s[i]) : std::string("+Inf");
      append_sample(out, concat(name, "_bucket"), concat(label, ",le=\"", bound, "\""), below);
    }
    out += concat(name, "_sum{", label, "} ", fixed(static_cast<double>(sum.sum_us) / 1e6, 6), "\n");
    append_sample(out, concat(name, "_count"), label, below);
  }
}

}  // namespace

void TimeCounts::add(std::uint64_t us) {
  const double seconds = static_cast<double>(us) / 1e6;
  std::size_t i = 0;
  while (i < bounds_s.size() && seconds > bounds_s[i]) {
    ++i;
  }
  counts[i].fetch_add(1, std::memory_order_relaxed);
  sum_us.fetch_add(us, std::memory_order_relaxed);
}

std::shared_ptr<Series> ProxyMetrics::series(std::string_view key, std::string_view model) {
  std::string name;
  name.reserve(key.size() + model.size() + 1);
  name.append(key).append(1, '\n').append(model);
  const std::lock_guard lock(mutex_);
  if (const auto found = series_.find(name); found != series_.end()) {
    return found->second;
  }
  const bool full = series_.size() >= series_max;
  std::shared_ptr<Series>& made = series_[full ? std::string("other\nother") : name];
  if (made == nullptr) {
    made = std::make_shared<Series>();
    made->key = full ? "other" : key;
    made->model = full ? "other" : model;
  }
  return made;
}

void ProxyMetrics::refused(std::string_view code) {
  const std::lock_guard lock(mutex_);
  const auto found = refused_.find(code);
  if (found != refused_.end()) {
    ++found->second;
  } else {
    ++refused_[refused_.size() >= codes_max ? std::string("other") : std::string(code)];
  }
}

void ProxyMetrics::add(Series& series, const CallRecord& record) {
  const auto add = [](Count& count, std::uint64_t value) {
    if (value != 0) {
      count.fetch_add(value, std::memory_order_relaxed);
    }
  };
  add(series.results[static_cast<std::size_t>(record.result)], 1);
  add(record.estimated ? series.input_tokens_estimated : series.input_tokens, record.input_tokens);
  add(record.estimated ? series.output_tokens_estimated : series.output_tokens, record.output_tokens);
  add(series.nano_usd, record.nano_usd);
  const auto decision = std::find(decisions.begin(), decisions.end(), record.decision);
  if (decision != decisions.end()) {
    add(series.verdicts[static_cast<std::size_t>(decision - decisions.begin())], 1);
  }
  add(series.findings, record.findings);
  add(series.edits, record.edits);
  add(series.judge_calls, record.judge.calls);
  add(series.judge_failed, record.judge.failed);
  add(series.judged[0], record.judge.holds);
  add(series.judged[1], record.judge.broken);
  add(series.judged[2], record.judge.open);
  add(series.early_stops, record.stopped_early ? 1 : 0);
  add(series.tokens_saved, record.tokens_saved);
  add(series.retries, record.retries);
  add(series.replayed, record.replayed ? 1 : 0);
  if (record.result == CallResult::refused) {
    return;
  }
  if (record.first_byte_us != 0) {
    series.first_byte.add(record.first_byte_us);
  }
  series.took.add(record.took_us);
}

std::vector<std::shared_ptr<const Series>> ProxyMetrics::all() const {
  std::vector<std::shared_ptr<const Series>> out;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, one] : series_) {
      out.push_back(one);
    }
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a->key != b->key ? a->key < b->key : a->model < b->model; });
  return out;
}

std::map<std::string, std::uint64_t> ProxyMetrics::refusals() const {
  const std::lock_guard lock(mutex_);
  return {refused_.begin(), refused_.end()};
}

void ProxyMetrics::append(std::string& out) const {
  const std::vector<std::shared_ptr<const Series>> every = all();
  append_heading(out, "plumb_proxy_calls_total", "counter", "Calls that are over, by what became of them.");
  for (const auto& one : every) {
    for (const CallResult result : results) {
      if (const std::uint64_t value = one->results[static_cast<std::size_t>(result)]; value != 0) {
        append_sample(out, "plumb_proxy_calls_total",
                      labels_of(*one) + "," + metric_label("result", call_result_name(result)), value);
      }
    }
  }
  append_heading(out, "plumb_proxy_refused_total", "counter", "Requests that were refused, by the reason's code.");
  for (const auto& [code, count] : refusals()) {
    append_sample(out, "plumb_proxy_refused_total", metric_label("code", code), count);
  }
  append_tokens(out, every);
  append_heading(out, "plumb_proxy_cost_usd_total", "counter", "Cost of calls by the prices of the settings.");
  for (const auto& one : every) {
    if (const std::uint64_t value = one->nano_usd; value != 0) {
      out += concat("plumb_proxy_cost_usd_total{", labels_of(*one), "} ", dollars_text(value), "\n");
    }
  }
  append_heading(out, "plumb_proxy_verdicts_total", "counter", "Verdicts on answers, by decision.");
  for (const auto& one : every) {
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      if (const std::uint64_t value = one->verdicts[i]; value != 0) {
        append_sample(out, "plumb_proxy_verdicts_total", labels_of(*one) + "," + metric_label("decision", decisions[i]),
                      value);
      }
    }
  }
  append_judged(out, every);
  append_each(out, every, "plumb_proxy_early_stops_total", "Upstream calls stopped because of what they had written.",
              [](const Series& one) -> const Count& { return one.early_stops; });
  append_each(out, every, "plumb_proxy_tokens_saved_total", "Tokens that were not written for that, estimated.",
              [](const Series& one) -> const Count& { return one.tokens_saved; });
  append_each(out, every, "plumb_proxy_retries_total", "Tries of calls beyond the first.",
              [](const Series& one) -> const Count& { return one.retries; });
  append_each(out, every, "plumb_proxy_replayed_total", "Calls answered again for their Idempotency-Key.",
              [](const Series& one) -> const Count& { return one.replayed; });
  append_times(out, every, "plumb_proxy_first_byte_seconds", "Time until the first byte of an upstream's answer.",
               &Series::first_byte);
  append_times(out, every, "plumb_proxy_call_seconds", "Time of whole calls.", &Series::took);
  append_metric(out, "plumb_proxy_calls_open", "gauge", "Calls under way.", calls_open);
  append_heading(out, "plumb_proxy_reloads_total", "counter", "Reads of a changed plumb.yaml.");
  append_sample(out, "plumb_proxy_reloads_total", metric_label("result", "taken"), reloads);
  append_sample(out, "plumb_proxy_reloads_total", metric_label("result", "refused"), reloads_refused);
  append_metric(out, "plumb_proxy_counters_failed_total", "counter", "Writes of the day's counts that failed.",
                counters_failed);
  if (!shares) {
    return;
  }
  append_metric(out, "plumb_proxy_sharing_away", "gauge",
                "Whether the servers that limits, keys and answers are shared over cannot be reached: 1.",
                sharing_away);
  append_metric(out, "plumb_proxy_shares_stored_total", "counter", "Changes of this host's shares of limits.",
                shares_stored);
  append_heading(out, "plumb_proxy_claims_total", "counter",
                 "Idempotency-Keys that other proxies were asked for, by what came of it.");
  for (std::size_t i = 0; i < claim_counts.size(); ++i) {
    append_sample(out, "plumb_proxy_claims_total", metric_label("result", claim_counts[i]), claims[i]);
  }
}

}  // namespace plumb::proxy
