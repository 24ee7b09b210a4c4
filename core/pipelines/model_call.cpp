#include "core/pipelines/model_call.hpp"

#include <algorithm>

#include "core/contract/contract.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/require.hpp"
#include "core/text/tokens.hpp"

namespace plumb::pipelines {

namespace {

using json::Kind;
using json::Value;

// Of an answer whose prompt does not say.
constexpr std::uint64_t output_tokens_usual = 2'000;

std::string_view text_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  return found != nullptr && found->is(Kind::string) ? found->str() : std::string_view();
}

std::uint64_t number_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  std::uint64_t number = 0;
  return found != nullptr && found->is(Kind::number) && json::read_uint(found->str(), number) ? number : 0;
}

Error none_of_this_name() {
  Error error;
  error.code = ErrorCode::not_found;
  error.message = "there is none of this name";
  return error;
}

struct Rendered {
  std::string messages;  // JSON
  std::uint64_t output_tokens = 0;
  std::string over_budget;  // why the call is not made
};

Rendered render(const ModelCall& what, const Spent& spent) {
  Rendered out;
  std::string variables;
  json::Writer writer(variables);
  writer.begin_object();
  what.variables(writer);
  writer.end_object();
  json::Arena arena;
  const Result<Value> values = json::parse(variables, arena);
  PLUMB_REQUIRE(static_cast<bool>(values), "variables are written as JSON");
  const Prompt& prompt = *what.prompt;
  out.messages = messages_json(prompt, values.value());
  out.output_tokens =
      std::max(prompt.output_tokens_max > 0 ? prompt.output_tokens_max : output_tokens_usual, what.output_tokens_min);
  if (what.free) {
    return out;
  }
  const std::uint64_t input_tokens = text::estimate_tokens(out.messages).safe;
  const std::uint64_t left = what.token_budget > spent.tokens ? what.token_budget - spent.tokens : 0;
  const std::uint64_t least = std::max(what.output_tokens_min, out.output_tokens / 4);
  if (left < input_tokens + least) {
    out.over_budget = "budget_exceeded - job exceeded token budget (" + json::uint_text(what.token_budget) +
                      "): " + json::uint_text(spent.tokens) + " are spent, the next call takes at least " +
                      json::uint_text(input_tokens + least);
  } else {
    out.output_tokens = std::min(out.output_tokens, left - input_tokens);
  }
  return out;
}

run::Data request_of(const ModelCall& what, const Rendered& rendered) {
  std::string request;
  json::Writer json(request);
  json.begin_object().member("phase", what.phase);
  if (!what.role.empty()) {
    json.member("role", what.role);
  }
  json.key("messages").raw(rendered.messages);
  json.member("contract", what.contract).member("early_stop", what.early_stop);
  if (!what.prompt->temperature.empty()) {
    json.key("temperature").raw(what.bolder ? "0.7" : what.prompt->temperature);
  }
  json.member_uint("output_tokens_max", rendered.output_tokens);
  json.key("task").begin_object();
  what.task(json);
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

void Spent::add(const run::Reply& reply) {
  const Value* usage = reply.value.is_null() ? nullptr : reply.value.value().find("usage");
  if (usage != nullptr) {
    tokens += number_of(*usage, "input_tokens") + number_of(*usage, "output_tokens");
  }
}

Answer call_model(run::Run& run, Spent& spent, const ModelCall& what) {
  Answer out;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    run::Effect effect;
    effect.kind = run::EffectKind::model;
    effect.deadline_ms = what.deadline_ms;
    Rendered rendered;
    if (!run.asked_before()) {
      rendered = render(what, spent);
      if (!rendered.over_budget.empty()) {
        out.error = std::move(rendered.over_budget);
        return out;
      }
    }
    effect.request = [&] {
      if (rendered.messages.empty()) {
        rendered = render(what, spent);
      }
      return request_of(what, rendered);
    };
    const run::Reply& reply = run.ask(std::move(effect));
    spent.add(reply);
    out.reply = &reply;
    if (reply.ok()) {
      const Value& value = reply.value.value();
      out.text = text_of(value, "text");
      if (const Value* stopped = value.find("stopped")) {
        out.stopped = text_of(*stopped, "why");
      }
      out.error = out.text.empty() ? "the model answered with nothing" : "";
    } else if (reply.status == run::Status::cancelled) {
      out.cancelled = true;
      out.error = "cancelled";
      return out;
    } else {
      out.error = reply.status == run::Status::timed_out ? "timeout - LLM call exceeded time limit"
                                                         : "provider failed - " + reply.error;
    }
    if (out.error.empty()) {
      return out;
    }
    const Value* retryable = reply.value.is_null() ? nullptr : reply.value.value().find("retryable");
    const bool final = reply.status == run::Status::interrupted || (retryable != nullptr && !retryable->boolean);
    if (attempt == 2 || final) {
      return out;
    }
    std::string note;
    json::Writer(note).begin_object().member("phase", what.phase).member("error", out.error).end_object();
    run.emit("retry", run::Data::written(std::move(note)));
  }
  return out;
}

Result<std::string> contract_text(const Texts& texts, std::string_view name) {
  if (texts.contract) {
    return texts.contract(name);
  }
  if (const contract::BuiltIn* built_in = contract::built_in_contract(name)) {
    return std::string(built_in->text);
  }
  return none_of_this_name();
}

Result<std::string> prompt_text(const Texts& texts, std::string_view name) {
  if (texts.prompt) {
    Result<std::string> own = texts.prompt(name);
    if (own || own.error().code != ErrorCode::not_found) {
      return own;
    }
  }
  if (const BuiltInPrompt* built_in = built_in_prompt(name)) {
    return std::string(built_in->text);
  }
  return none_of_this_name();
}

}  // namespace plumb::pipelines
