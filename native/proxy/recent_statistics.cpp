#include "native/proxy/recent_statistics.hpp"

#include <algorithm>

#include "native/base/concat.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

namespace {

constexpr double first_class_ms = 0.1;
constexpr double growth = 1.5;

std::string millis(std::uint64_t us) { return fixed(static_cast<double>(us) / 1000, 3); }

bool is_accepted(std::string_view decision) { return decision.starts_with("accept"); }

}  // namespace

std::size_t RecentStatistics::class_of(std::uint64_t us) {
  double bound_us = first_class_ms * 1000;
  std::size_t i = 0;
  while (i + 1 < classes && static_cast<double>(us) > bound_us) {
    bound_us *= growth;
    ++i;
  }
  return i;
}

double RecentStatistics::percentile_ms(const Step& step, double share) {
  std::uint64_t all = 0;
  for (const std::uint32_t count : step.times) {
    all += count;
  }
  const double wanted = static_cast<double>(all) * share;
  double bound = first_class_ms;
  std::uint64_t below = 0;
  for (const std::uint32_t count : step.times) {
    below += count;
    if (below != 0 && static_cast<double>(below) >= wanted) {
      return bound / 1.25;  // about the middle of the class
    }
    bound *= growth;
  }
  return 0;
}

RecentStatistics::Step& RecentStatistics::step_at(TimePoint now) {
  ++changes_;
  const std::uint64_t number = now.wall_ms / step_ms;
  Step& step = steps_[number % steps];
  if (step.number != number) {
    step = {};
    step.number = number;
  }
  return step;
}

void RecentStatistics::add_refused(TimePoint now) {
  const std::lock_guard lock(mutex_);
  ++step_at(now).refused;
}

void RecentStatistics::add(const RecordPtr& record, TimePoint now) {
  const std::size_t time_class = class_of(record->took_us);
  RecordPtr gone;
  const std::lock_guard lock(mutex_);
  Step& step = step_at(now);
  if (record->result == CallResult::refused) {
    ++step.refused;
  } else {
    ++step.calls;
    ++step.times[time_class];
  }
  if (record->result == CallResult::failed || record->result == CallResult::cut) {
    ++step.failed;
  }
  step.input_tokens += record->input_tokens;
  step.output_tokens += record->output_tokens;
  step.nano_usd += record->nano_usd;
  if (!record->decision.empty()) {
    ++(is_accepted(record->decision) ? step.accepted : step.rejected);
  }
  step.early_stops += record->stopped_early ? 1 : 0;
  calls_.push_front(record);
  if (calls_.size() > calls_max) {
    gone = std::move(calls_.back());  // freed after the lock
    calls_.pop_back();
  }
}

std::uint64_t RecentStatistics::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

void RecentStatistics::append_steps(json::Writer& json, TimePoint now) const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t last = now.wall_ms / step_ms;
  json.key("steps").begin_array();
  for (std::uint64_t number = last < steps ? 0 : last + 1 - steps; number <= last; ++number) {
    const Step& kept = steps_[number % steps];
    const Step step = kept.number == number ? kept : Step{};
    json.begin_object().member_uint("at", number * step_ms).member_uint("calls", step.calls);
    json.member_uint("failed", step.failed).member_uint("refused", step.refused);
    json.member_uint("input_tokens", step.input_tokens).member_uint("output_tokens", step.output_tokens);
    json.key("usd").raw(dollars_text(step.nano_usd));
    json.member_uint("accepted", step.accepted).member_uint("rejected", step.rejected);
    json.member_uint("early_stops", step.early_stops);
    json.key("p50_ms").raw(fixed(percentile_ms(step, 0.5), 1));
    json.key("p95_ms").raw(fixed(percentile_ms(step, 0.95), 1)).end_object();
  }
  json.end_array();
}

void write_call(json::Writer& json, const CallRecord& record) {
  json.begin_object().member("id", record.id).member_uint("at", record.began_wall_ms).member("key", record.key);
  json.member("model", record.asked).member("target", record.target());
  json.member("result", call_result_name(record.result)).key("status").integer(record.status);
  json.member("error", record.error).key("ms").raw(millis(record.took_us));
  json.key("first_byte_ms").raw(millis(record.first_byte_us));
  json.member_uint("tries", record.tries.size()).member_uint("input_tokens", record.input_tokens);
  json.member_uint("output_tokens", record.output_tokens).member_boolean("estimated", record.estimated);
  json.key("usd").raw(dollars_text(record.nano_usd)).member("contract", record.contract);
  json.member("mode", record.mode).member("decision", record.decision).member_uint("findings", record.findings);
  json.member_boolean("stopped_early", record.stopped_early);
  json.member_boolean("replayed", record.replayed).end_object();
}

void RecentStatistics::append_calls(json::Writer& json) const {
  const std::lock_guard lock(mutex_);
  json.key("calls").begin_array();
  for (const RecordPtr& one : calls_) {
    write_call(json, *one);
  }
  json.end_array();
}

RecordPtr RecentStatistics::call(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(calls_.begin(), calls_.end(), [id](const RecordPtr& one) { return one->id == id; });
  return found == calls_.end() ? nullptr : *found;
}

}  // namespace plumb::proxy
