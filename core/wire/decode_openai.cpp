// OpenAI's chat completions, as OpenAI and those who speak like it write them. Read leniently where servers differ:
// calls without an index or with one index for several ids, `choices` that are null, usage beside or after the finish
// reason, reasoning under either of its two names, the older `function_call`. Of several choices the first (index 0) is
// the answer.
#include "core/wire/reply_state.hpp"
#include "core/wire/usage_numbers.hpp"

namespace plumb::wire {

namespace {

using Block = ReplyState::Block;
using BlockKind = ReplyState::BlockKind;

void read_usage(const json::Value& event, ReplyState& state) {
  const json::Value* const usage = event.find("usage");
  if (usage == nullptr || !usage->is(json::Kind::object)) {
    return;
  }
  Usage read;
  if (tell_usage(Wire::openai, usage_numbers(*usage), read)) {
    state.set_usage(read);
  }
}

// The block of a call: by its index; a second id under an index is another call, and without an index an id begins one.
Block* call_block(const json::Value& call, const json::Value* function, ReplyState& state) {
  const std::string_view id = text_member(call, "id");
  std::uint64_t index = 0;
  Block* block = nullptr;
  if (uint_member(call, "index", index)) {
    block = state.find_block(index);
  } else {
    block = state.last_block();
    index = block == nullptr ? 0 : block->number + 1;
  }
  const bool another = block != nullptr && !id.empty() && state.reply().calls[block->call].id != id;
  if (block != nullptr && !another) {
    return block;
  }
  const std::string_view name = function == nullptr ? std::string_view() : text_member(*function, "name");
  const std::uint32_t place = state.begin_call(id, name);
  return state.failure() ? nullptr : state.add_block(index, BlockKind::call, place);
}

void read_call(const json::Value& call, ReplyState& state) {
  const json::Value* const function = call.find("function");
  const Block* const block = call_block(call, function, state);
  if (block == nullptr || function == nullptr) {
    return;
  }
  if (const json::Value* const arguments = function->find("arguments")) {
    if (arguments->is(json::Kind::string)) {
      state.add_arguments(block->call, arguments->str());
    } else if (arguments->is(json::Kind::object)) {
      state.add_arguments(block->call, *arguments);
    }
  }
}

// A delta of a stream or the message of a whole answer: the members are the same.
void read_message(const json::Value& message, ReplyState& state) {
  const std::string_view reasoning = text_member(message, "reasoning_content");
  state.add_text(DeltaKind::thinking, reasoning.empty() ? text_member(message, "reasoning") : reasoning);
  if (const json::Value* const content = message.find("content")) {
    state.add_text(DeltaKind::text, content->is(json::Kind::string) ? content->str() : std::string_view());
    for (const json::Value& part : content->array()) {
      if (text_member(part, "type") == "text") {
        state.add_text(DeltaKind::text, text_member(part, "text"));
      } else if (text_member(part, "type") == "refusal") {
        state.add_text(DeltaKind::refusal, text_member(part, "refusal"));
      }
    }
  }
  state.add_text(DeltaKind::refusal, text_member(message, "refusal"));
  if (const json::Value* const calls = message.find("tool_calls")) {
    for (const json::Value& call : calls->array()) {
      read_call(call, state);
    }
  }
  if (const json::Value* const function = message.find("function_call")) {
    const Block* block = state.last_block();
    if (block == nullptr && function->is(json::Kind::object)) {
      const std::uint32_t place = state.begin_call({}, text_member(*function, "name"));
      block = state.failure() ? nullptr : state.add_block(0, BlockKind::call, place);
    }
    if (block != nullptr) {
      state.add_arguments(block->call, text_member(*function, "arguments"));
    }
  }
}

void read_choice(const json::Value& choice, std::string_view message_name, ReplyState& state) {
  std::uint64_t index = 0;
  if (uint_member(choice, "index", index) && index != 0) {
    return;
  }
  const json::Value* const message = choice.find(message_name);
  if (message != nullptr && message->is(json::Kind::object)) {
    state.set_answered();
    read_message(*message, state);
  }
  const std::string_view finish = text_member(choice, "finish_reason");
  if (!finish.empty() && !state.failure()) {
    state.set_answered();
    state.set_finish(openai_finish(finish), finish);
  }
}

// True when the answer is an error.
bool read_error(std::string_view type, const json::Value& body, ReplyState& state) {
  const json::Value* const error = body.find("error");
  if (error != nullptr && !error->is(json::Kind::null)) {
    state.fail(failure_in(*error));
    return true;
  }
  if (type == "error" || text_member(body, "object") == "error") {
    state.fail(failure_in(body));
    return true;
  }
  return false;
}

void read_body(const json::Value& body, std::string_view message_name, ReplyState& state) {
  state.set_names(text_member(body, "id"), text_member(body, "model"));
  if (const json::Value* const choices = body.find("choices")) {
    for (const json::Value& choice : choices->array()) {
      read_choice(choice, message_name, state);
    }
  }
  if (!state.failure()) {
    read_usage(body, state);
  }
}

}  // namespace

Finish openai_finish(std::string_view word) {
  if (word == "stop") {
    return Finish::stop;
  }
  if (word == "length") {
    return Finish::length;
  }
  if (word == "tool_calls" || word == "function_call") {
    return Finish::tool_calls;
  }
  return word == "content_filter" ? Finish::content_filter : Finish::other;
}

void decode_openai_event(std::string_view type, const json::Value& event, ReplyState& state) {
  if (!event.is(json::Kind::object)) {
    state.fail(FailureClass::malformed, "An event of the provider's stream is no object");
    return;
  }
  if (!read_error(type, event, state)) {
    read_body(event, "delta", state);
  }
}

void decode_openai_reply(const json::Value& body, ReplyState& state) {
  if (read_error({}, body, state)) {
    return;
  }
  read_body(body, "message", state);
  if (!state.answered()) {
    state.fail(FailureClass::malformed, "The provider's answer has no choice with a message");
  }
  state.set_done();
}

}  // namespace plumb::wire
