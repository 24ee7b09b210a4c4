// OpenAI's chat completions, as OpenAI and those who speak like it write them. Read leniently where servers differ:
// calls without an index or with one index for several ids, `choices` that are null, usage beside or after the finish
// reason, reasoning under either of its two names, the older `function_call`. Of several choices the first (index 0) is
// the answer.
#include "core/ascii.hpp"
#include "core/wire/answer_rules.hpp"
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

bool is_whole_json(std::string_view text) {
  json::Arena arena;
  return static_cast<bool>(json::parse(text, arena));
}

// Whether a piece belongs to another call than the one that has begun where it is. Ids tell, where there are some; else
// another name, or the same one again with arguments that begin anew.
bool is_another(const json::Value& call, const json::Value* function, const ToolCall& begun) {
  const std::string_view id = text_member(call, "id");
  if (!id.empty() && !begun.id.empty()) {
    return id != begun.id;
  }
  const std::string_view name = function == nullptr ? std::string_view() : text_member(*function, "name");
  if (name.empty() || begun.name.empty()) {
    return !id.empty();
  }
  if (name != begun.name) {
    return true;
  }
  const json::Value* const arguments = function->find("arguments");
  const bool anew = arguments != nullptr && (arguments->is(json::Kind::object) ||
                                             ascii::trim_front(text_member(*function, "arguments")).starts_with('{'));
  return anew && is_whole_json(begun.arguments);
}

// The block of a piece of a call: by its index, else the last one.
Block* call_block(const json::Value& call, const json::Value* function, ReplyState& state) {
  const std::uint64_t index = block_number(state, call, "index", false);
  Block* const block = state.find_block(index);
  if (block != nullptr && !is_another(call, function, state.reply().calls[block->call])) {
    return block;
  }
  const std::string_view name = function == nullptr ? std::string_view() : text_member(*function, "name");
  const std::uint32_t place = state.begin_call(text_member(call, "id"), name);
  return state.failure() ? nullptr : state.add_block(index, BlockKind::call, place);
}

// In a whole answer each is a call of its own.
void read_call(const json::Value& call, bool whole, ReplyState& state) {
  const json::Value* const function = call.find("function");
  if (whole) {
    const std::string_view name = function == nullptr ? std::string_view() : text_member(*function, "name");
    const std::uint32_t place = state.begin_call(text_member(call, "id"), name);
    if (!state.failure() && function != nullptr) {
      add_call_arguments(state, place, function->find("arguments"));
    }
    return;
  }
  const Block* const block = call_block(call, function, state);
  if (block != nullptr && function != nullptr) {
    add_call_arguments(state, block->call, function->find("arguments"));
  }
}

// A delta of a stream or the message of a whole answer: the members are the same.
void read_message(const json::Value& message, bool whole, ReplyState& state) {
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
      read_call(call, whole, state);
    }
  }
  if (const json::Value* const function = message.find("function_call")) {
    const Block* block = state.last_block();
    if (state.reply().calls.empty() && function->is(json::Kind::object)) {
      const std::uint32_t place = state.begin_call({}, text_member(*function, "name"));
      block = state.failure() ? nullptr : state.add_block(0, BlockKind::call, place);
    }
    if (block != nullptr) {
      add_call_arguments(state, block->call, function->find("arguments"));
    }
  }
}

void read_choice(const json::Value& choice, bool whole, ReplyState& state) {
  std::uint64_t index = 0;
  if (uint_member(choice, "index", index) && index != 0) {
    return;
  }
  const json::Value* const message = choice.find(whole ? "message" : "delta");
  if (message != nullptr && message->is(json::Kind::object)) {
    state.set_answered();
    read_message(*message, whole, state);
  }
  const std::string_view finish = text_member(choice, "finish_reason");
  if (finish == "error") {
    take_error({}, choice, state);
    state.fail(FailureClass::server, "The provider ended its answer with an error");
  }
  if (!finish.empty() && finish != "null" && !state.failure()) {
    state.set_answered();
    state.set_finish(openai_finish(finish), finish);
  }
}

void read_body(const json::Value& body, bool whole, ReplyState& state) {
  state.set_names(text_member(body, "id"), text_member(body, "model"));
  if (const json::Value* const choices = body.find("choices")) {
    for (const json::Value& choice : choices->array()) {
      read_choice(choice, whole, state);
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
  if (!take_error(type, event, state)) {
    read_body(event, false, state);
  }
}

void decode_openai_reply(const json::Value& body, ReplyState& state) {
  if (take_error({}, body, state)) {
    return;
  }
  read_body(body, true, state);
  if (!state.answered()) {
    state.fail(FailureClass::malformed, "The provider's answer has no choice with a message");
  }
  end_answer(state);
}

}  // namespace plumb::wire
