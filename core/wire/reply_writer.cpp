#include "core/wire/reply_writer.hpp"

#include <utility>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/require.hpp"
#include "core/wire/sse.hpp"

namespace plumb::wire {

namespace {

// A refusal without a text of its own (Anthropic's) must not look like any other end.
std::string_view openai_finish(const ModelReply& reply) {
  switch (reply.finish) {
    case Finish::length:
      return "length";
    case Finish::tool_calls:
      return "tool_calls";
    case Finish::content_filter:
      return "content_filter";
    case Finish::refusal:
      return reply.refusal.empty() ? "content_filter" : "stop";
    case Finish::none:
    case Finish::stop:
    case Finish::other:
      break;
  }
  return "stop";
}

std::string_view anthropic_finish(Finish finish) {
  switch (finish) {
    case Finish::length:
      return "max_tokens";
    case Finish::tool_calls:
      return "tool_use";
    case Finish::refusal:
    case Finish::content_filter:
      return "refusal";
    case Finish::none:
    case Finish::stop:
    case Finish::other:
      break;
  }
  return "end_turn";
}

std::string call_id(std::string_view id, std::uint32_t index) {
  std::string out(id);
  if (out.empty()) {
    out = "call_";
    json::append_uint(out, index);
  }
  return out;
}

void write_openai_usage(json::Writer& json, const Usage& usage) {
  json.key("usage").begin_object().member_uint("prompt_tokens", usage.input_tokens);
  json.member_uint("completion_tokens", usage.output_tokens);
  json.member_uint("total_tokens", usage.input_tokens + usage.output_tokens);
  json.key("prompt_tokens_details").begin_object().member_uint("cached_tokens", usage.cached_tokens).end_object();
  json.key("completion_tokens_details").begin_object();
  json.member_uint("reasoning_tokens", usage.reasoning_tokens).end_object().end_object();
}

void write_anthropic_usage(json::Writer& json, const Usage& usage) {
  json.key("usage").begin_object();
  json.member_uint("input_tokens", usage.input_tokens - usage.cached_tokens - usage.cache_written_tokens);
  json.member_uint("cache_creation_input_tokens", usage.cache_written_tokens);
  json.member_uint("cache_read_input_tokens", usage.cached_tokens);
  json.member_uint("output_tokens", usage.output_tokens).end_object();
}

void write_openai_head(json::Writer& json, std::string_view object, const ReplyHead& head) {
  json.member("id", head.id).member("object", object).member_uint("created", head.created_s);
  json.member("model", head.model);
}

void write_plumb(json::Writer& json, std::string_view plumb) {
  if (!plumb.empty()) {
    json.key("plumb").raw(plumb);
  }
}

void write_openai_reply(json::Writer& json, const ModelReply& reply, const ReplyHead& head, std::string_view plumb) {
  json.begin_object();
  write_openai_head(json, "chat.completion", head);
  json.key("choices").begin_array().begin_object().member_uint("index", 0).key("message").begin_object();
  json.member("role", "assistant").key("content");
  if (reply.text.empty() && (!reply.calls.empty() || !reply.refusal.empty())) {
    json.null();
  } else {
    json.string(reply.text);
  }
  json.key("refusal");
  if (reply.refusal.empty()) {
    json.null();
  } else {
    json.string(reply.refusal);
  }
  if (!reply.thinking.empty()) {
    json.member("reasoning_content", reply.thinking);
  }
  if (!reply.calls.empty()) {
    json.key("tool_calls").begin_array();
    for (std::size_t i = 0; i < reply.calls.size(); ++i) {
      const ToolCall& call = reply.calls[i];
      json.begin_object().member("id", call_id(call.id, static_cast<std::uint32_t>(i))).member("type", "function");
      json.key("function").begin_object().member("name", call.name).member("arguments", call.arguments);
      json.end_object().end_object();
    }
    json.end_array();
  }
  json.end_object().key("logprobs").null().member("finish_reason", openai_finish(reply)).end_object().end_array();
  if (reply.usage.known) {
    write_openai_usage(json, reply.usage);
  }
  write_plumb(json, plumb);
  json.end_object();
}

Result<bool> write_anthropic_calls(json::Writer& json, const ModelReply& reply) {
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    const ToolCall& call = reply.calls[i];
    const Result<std::string_view> arguments = object_arguments(reply, call);
    if (!arguments) {
      return arguments.error();
    }
    json.begin_object().member("type", "tool_use").member("id", call_id(call.id, static_cast<std::uint32_t>(i)));
    json.member("name", call.name).key("input").raw(arguments.value()).end_object();
  }
  return true;
}

Result<bool> write_anthropic_reply(json::Writer& json, const ModelReply& reply, const ReplyHead& head,
                                   std::string_view plumb) {
  json.begin_object().member("id", head.id).member("type", "message").member("role", "assistant");
  json.member("model", head.model).key("content").begin_array();
  if (!reply.thinking.empty()) {
    json.begin_object().member("type", "thinking").member("thinking", reply.thinking).member("signature", "");
    json.end_object();
  }
  for (const std::string* const text : {&reply.text, &reply.refusal}) {
    if (!text->empty()) {
      json.begin_object().member("type", "text").member("text", *text).end_object();
    }
  }
  const Result<bool> calls = write_anthropic_calls(json, reply);
  if (!calls) {
    return calls.error();
  }
  json.end_array().member("stop_reason", anthropic_finish(reply.finish)).key("stop_sequence").null();
  write_anthropic_usage(json, reply.usage);
  write_plumb(json, plumb);
  json.end_object();
  return true;
}

// A chunk without choices.
void openai_note(std::string& out, const ReplyHead& head, const Usage* usage, std::string_view plumb) {
  std::string chunk;
  json::Writer json(chunk);
  json.begin_object();
  write_openai_head(json, "chat.completion.chunk", head);
  json.key("choices").begin_array().end_array();
  if (usage != nullptr) {
    write_openai_usage(json, *usage);
  }
  write_plumb(json, plumb);
  json.end_object();
  append_sse(out, chunk);
}

}  // namespace

