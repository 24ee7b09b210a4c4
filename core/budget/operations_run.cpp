#include <algorithm>

#include "core/budget/loops.hpp"
#include "core/budget/operations.hpp"
#include "core/budget/percent_text.hpp"
#include "core/budget/pressure.hpp"
#include "core/budget/risk.hpp"
#include "core/budget/run_settings.hpp"
#include "core/json/number_text.hpp"

namespace plumb::budget {

namespace {

PressureThresholds read_thresholds(Fields& fields) {
  PressureThresholds out;
  const json::Value* value = fields.take("thresholds");
  if (value == nullptr) {
    return out;
  }
  Fields given(fields.request(), *value, fields.place("thresholds"));
  out.yellow = given.share("yellow_percent").value_or(out.yellow);
  out.orange = given.share("orange_percent").value_or(out.orange);
  out.red = given.share("red_percent").value_or(out.red);
  out.critical = given.share("critical_percent").value_or(out.critical);
  out.pause = given.share("pause_percent").value_or(out.pause);
  given.done();
  if (out.yellow > out.orange || out.orange > out.red || out.red > out.critical) {
    fields.request().find("contradiction", given.at(), "yellow, orange, red and critical must not fall");
  }
  return out;
}

// A number, or {estimated, reported}.
ContextSize read_reading(Fields& fields, const json::Value& value, const std::string& at) {
  ContextSize out;
  if (!value.is(json::Kind::object)) {
    out.estimated = read_amount(fields.request(), value, at).tokens;
    return out;
  }
  Fields one(fields.request(), value, at);
  if (const Amount estimated = one.amount("estimated"); estimated.given) {
    out.estimated = estimated.tokens;
  }
  out.reported = one.whole("reported");
  if (!one.has("estimated") && !one.has("reported")) {
    one.required("estimated", "the size of the context, or what the provider reported");
  }
  one.done();
  return out;
}

void write_percent(json::Writer& json, std::string_view name, std::uint64_t hundredths) {
  json.key(name).raw(percent_text(hundredths));
}

void write_pressure(json::Writer& json, const Pressure& pressure, bool known) {
  if (known) {
    write_percent(json, "context_utilization", pressure.utilization);
  } else {
    json.key("context_utilization").null();
  }
  json.member("color", color_name(pressure.color)).member("action", color_action(pressure.color));
  json.member("response", response_name(pressure.response)).member_boolean("checkpoint", pressure.checkpoint);
}

std::string pressure_reason(const Monitored& now, const std::optional<Tokens>& window) {
  if (!window) {
    return grouped(now.context_tokens_used) + " tokens are used of a window that is not known";
  }
  std::string out = grouped(now.context_tokens_used) + " of " + grouped(*window) + " tokens, " +
                    percent_text(now.pressure.utilization) + " %: " + std::string(color_action(now.pressure.color));
  if (now.pressure.response > color_response(now.pressure.color)) {
    out += ", and " + std::string(response_name(now.pressure.response));
  }
  if (now.iterations_remaining_estimate) {
    out += "; " + grouped(*now.iterations_remaining_estimate) +
           (*now.iterations_remaining_estimate == 1 ? " iteration" : " iterations") + " until the window is full";
  }
  return out;
}

// One step, or a list of them.
std::vector<Step> read_steps(Fields& policy, std::string_view key, bool as_percent) {
  std::vector<Step> out;
  const json::Value* value = policy.take(key);
  const std::string at = policy.place(key);
  const auto read = [&](const json::Value& item, const std::string& place) {
    Fields one(policy.request(), item, place);
    Step step;
    step.over = as_percent ? one.share("over", 1000).value_or(0) : one.whole("over", tokens_max, 0);
    one.required("response", "observe, log, warn, pause, halt or escalate");
    step.response = static_cast<Response>(std::max(one.choice("response", response_names), 0));
    one.done();
    out.push_back(step);
  };
  if (value->is(json::Kind::array)) {
    for (std::size_t i = 0; i < value->array().size(); ++i) {
      read(value->array()[i], item_place(at, i));
    }
  } else {
    read(*value, at);
  }
  return out;
}

Policy read_policy(Fields& fields) {
  Policy out = policy_default();
  const json::Value* value = fields.take("policy");
  if (value == nullptr) {
    return out;
  }
  Fields given(fields.request(), *value, fields.place("policy"));
  for (std::size_t i = 0; i < signals_size; ++i) {
    if (given.take(signal_names[i]) != nullptr) {
      out[i] = read_steps(given, signal_names[i], static_cast<Signal>(i) == Signal::utilization);
    }
  }
  given.done();
  return out;
}

std::vector<Call> read_calls(Fields& fields) {
  std::vector<Call> out;
  const std::span<const json::Value> items = fields.list("calls");
  for (std::size_t i = 0; i < items.size(); ++i) {
    Fields one(fields.request(), items[i], item_place(fields.place("calls"), i));
    Call call;
    one.required("tool", "the name of the tool");
    call.tool = one.text("tool").value_or("");
    call.arguments = one.take("arguments");
    call.result = one.take("result");
    call.changes = one.flag("changes");
    one.done();
    out.push_back(call);
  }
  return out;
}

LoopSettings read_loop_settings(Fields& fields, const std::vector<std::string>& polling) {
  LoopSettings out;
  out.identical_min = static_cast<std::uint32_t>(fields.whole("identical_min", 100, out.identical_min));
  out.near_min = static_cast<std::uint32_t>(fields.whole("near_min", 100, out.near_min));
  out.calls_looked_at = static_cast<std::uint32_t>(fields.whole("calls_looked_at", 100, out.calls_looked_at));
  out.polling.assign(polling.begin(), polling.end());
  return out;
}

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& one : texts) {
    json.string(one);
  }
  json.end_array();
}

