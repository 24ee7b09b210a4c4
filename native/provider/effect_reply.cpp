#include "native/provider/effect_reply.hpp"

#include <algorithm>
#include <utility>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/tokens.hpp"
#include "core/wire/model_json.hpp"

namespace plumb::provider {

namespace {

std::uint64_t input_estimate(const wire::ModelRequest& request, bool safe = false) {
  const auto estimate = [safe, encoding = text::encoding_of_model(request.model)](std::string_view text) {
    const text::TokenEstimate tokens = text::estimate_tokens(text, encoding);
    return safe ? tokens.safe : tokens.likely;
  };
  std::uint64_t tokens = estimate(request.format.schema);
  for (const wire::Message& message : request.messages) {
    tokens += 4;  // what every message costs besides its text
    for (const wire::Part& part : message.content) {
      tokens += part.kind == wire::PartKind::text ? estimate(part.text) : 1'000;
    }
    for (const wire::ToolCall& call : message.calls) {
      tokens += estimate(call.arguments);
    }
  }
  for (const wire::Tool& tool : request.tools) {
    tokens += estimate(tool.description) + estimate(tool.parameters);
  }
  return tokens;
}

std::uint64_t output_estimate(const wire::ModelReply& reply, std::string_view model) {
  const auto estimate = [encoding = text::encoding_of_model(model)](std::string_view text) {
    return text::estimate_tokens(text, encoding).likely;
  };
  std::uint64_t tokens = estimate(reply.text) + estimate(reply.thinking) + estimate(reply.refusal);
  for (const wire::ToolCall& call : reply.calls) {
    tokens += estimate(call.name) + estimate(call.arguments);
  }
  return tokens;
}

void write_usage(json::Writer& json, const Spent& spent) {
  json.begin_object().member_uint("input_tokens", spent.usage.input_tokens);
  json.member_uint("output_tokens", spent.usage.output_tokens);
  if (spent.usage.cached_tokens != 0) {
    json.member_uint("cached_tokens", spent.usage.cached_tokens);
  }
  if (spent.usage.cache_written_tokens != 0) {
    json.member_uint("cache_written_tokens", spent.usage.cache_written_tokens);
  }
  if (spent.usage.reasoning_tokens != 0) {
    json.member_uint("reasoning_tokens", spent.usage.reasoning_tokens);
  }
  if (spent.estimated) {
    json.member_boolean("estimated", true);
  }
  json.end_object();
}

void write_content(json::Writer& json, const wire::ModelReply& reply) {
  if (!reply.refusal.empty()) {
    json.member("refusal", reply.refusal);
  }
  if (!reply.thinking.empty()) {
    json.member("thinking", reply.thinking);
  }
  if (!reply.calls.empty()) {
    json.key("calls").begin_array();
    for (const wire::ToolCall& call : reply.calls) {
      json.begin_object().member("id", call.id).member("name", call.name);
      json.member("arguments", call.arguments).end_object();
    }
    json.end_array();
  }
}

void write_how(json::Writer& json, const wire::ModelReply& reply, const Spent& spent, const Answered& how) {
  json.member("model", reply.model.empty() ? how.model : reply.model).member("provider", how.provider);
  json.key("usage");
  write_usage(json, spent);
  if (how.structured != Structured::none) {
    json.member("structured", structured_name(how.structured));
  }
  if (how.refused) {
    json.key("weakened").begin_object().member("from", structured_name(*how.refused));
    json.member("to", structured_name(how.structured)).member("setting", structured_setting(how)).end_object();
  }
  if (how.tries > 1) {
    json.member_uint("tries", how.tries);
  }
  if (how.temperature_left_out) {
    json.key("left_out").begin_array().string("temperature").end_array();
  }
  write_content(json, reply);
}

void write_stop(json::Writer& json, const Answered& how) {
  json.key("stopped").begin_object().member("why", how.stop->why).member("detail", how.stop->detail);
  if (!how.stop->rule.empty()) {
    json.member("rule", how.stop->rule).member("at", how.stop->at);
  }
  json.member_uint("decided_at", how.stop->decided_at).member_uint("received_bytes", how.received_bytes);
  if (how.saved_tokens) {
    json.member_uint("saved_tokens", *how.saved_tokens);
  }
  json.end_object();
}

}  // namespace

std::string structured_setting(const Answered& how) {
  return "providers." + how.provider + ".structured: " + std::string(structured_name(how.structured));
}

Result<EffectRequest> read_effect_request(const std::string& text) {
  EffectRequest request;
  const Result<json::Value> tree = json::parse(text, request.arena);
  if (!tree) {
    return tree.error();
  }
  request.tree = tree.value();
  Result<wire::ModelRequest> model = wire::read_model_request(request.tree);
  if (!model) {
    return model.error();
  }
  request.model = std::move(model).value();
  if (const json::Value* const contract = request.tree.find("contract")) {
    request.contract = contract->str();
  }
  if (const json::Value* const stop = request.tree.find("early_stop")) {
    if (stop->str() == "none") {
      request.early_stop = EarlyStop::none;
    } else if (stop->str() == "finding") {
      request.early_stop = EarlyStop::finding;
    } else if (stop->str() != "degenerate") {
      return Error{ErrorCode::invalid_argument, "early_stop is none, degenerate or finding", "/early_stop", 0, 0};
    }
  }
  for (const auto& [name, into] : {std::pair{"idle_ms", &request.idle_ms}, std::pair{"wait_ms", &request.wait_ms}}) {
    if (const json::Value* const found = request.tree.find(name); found != nullptr && found->is(json::Kind::number)) {
      json::read_uint(found->str(), *into);
    }
  }
  const json::Value* const task = request.tree.find("task");
  request.task = task != nullptr && task->is(json::Kind::object) ? task : nullptr;
  return request;
}

std::uint64_t input_estimate_safe(const wire::ModelRequest& request) { return input_estimate(request, true); }

Spent spent(const wire::ModelRequest& request, const wire::ModelReply& reply, Ending ending) {
  Spent out;
  out.usage = reply.usage;
  const std::uint64_t delivered = output_estimate(reply, request.model);
  const bool nothing = ending == Ending::refused && delivered == 0;
  if (nothing || (reply.usage.known && ending == Ending::whole)) {
    return out;
  }
  out.estimated = true;
  if (!reply.usage.known || reply.usage.input_tokens == 0) {
    out.usage.input_tokens = input_estimate(request);
  }
  out.usage.output_tokens = std::max(out.usage.output_tokens, delivered);
  return out;
}

std::string usage_json(const Spent& spent) {
  std::string text;
  json::Writer json(text);
  write_usage(json, spent);
  return text;
}

run::Reply ok_reply(const wire::ModelReply& reply, const Spent& spent, const Answered& how) {
  std::string text;
  json::Writer json(text);
  json.begin_object().member("text", reply.text);
  json.member("finish", how.stop ? std::string_view("stopped") : wire::finish_name(reply.finish));
  write_how(json, reply, spent, how);
  if (how.stop) {
    write_stop(json, how);
  }
  json.end_object();
  return {run::Status::ok, run::Data::written(std::move(text)), ""};
}

run::Reply failed_reply(run::Status status, const wire::Failure& failure, const wire::ModelReply& reply,
                        const Spent& spent, const Answered& how) {
  std::string text;
  json::Writer json(text);
  json.begin_object().member("class", wire::failure_class_name(failure.failure_class));
  json.member_boolean("retryable", failure.retryable).key("status").integer(failure.status);
  if (!failure.code.empty()) {
    json.member("code", failure.code);
  }
  if (failure.retry_after_ms) {
    json.member_uint("retry_after_ms", *failure.retry_after_ms);
  }
  if (!reply.text.empty()) {
    json.member("text", reply.text);
  }
  write_how(json, reply, spent, how);
  json.end_object();
  const std::string who = how.model.empty() ? how.provider : how.provider + "/" + how.model;
  std::string message = who + ": " + failure.message;
  if (how.refused) {
    message += " (structured output was '" + std::string(structured_name(*how.refused)) + "', then '" +
               std::string(structured_name(how.structured)) + "'; if the server takes neither, set providers." +
               how.provider + ".structured: none in plumb.yaml)";
  }
  return {status, run::Data::written(std::move(text)), std::move(message)};
}

run::Reply refused_reply(run::Status status, wire::FailureClass failure_class, std::string_view message) {
  const wire::Failure failure = wire::make_failure(failure_class, message);
  std::string text;
  json::Writer json(text);
  json.begin_object().member("class", wire::failure_class_name(failure_class));
  json.member_boolean("retryable", failure.retryable).member_uint("status", 0).end_object();
  return {status, run::Data::written(std::move(text)), failure.message};
}

}  // namespace plumb::provider