void append_plumb_note(std::string& out, Wire wire, const ReplyHead& head, std::string_view plumb) {
  if (plumb.empty()) {
    return;
  }
  if (!head.plumb_events) {
    out.append(": plumb ").append(plumb).append("\n\n");
  } else if (wire == Wire::openai) {
    openai_note(out, head, nullptr, plumb);
  } else {
    std::string event;
    json::Writer json(event);
    const std::string_view type = wire == Wire::responses ? "response.plumb" : "plumb";
    json.begin_object().member("type", type).key("plumb").raw(plumb).end_object();
    append_sse(out, event, type);
  }
}

Result<std::string_view> object_arguments(const ModelReply& reply, const ToolCall& call) {
  constexpr std::string_view none = "{}";
  json::Arena arena;
  const Result<json::Value> value = json::parse(call.arguments, arena);
  if (value && value.value().is(json::Kind::object)) {
    return std::string_view(call.arguments);
  }
  if (call.arguments.empty() || reply.finish == Finish::length || reply.finish == Finish::content_filter) {
    return none;
  }
  std::string message = "The arguments of the call of ";
  json::append_string(message, json::excerpt(call.name, 60));
  return Error{ErrorCode::invalid_argument, message + " are no JSON object", "", 0, 0};
}

Result<bool> can_be_written(Wire wire, const ModelReply& reply) {
  if (wire == Wire::anthropic || wire == Wire::ollama) {
    for (const ToolCall& call : reply.calls) {
      if (const Result<std::string_view> arguments = object_arguments(reply, call); !arguments) {
        return arguments.error();
      }
    }
  }
  return true;
}

Result<bool> append_reply(std::string& out, Wire wire, const ModelReply& reply, const ReplyHead& head,
                          std::string_view plumb) {
  const std::size_t before = out.size();
  json::Writer json(out);
  if (wire == Wire::openai) {
    write_openai_reply(json, reply, head, plumb);
    return true;
  }
  if (wire == Wire::responses) {
    ResponseEvents(head).whole(out, reply, plumb);
    return true;
  }
  Result<bool> written = wire == Wire::ollama ? append_ollama_reply(out, reply, head, plumb)
                                              : write_anthropic_reply(json, reply, head, plumb);
  if (!written) {
    out.resize(before);
  }
  return written;
}