void write_loops(json::Writer& json, const std::vector<Loop>& loops) {
  json.key("loops").begin_array();
  for (const Loop& loop : loops) {
    json.begin_object().member("kind", loop.identical ? "identical" : "near_identical").member("tool", loop.tool);
    json.key("calls").begin_array();
    for (const std::uint32_t call : loop.calls) {
      json.uint(call);
    }
    json.end_array().member("explanation", loop.explanation).end_object();
  }
  json.end_array();
}

void read_tasks(Fields& fields, RiskState& state) {
  const std::span<const json::Value> items = fields.list("tasks");
  if (!fields.has("tasks")) {
    return;
  }
  state.tasks.emplace();
  for (std::size_t i = 0; i < items.size(); ++i) {
    Fields one(fields.request(), items[i], item_place(fields.place("tasks"), i));
    one.required("name", "the task's name");
    state.tasks->push_back({std::string(one.text("name").value_or("")), one.texts("files")});
    one.done();
  }
}

// `utilization_percent`, or `used` of the window.
void read_utilization(Fields& fields, RiskState& state) {
  const ContextProfile profile = read_profile(fields);
  const std::optional<Tokens> used = fields.whole("used");
  state.utilization = fields.share("utilization_percent", 1000);
  if (!state.utilization && used && profile.context_window && *profile.context_window > 0) {
    // Rounded up: what is above a threshold stays above it.
    state.utilization = (*used * share_whole + *profile.context_window - 1) / *profile.context_window;
  }
}

}  // namespace

Result<RunSettings> read_run_settings(const json::Value& settings) {
  Request request;
  Fields fields(request, settings, "");
  RunSettings out;
  out.policy = read_policy(fields);
  out.thresholds = read_thresholds(fields);
  fields.done();
  if (request.valid()) {
    return out;
  }
  Error error;
  error.message = request.findings.front().message;
  error.where = request.findings.front().at;
  return error;
}

