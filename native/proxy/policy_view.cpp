// What a policy shows: metrics and the state of the live page.

#include <algorithm>
#include <unordered_map>

#include "core/json/writer.hpp"
#include "native/base/concat.hpp"
#include "native/control/metrics.hpp"
#include "native/proxy/policy_state.hpp"

namespace plumb::proxy {

namespace {

using control::append_heading;
using control::append_metric;
using control::append_sample;
using control::metric_label;

constexpr std::size_t rows_shown_max = 200;

void append_upstream_metrics(std::string& out, const Snapshot& snapshot, TimePoint now) {
  append_heading(out, "plumb_proxy_upstream_tries_total", "counter", "Requests to providers.");
  for (const auto& one : snapshot.upstreams) {
    append_sample(out, "plumb_proxy_upstream_tries_total", metric_label("upstream", one->name), one->tries);
  }
  append_heading(out, "plumb_proxy_upstream_failures_total", "counter", "Those of them that failed, by class.");
  for (const auto& one : snapshot.upstreams) {
    for (std::size_t i = 0; i < failure_classes; ++i) {
      if (const std::uint64_t value = one->failures[i]; value != 0) {
        append_sample(out, "plumb_proxy_upstream_failures_total",
                      metric_label("upstream", one->name) + "," +
                          metric_label("class", wire::failure_class_name(static_cast<wire::FailureClass>(i))),
                      value);
      }
    }
  }
  append_heading(out, "plumb_proxy_upstream_calls", "gauge", "Requests to providers under way.");
  for (const auto& one : snapshot.upstreams) {
    append_sample(out, "plumb_proxy_upstream_calls", metric_label("upstream", one->name), one->calls);
  }
  append_heading(out, "plumb_proxy_breaker_state", "gauge",
                 "0 closed, 1 open, 2 half-open; of names that were passed on the gravest, as *.");
  for (const auto& one : snapshot.upstreams) {
    const auto sample = [&](std::string_view model, const BreakerView& view) {
      append_sample(out, "plumb_proxy_breaker_state",
                    metric_label("upstream", one->name) + "," + metric_label("model", model),
                    static_cast<std::uint64_t>(view.state));
    };
    std::vector<ModelBreaker> passed_on;
    for (ModelBreaker& breaker : one->breakers.views(snapshot.settings->breaker, now)) {
      if (breaker.passed_on) {
        passed_on.push_back(std::move(breaker));
      } else {
        sample(breaker.model, breaker.view);
      }
    }
    if (!passed_on.empty()) {
      sample("*", gravest(passed_on));
    }
  }
}

void append_upstreams(json::Writer& json, const Snapshot& snapshot, TimePoint now) {
  json.key("upstreams").begin_array();
  for (std::size_t i = 0; i < snapshot.upstreams.size(); ++i) {
    const UpstreamState& one = *snapshot.upstreams[i];
    const std::vector<ModelBreaker> breakers = one.breakers.views(snapshot.settings->breaker, now);
    const BreakerView view = gravest(breakers);
    std::uint64_t failures = 0;
    for (const Count& count : one.failures) {
      failures += count;
    }
    json.begin_object().member("name", one.name);
    json.member("address", snapshot.settings->upstreams[i].endpoint.base.text());
    json.member("breaker", breaker_state_name(view.state)).member_uint("open_for_ms", view.open_for_ms);
    json.key("left_alone").begin_array();
    for (const ModelBreaker& breaker : breakers) {
      if (breaker.view.state != BreakerState::closed) {
        json.string(breaker.model);
      }
    }
    json.end_array();
    json.member_uint("calls", one.calls).member_uint("tries", one.tries).member_uint("failures", failures);
    const std::lock_guard lock(one.mutex);
    json.member("last_failure", one.last_failure).member_uint("last_failure_at", one.last_failure_ms).end_object();
  }
  json.end_array();
}

// The names that clients ask for, and who is asked for each.
void append_models(json::Writer& json, const Settings& settings) {
  json.key("models").begin_array();
  for (std::size_t i = 0; i < std::min(settings.routes.size(), rows_shown_max); ++i) {
    const Route& route = settings.routes[i];
    json.begin_object().member("name", route.name);
    for (const auto& [key, targets] : {std::pair("to", &route.targets), std::pair("fallbacks", &route.fallbacks)}) {
      json.key(key).begin_array();
      for (const Target& target : *targets) {
        json.string(target.name);
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

struct Totals {
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t nano_usd = 0;
  std::uint64_t accepted = 0;
  std::uint64_t rejected = 0;
  std::uint64_t early_stops = 0;
  std::uint64_t tokens_saved = 0;
  std::uint64_t retries = 0;
  std::uint64_t replayed = 0;

  void add(const Series& one) {
    for (const Count& count : one.results) {
      calls += count;
    }
    failed += one.results[static_cast<std::size_t>(CallResult::failed)] +
              one.results[static_cast<std::size_t>(CallResult::cut)];
    input_tokens += one.input_tokens + one.input_tokens_estimated;
    output_tokens += one.output_tokens + one.output_tokens_estimated;
    nano_usd += one.nano_usd;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      (decisions[i].starts_with("accept") ? accepted : rejected) += one.verdicts[i];
    }
    early_stops += one.early_stops;
    tokens_saved += one.tokens_saved;
    retries += one.retries;
    replayed += one.replayed;
  }
  void append(json::Writer& json) const {
    json.member_uint("calls", calls).member_uint("failed", failed).member_uint("input_tokens", input_tokens);
    json.member_uint("output_tokens", output_tokens).key("usd").raw(dollars_text(nano_usd));
    json.member_uint("accepted", accepted).member_uint("rejected", rejected);
    json.member_uint("early_stops", early_stops).member_uint("tokens_saved", tokens_saved);
    json.member_uint("retries", retries).member_uint("replayed", replayed);
  }
};

// The mean of what is counted, in milliseconds with one digit.
std::string mean_ms(const TimeCounts& times) {
  std::uint64_t count = 0;
  for (const Count& one : times.counts) {
    count += one;
  }
  return fixed(count == 0 ? 0.0 : static_cast<double>(times.sum_us) / static_cast<double>(count) / 1e3, 1);
}

void append_rows(json::Writer& json, const std::vector<std::shared_ptr<const Series>>& all,
                 const std::unordered_map<std::string, std::string>& names) {
  Totals totals;
  std::vector<std::pair<Totals, const Series*>> rows;
  for (const auto& one : all) {
    Totals own;
    own.add(*one);
    totals.add(*one);
    rows.emplace_back(own, one.get());
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first.calls > b.first.calls; });
  json.key("totals").begin_object();
  totals.append(json);
  json.end_object().member_uint("rows_in_all", rows.size()).key("rows").begin_array();
  rows.resize(std::min(rows.size(), rows_shown_max));
  for (const auto& [own, series] : rows) {
    const auto name = names.find(series->key);
    json.begin_object().member("key", series->key);
    json.member("name", name == names.end() ? std::string_view() : std::string_view(name->second));
    json.member("model", series->model);
    own.append(json);
    json.key("first_byte_ms").raw(mean_ms(series->first_byte)).key("took_ms").raw(mean_ms(series->took)).end_object();
  }
  json.end_array();
}

// What is used of the limits that there are.
void append_limits(json::Writer& json, const std::vector<Used>& all) {
  json.key("used").begin_array();
  for (std::size_t i = 0; i < std::min(all.size(), rows_shown_max); ++i) {
    const Used& one = all[i];
    json.begin_object().member("scope", one.scope).member_uint("calls", one.calls);
    json.member_uint("requests_minute", one.requests_minute).member_uint("requests_day", one.requests_day);
    json.member_uint("tokens_minute", one.tokens_minute).member_uint("tokens_day", one.tokens_day);
    json.key("usd_day").raw(dollars_text(one.nano_usd_day)).member_uint("tokens_reserved", one.reserved.tokens);
    json.end_object();
  }
  json.end_array();
}

void append_stored(json::Writer& json, std::string_view name, const StoredCounts& counts) {
  json.key(name).begin_object().member_uint("hits", counts.hits).member_uint("misses", counts.misses);
  json.member_uint("entries", counts.entries).member_uint("bytes", counts.bytes);
  json.member_uint("evicted", counts.evicted).end_object();
}

}  // namespace

void Policy::append_metrics(std::string& out, TimePoint now) const {
  const std::shared_ptr<const Snapshot> snapshot = state_->now_used();
  state_->metrics.append(out);
  append_upstream_metrics(out, *snapshot, now);
  state_->canary.append_metrics(out, snapshot->settings->guarding);
  const SpanCounts spans = state_->spans.counts();
  append_heading(out, "plumb_proxy_spans_total", "counter", "Calls whose spans were sent, or not.");
  append_sample(out, "plumb_proxy_spans_total", metric_label("result", "sent"), spans.sent);
  append_sample(out, "plumb_proxy_spans_total", metric_label("result", "dropped"), spans.dropped);
  append_sample(out, "plumb_proxy_spans_total", metric_label("result", "failed"), spans.failed);
  append_metric(out, "plumb_proxy_records_dropped_total", "counter", "Prompts and answers that were not kept.",
                state_->recording.dropped());
  append_metric(out, "plumb_proxy_keys", "gauge", "Client keys that are accepted.",
                state_->known_keys()->good(now.wall_ms));
  append_metric(out, "plumb_proxy_keyless", "gauge", "1 where calls of this machine are answered without a key.",
                state_->known_keys()->keyless() ? 1 : 0);
}

std::string Policy::state_json(TimePoint now) const {
  const std::shared_ptr<const Snapshot> snapshot = state_->now_used();
  const std::shared_ptr<const KeyTable> keys = state_->known_keys();
  const Settings& settings = *snapshot->settings;
  std::string out;
  json::Writer json(out);
  json.begin_object().member_uint("at", now.wall_ms);
  {
    const std::lock_guard lock(state_->mutex);
    json.key("config").begin_object().member("file", settings.file).member_uint("taken_at", state_->config_taken_ms);
    json.member("problem", state_->config_problem).end_object();
    json.member("keys_problem", state_->keys_problem);
  }
  json.member_boolean("keyless", keys->keyless());
  json.member_uint("keys", keys->good(now.wall_ms)).member_uint("open", state_->metrics.calls_open);
  append_rows(json, state_->metrics.all(), keys->names());
  append_upstreams(json, *snapshot, now);
  append_models(json, settings);
  state_->canary.append_json(json, settings.guarding);
  json.key("refused").begin_object();
  for (const auto& [code, count] : state_->metrics.refusals()) {
    json.member_uint(code, count);
  }
  json.end_object();
  append_limits(json, state_->ledger.used(now));
  append_stored(json, "idempotency", state_->idempotency.counts());
  const SpanCounts spans = state_->spans.counts();
  json.key("spans").begin_object().member_boolean("on", settings.telemetry.on).member_uint("sent", spans.sent);
  json.member_uint("waiting", spans.waiting).member_uint("dropped", spans.dropped);
  json.member_uint("failed", spans.failed).end_object();
  state_->live.append_steps(json, now);
  state_->live.append_calls(json);
  json.end_object();
  return out;
}

std::string Policy::call_json(std::string_view id) const {
  const RecordPtr record = state_->live.call(id);
  std::string out;
  if (!record) {
    return out;
  }
  json::Writer json(out);
  json.begin_object().key("call");
  write_call(json, *record);
  json.key("found").begin_array();
  for (const FoundRule& one : record->found) {
    json.begin_object().member("rule", one.rule).member("severity", one.severity);
    json.member("at", one.at).member("place", one.place).end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace plumb::proxy