StreamWriter::StreamWriter(Wire wire, ReplyHead head) : wire_(wire), head_(std::move(head)) {
  if (wire_ == Wire::responses) {
    responses_.emplace(head_);
  }
}

// `delta` is JSON; `finish` is empty before the end.
void StreamWriter::openai_chunk(std::string& out, std::string_view delta, std::string_view finish) {
  std::string chunk;
  json::Writer json(chunk);
  json.begin_object();
  write_openai_head(json, "chat.completion.chunk", head_);
  json.key("choices").begin_array().begin_object().member_uint("index", 0).key("delta").raw(delta);
  json.key("logprobs").null().key("finish_reason");
  if (finish.empty()) {
    json.null();
  } else {
    json.string(finish);
  }
  json.end_object().end_array().end_object();
  append_sse(out, chunk);
}

void StreamWriter::begin(std::string& out) {
  if (wire_ == Wire::ollama) {
    return;
  }
  if (responses_) {
    responses_->begin(out);
    return;
  }
  if (wire_ == Wire::openai) {
    openai_chunk(out, R"({"role":"assistant","content":""})", {});
    return;
  }
  std::string event;
  json::Writer json(event);
  json.begin_object().member("type", "message_start").key("message").begin_object().member("id", head_.id);
  json.member("type", "message").member("role", "assistant").member("model", head_.model);
  json.key("content").begin_array().end_array().key("stop_reason").null().key("stop_sequence").null();
  json.key("usage").begin_object().member_uint("input_tokens", head_.input_tokens).member_uint("output_tokens", 1);
  json.end_object().end_object().end_object();
  append_sse(out, event, "message_start");
}

void StreamWriter::delta(std::string& out, const ModelDelta& delta) {
  if (delta.kind == DeltaKind::finish || delta.kind == DeltaKind::usage) {
    return;
  }
  if (responses_) {
    responses_->delta(out, delta);
    return;
  }
  if (delta.kind == DeltaKind::other) {
    return;
  }
  if (wire_ == Wire::ollama) {
    append_ollama_delta(out, delta, head_);
  } else if (wire_ == Wire::openai) {
    openai_delta(out, delta);
  } else {
    anthropic_delta(out, delta);
  }
}

void StreamWriter::openai_delta(std::string& out, const ModelDelta& delta) {
  std::string text;
  json::Writer json(text);
  json.begin_object();
  if (delta.kind == DeltaKind::call_begin || delta.kind == DeltaKind::call_arguments) {
    json.key("tool_calls").begin_array().begin_object().member_uint("index", delta.index);
    if (delta.kind == DeltaKind::call_begin) {
      json.member("id", call_id(delta.id, delta.index)).member("type", "function");
    }
    json.key("function").begin_object();
    if (delta.kind == DeltaKind::call_begin) {
      json.member("name", delta.name);
    }
    json.member("arguments", delta.text).end_object().end_object().end_array();
  } else {
    json.member(delta.kind == DeltaKind::text       ? "content"
                : delta.kind == DeltaKind::thinking ? "reasoning_content"
                                                    : "refusal",
                delta.text);
  }
  json.end_object();
  openai_chunk(out, text, {});
}

void StreamWriter::anthropic_block(std::string& out, std::string_view block) {
  std::string event;
  json::Writer json(event);
  json.begin_object().member("type", "content_block_start").member_uint("index", blocks_);
  json.key("content_block").raw(block).end_object();
  append_sse(out, event, "content_block_start");
  ++blocks_;
}

void StreamWriter::anthropic_piece(std::string& out, std::uint32_t number, std::string_view type, std::string_view name,
                                   std::string_view text) {
  std::string event;
  json::Writer json(event);
  json.begin_object().member("type", "content_block_delta").member_uint("index", number);
  json.key("delta").begin_object().member("type", type).member(name, text).end_object().end_object();
  append_sse(out, event, "content_block_delta");
}