void answer_pressure(Fields& fields, json::Writer& json) {
  const ContextProfile profile = read_profile(fields);
  const PressureThresholds thresholds = read_thresholds(fields);
  const auto rate_of = static_cast<std::uint32_t>(fields.whole("rate_of", 1000, 5));
  fields.required("readings", "the size of the context after each iteration");
  const std::span<const json::Value> items = fields.list("readings");
  std::vector<ContextSize> readings;
  for (std::size_t i = 0; i < items.size(); ++i) {
    readings.push_back(read_reading(fields, items[i], item_place(fields.place("readings"), i)));
  }
  fields.done();
  if (!fields.request().valid()) {
    return;
  }
  const std::optional<Tokens> window = profile.context_window;
  const Monitored now = monitor(readings, window, thresholds, std::max(rate_of, 2U));
  json.member("reason", pressure_reason(now, window));
  write_optional(json, "window", window);
  json.member_uint("context_tokens_used", now.context_tokens_used);
  write_pressure(json, now.pressure, window.has_value());
  write_optional(json, "tokens_per_iteration", now.tokens_per_iteration);
  write_optional(json, "iterations_remaining_estimate", now.iterations_remaining_estimate);
  write_optional(json, "iterations_until_pause", now.iterations_until_pause);
  json.key("history").begin_array();
  for (const ContextSize& reading : readings) {
    const Tokens used = std::max(reading.estimated.value_or(0), reading.reported.value_or(0));
    json.begin_object().member_uint("context_tokens_used", used);
    write_pressure(json, pressure(used, window, thresholds), window.has_value());
    json.end_object();
  }
  json.end_array();
}

void answer_risk(Fields& fields, json::Writer& json) {
  RiskState state;
  state.retries = fields.whole("retries");
  read_utilization(fields, state);
  if (fields.has("written")) {
    state.written = fields.texts("written");
  }
  fields.take("written");
  state.task_files = fields.texts("task_files");
  read_tasks(fields, state);
  const std::vector<Call> calls = read_calls(fields);
  const std::vector<std::string> polling = fields.texts("polling");
  const LoopSettings settings = read_loop_settings(fields, polling);
  const Policy policy = read_policy(fields);
  fields.done();
  if (!fields.request().valid()) {
    return;
  }
  std::vector<Loop> loops;
  if (fields.has("calls")) {
    loops = find_loops(calls, settings);
    state.loop_calls = 0;
    for (const Loop& loop : loops) {
      state.loop_calls = std::max<std::uint64_t>(*state.loop_calls, loop.calls.size());
    }
  }
  const Risks risks = judge_risk(state, policy);
  std::string reason;
  for (const Risk& risk : risks.signals) {
    if (risk.known && risk.response == risks.response && risk.response != Response::observe) {
      reason += (reason.empty() ? "" : "; ") + risk.explanation;
    }
  }
  json.member("response", response_name(risks.response));
  json.member("reason", reason.empty() ? "no signal calls for anything" : reason);
  json.key("signals").begin_array();
  for (const Risk& risk : risks.signals) {
    json.begin_object().member("signal", signal_name(risk.signal)).member_boolean("known", risk.known);
    json.member("response", response_name(risk.response)).member("explanation", risk.explanation);
    const bool as_percent = risk.signal == Signal::utilization;
    if (risk.known) {
      json.key("value").raw(as_percent ? percent_text(risk.value) : json::uint_text(risk.value));
    }
    if (risk.over) {
      json.key("over").raw(as_percent ? percent_text(*risk.over) : json::uint_text(*risk.over));
    }
    if (!risk.files.empty()) {
      write_texts(json, "files", risk.files);
    }
    json.end_object();
  }
  json.end_array();
  write_loops(json, loops);
}

void answer_loops(Fields& fields, json::Writer& json) {
  fields.required("calls", "the calls in their order, as a list of {tool, arguments, result, changes}");
  const std::vector<Call> calls = read_calls(fields);
  const std::vector<std::string> polling = fields.texts("polling");
  const LoopSettings settings = read_loop_settings(fields, polling);
  fields.done();
  if (!fields.request().valid()) {
    return;
  }
  const std::vector<Loop> loops = find_loops(calls, settings);
  json.member_boolean("looping", !loops.empty());
  json.member("reason", loops.empty() ? "no call is repeated without an answer to it that is new"
                                      : std::string_view(loops.front().explanation));
  json.member_uint("calls", calls.size());
  write_loops(json, loops);
}

}  // namespace plumb::budget
