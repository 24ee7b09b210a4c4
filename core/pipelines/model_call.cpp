#include "core/pipelines/model_call.hpp"

#include <algorithm>

#include "core/contract/contract.hpp"
#include "core/derive/derive.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/repair/check.hpp"
#include "core/require.hpp"
#include "core/run/usage.hpp"
#include "core/text/tokens.hpp"

namespace plumb::pipelines {

namespace {

using json::number_of;
using json::text_of;
using json::Value;

// Of an answer whose prompt does not say.
constexpr std::uint64_t output_tokens_usual = 2'000;

constexpr std::string_view shorter = "Write less: only what was asked for.\n";

struct Rendered {
  std::string messages;     // JSON
  std::string temperature;  // or empty
  std::uint64_t output_tokens = 0;
  std::string refused;  // why the call is not made, of the run's budget or the model's window
  Reason reason = Reason::none;
};

std::uint64_t output_tokens_of(const Prompt& prompt, const ModelCall& what) {
  return std::max({prompt.output_tokens_max > 0 ? prompt.output_tokens_max : output_tokens_usual,
                   what.output_tokens_min, what.output_tokens_usual});
}

Rendered render(const run::Run& run, const ModelCall& what) {
  Rendered out;
  const Prompt prompt = pinned_prompt(run, what.prompt);
  std::string variables;
  json::Writer writer(variables);
  writer.begin_object().member("data_rule", data_rule());
  if (what.shape.empty() && what.shape_of.empty() && what.contract.empty()) {
    writer.member("shape", "");
  } else if (what.shape.empty()) {
    const std::string pin(what.shape_of.empty() ? what.contract : what.shape_of);
    writer.member("shape", run.remembered("shape of " + pin, [&] { return shape_text(run.contract(pin)); }));
  } else {
    writer.member("shape", what.shape);
  }
  if (what.variables) {
    what.variables(writer);
  }
  writer.end_object();
  json::Arena arena;
  const Result<Value> values = json::parse(variables, arena);
  PLUMB_REQUIRE(static_cast<bool>(values), "variables are written as JSON");
  out.messages = messages_json(prompt, values.value());
  if (!what.feedback.empty()) {
    std::string quoted;
    json::append_string(quoted, "\n\n" + std::string(what.feedback));
    constexpr std::size_t end = 3;  // "}]
    out.messages.insert(out.messages.size() - end, quoted.substr(1, quoted.size() - 2));
  }
  if (!what.further.empty()) {
    out.messages.insert(out.messages.size() - 1, "," + std::string(what.further));
  }
  out.temperature = prompt.temperature;
  out.output_tokens = output_tokens_of(prompt, what);
  return out;
}

// A shorter answer where the budget holds no longer one; none where it would be too short.
void hold_to_budget(Rendered& out, const ModelCall& what, const Spent& spent) {
  if (what.free || what.token_budget == 0) {
    return;
  }
  const std::uint64_t input_tokens = text::estimate_tokens(out.messages).safe;
  const std::uint64_t left = what.token_budget > spent.tokens ? what.token_budget - spent.tokens : 0;
  const std::uint64_t least = std::max(what.output_tokens_min, out.output_tokens / 4);
  if (left < input_tokens + least) {
    out.reason = Reason::over_budget;
    out.refused = "budget_exceeded - job exceeded token budget (" + json::uint_text(what.token_budget) +
                  "): " + json::uint_text(spent.tokens) + " are spent, the next call takes at least " +
                  json::uint_text(input_tokens + least);
  } else {
    out.output_tokens = std::min(out.output_tokens, left - input_tokens);
  }
}

// The same for the window of the model, as far as the run knows it.
void hold_to_window(Rendered& out, const run::Run& run, const ModelCall& what) {
  const std::optional<std::uint64_t> window = window_of_phase(run, what.phase);
  if (!window || out.reason != Reason::none) {
    return;
  }
  const std::uint64_t input_tokens = estimate_of(out.messages).likely;
  const std::uint64_t least = std::max(what.output_tokens_min, out.output_tokens / 4);
  if (const auto output = answer_within(window, input_tokens, out.output_tokens, least)) {
    out.output_tokens = *output;
  } else {
    out.reason = Reason::over_window;
    out.refused = "window_exceeded - the call takes at least " + json::uint_text(input_tokens + least) +
                  " tokens, the window of the model has " + json::uint_text(*window);
  }
}

run::Data request_of(const ModelCall& what, const Rendered& rendered, std::uint64_t wait_ms = 0) {
  std::string request;
  json::Writer json(request);
  json.begin_object().member("phase", what.phase);
  if (!what.role.empty()) {
    json.member("role", what.role);
  }
  if (!what.provider.empty()) {
    json.member("provider", what.provider);
  }
  json.key("messages").raw(rendered.messages);
  if (!what.tools.empty()) {
    json.key("tools").raw(what.tools);
  }
  if (!what.contract.empty()) {
    json.member("contract", what.contract);
  }
  json.member("early_stop", what.early_stop);
  if (!rendered.temperature.empty()) {
    json.key("temperature").raw(what.bolder ? "0.7" : rendered.temperature);
  }
  json.member_uint("output_tokens_max", rendered.output_tokens);
  if (what.idle_ms > 0) {
    json.member_uint("idle_ms", what.idle_ms);
  }
  if (wait_ms > 0) {
    json.member_uint("wait_ms", wait_ms);
  }
  json.key("task").begin_object();
  if (what.task) {
    what.task(json);
  }
  json.end_object().end_object();
  return run::Data::written(std::move(request));
}

}  // namespace

Prompt pinned_prompt(const run::Run& run, std::string_view name) {
  const run::Data& text = run.pin(name);
  Result<Prompt> read = read_prompt(name, text.value().str(), name, {});
  PLUMB_REQUIRE(static_cast<bool>(read), "a run is pinned to prompts that were read before");
  return std::move(read).value();
}

namespace {

std::string derived_text(const contract::Contract& contract, const derive::Limits& limits) {
  Result<derive::Derived> derived = derive::derive(contract, derive::Target::prompt, limits);
  return derived ? std::move(derived.value().text) : "Answer with one JSON value and nothing else.";
}

}  // namespace

std::string shape_text(const contract::Contract& contract) { return derived_text(contract, {}); }

std::string whole_shape_text(const contract::Contract& contract) {
  derive::Limits limits;
  limits.all_members = true;
  return derived_text(contract, limits);
}

std::string outline_text(const contract::Contract& contract) {
  derive::Limits limits;
  limits.outline_only = true;
  return derived_text(contract, limits);
}

std::string strict_json(const contract::Contract& contract, std::string_view text) {
  repair::EditOptions edits;
  edits.level = contract::EditLevel::certain;
  edits.keep_text = true;
  repair::Check check(contract, {}, edits);
  (void)check.whole(text);
  std::string out = check.mended() ? check.text() : std::string(text);
  json::Arena arena;
  return json::parse(out, arena) ? out : std::string();
}

StrictAnswer strict_answer(const contract::Contract& contract, std::string_view text) {
  StrictAnswer out{strict_json(contract, text), {}};
  out.verdict = contract::check_text(contract, out.text.empty() ? text : std::string_view(out.text));
  return out;
}

run::Data model_request(const run::Run& run, const ModelCall& asked) {
  ModelCall what = asked;
  what.idle_ms = limits_of(run, what.phase, {what.idle_ms, 0}).idle_ms;
  Rendered rendered = render(run, what);
  hold_to_window(rendered, run, what);
  return request_of(what, rendered);
}

void Spent::add(const run::Reply& reply) { tokens += run::usage_of(reply.value.value()).tokens(); }

namespace {

// The text of an answer, or what it was instead.
void read_answer(const Value& value, Answer& out) {
  out.text = text_of(value, "text");
  out.at_limit = text_of(value, "finish") == "length";
  if (const Value* stopped = value.find("stopped")) {
    out.stopped = text_of(*stopped, "why");
  }
  if (!out.text.empty() || !json::list_of(value, "calls").empty()) {
    return;
  }
  const run::Usage usage = run::usage_of(value);
  const std::string tokens =
      value.find("usage") == nullptr ? std::string() : json::uint_text(usage.output_tokens) + " tokens";
  if (const std::string_view refusal = text_of(value, "refusal"); !refusal.empty()) {
    out.error = "the model refused: " + json::excerpt(refusal, 200);
  } else if (!text_of(value, "thinking").empty() || usage.reasoning_tokens > 0) {
    out.error = "the model's answer was only reasoning (" + tokens + ")";
    out.error += out.at_limit ? ": it reached its limit before it said anything; switch thinking off (think: false) or "
                                "choose another model"
                              : "";
  } else {
    out.error = out.at_limit ? "the model's answer reached its limit (" + tokens + ") before it said anything"
                             : "the model answered with nothing";
  }
}

// Whether the model or its provider's filter refused. If so, `out` gets the refusal as its error, and the text so far
// is not used as an answer.
bool is_refusal(const Value& value, Answer& out) {
  const std::string_view finish = text_of(value, "finish");
  const std::string_view refusal = text_of(value, "refusal");
  if (refusal.empty() && finish != "refusal" && finish != "content_filter") {
    return false;
  }
  out.refused = true;
  out.error = finish == "content_filter" ? "the provider's content filter stopped the answer" : "the model refused";
  out.error += refusal.empty() ? "" : ": " + json::excerpt(refusal, 200);
  return true;
}

// How long the provider asks to be left alone.
std::uint64_t asked_wait_ms(const run::Reply& reply) {
  return reply.value.is_null() ? 0 : number_of(reply.value.value(), "retry_after_ms");
}

}  // namespace

CallLimits limits_of(const run::Run& run, std::string_view phase, CallLimits usual) {
  const Value* limits = run.input().value().find("call_limits");
  const Value* own = limits == nullptr ? nullptr : limits->find(phase);
  if (own != nullptr) {
    json::read_members(*own, &usual, CallLimits::fields());
  }
  return usual;
}

std::span<const json::Field> CallLimits::fields() {
  static constexpr json::Field table[] = {json::field_if_set<&CallLimits::idle_ms>("idle_ms"),
                                          json::field_if_set<&CallLimits::total_ms>("total_ms")};
  return table;
}

std::span<const json::Field> RetryNote::fields() {
  static constexpr json::Field table[] = {json::field<&RetryNote::phase>("phase"),
                                          json::field<&RetryNote::error>("error"),
                                          json::field_if_set<&RetryNote::wait_ms>("wait_ms")};
  return table;
}

Answer call_model(run::Run& run, Spent& spent, const ModelCall& asked) {
  ModelCall what = asked;
  const CallLimits limits = limits_of(run, what.phase, {what.idle_ms, what.deadline_ms});
  what.idle_ms = limits.idle_ms;
  what.deadline_ms = limits.total_ms;
  std::uint64_t wait_ms = 0;
  std::string why;
  Answer out;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    run::Effect effect;
    effect.kind = run::EffectKind::model;
    effect.deadline_ms = what.deadline_ms == 0 ? 0 : what.deadline_ms + wait_ms;
    Rendered rendered;
    if (!run.asked_before()) {
      rendered = render(run, what);
      hold_to_budget(rendered, what, spent);
      hold_to_window(rendered, run, what);
      if (rendered.reason != Reason::none) {
        out.error = std::move(rendered.refused);
        out.reason = rendered.reason;
        return out;
      }
    }
    effect.request = [&] {
      if (rendered.messages.empty()) {
        rendered = render(run, what);
        hold_to_budget(rendered, what, spent);
        hold_to_window(rendered, run, what);
      }
      return request_of(what, rendered, wait_ms);
    };
    const run::Reply& reply = run.ask(effect);
    spent.add(reply);
    Checkpoint checkpoint = Checkpoint::none;
    if (!what.free) {
      Monitored about{what.phase, what.prompt, what.role, what.again || attempt > 1, what.checkpoints, what.only_noted};
      checkpoint = monitor_call(run, about, reply);
    }
    out = {};
    out.checkpoint = checkpoint;
    out.reply = &reply;
    out.tries = attempt;
    if (reply.ok()) {
      read_answer(reply.value.value(), out);
      if (what.says_why && !is_refusal(reply.value.value(), out) && out.at_limit && !out.error.empty()) {
        what.output_tokens_usual = 2 * output_tokens_of(pinned_prompt(run, what.prompt), what);
      }
    } else if (reply.status == run::Status::cancelled) {
      out.cancelled = true;
      out.error = "cancelled";
      return out;
    } else {
      out.outage = true;
      out.error = reply.status == run::Status::timed_out ? "timeout - LLM call exceeded time limit"
                                                         : "provider failed - " + reply.error;
    }
    if (out.error.empty()) {
      return out;
    }
    const Value* retryable = reply.value.is_null() ? nullptr : reply.value.value().find("retryable");
    const bool final = reply.status == run::Status::interrupted || (retryable != nullptr && !retryable->boolean);
    wait_ms = asked_wait_ms(reply);
    if (wait_ms > retry_wait_ms_max) {
      out.error += "; the provider asks to be left alone for " + json::uint_text((wait_ms + 999) / 1'000) +
                   " s, which is longer than a run waits: try again then";
    }
    if (attempt == 2 || final || wait_ms > retry_wait_ms_max) {
      return out;
    }
    run.emit("retry", run::Data::of(RetryNote{std::string(what.phase), out.error, wait_ms}));
    if (what.says_why && reply.ok()) {
      why = "Your last answer could not be used: " + out.error + ".\n" + (out.at_limit ? std::string(shorter) : "") +
            "Answer the request above.";
      what.feedback = why;
    }
  }
  return out;
}

}  // namespace plumb::pipelines