void StreamWriter::anthropic_stop(std::string& out, std::uint32_t number) {
  std::string event;
  json::Writer json(event);
  json.begin_object().member("type", "content_block_stop").member_uint("index", number).end_object();
  append_sse(out, event, "content_block_stop");
}

void StreamWriter::anthropic_text(std::string& out, const ModelDelta& delta) {
  const bool thinking = delta.kind == DeltaKind::thinking;
  if (text_open_ && (text_kind_ == DeltaKind::thinking) != thinking) {
    anthropic_stop(out, blocks_ - 1);
    text_open_ = false;
  }
  if (!text_open_) {
    anthropic_block(out,
                    thinking ? R"({"type":"thinking","thinking":"","signature":""})" : R"({"type":"text","text":""})");
    text_open_ = true;
    text_kind_ = delta.kind;
  }
  anthropic_piece(out, blocks_ - 1, thinking ? "thinking_delta" : "text_delta", thinking ? "thinking" : "text",
                  delta.text);
}

void StreamWriter::anthropic_delta(std::string& out, const ModelDelta& delta) {
  if (delta.kind == DeltaKind::call_begin) {
    if (text_open_) {
      anthropic_stop(out, blocks_ - 1);
      text_open_ = false;
    }
    call_blocks_.push_back(blocks_);
    std::string block;
    json::Writer json(block);
    json.begin_object().member("type", "tool_use").member("id", call_id(delta.id, delta.index));
    json.member("name", delta.name).key("input").begin_object().end_object().end_object();
    anthropic_block(out, block);
  } else if (delta.kind == DeltaKind::call_arguments) {
    PLUMB_REQUIRE(delta.index < call_blocks_.size(), "a call begins before its arguments");
    anthropic_piece(out, call_blocks_[delta.index], "input_json_delta", "partial_json", delta.text);
  } else {
    anthropic_text(out, delta);
  }
}

void StreamWriter::end(std::string& out, const ModelReply& reply, std::string_view plumb) {
  if (const Result<bool> can = can_be_written(wire_, reply); !can) {
    fail(out, make_failure(FailureClass::malformed, can.error().message), plumb);
    return;
  }
  if (responses_) {
    responses_->end(out, reply, plumb);
    return;
  }
  if (wire_ == Wire::ollama) {
    append_ollama_end(out, reply, head_, plumb);
    return;
  }
  if (wire_ == Wire::openai) {
    openai_chunk(out, "{}", openai_finish(reply));
    if (head_.usage && reply.usage.known) {
      openai_note(out, head_, &reply.usage, {});
    }
    append_plumb_note(out, wire_, head_, plumb);
    append_sse(out, "[DONE]");
    return;
  }
  if (text_open_) {
    anthropic_stop(out, blocks_ - 1);
    text_open_ = false;
  }
  for (const std::uint32_t block : call_blocks_) {
    anthropic_stop(out, block);
  }
  std::string event;
  json::Writer json(event);
  json.begin_object().member("type", "message_delta").key("delta").begin_object();
  json.member("stop_reason", anthropic_finish(reply.finish)).key("stop_sequence").null().end_object();
  Usage usage = reply.usage;
  if (!usage.known) {
    usage.input_tokens = head_.input_tokens;
  }
  write_anthropic_usage(json, usage);
  json.end_object();
  append_sse(out, event, "message_delta");
  append_plumb_note(out, wire_, head_, plumb);
  append_sse(out, R"({"type":"message_stop"})", "message_stop");
}

void StreamWriter::fail(std::string& out, const Failure& failure, std::string_view plumb) {
  if (responses_) {
    responses_->fail(out, failure, plumb);
    return;
  }
  std::string event;
  append_failure(event, wire_, failure, plumb);
  if (wire_ == Wire::ollama) {
    out += event + '\n';
    return;
  }
  append_sse(out, event, wire_ == Wire::anthropic ? "error" : "");
}

}  // namespace plumb::wire
