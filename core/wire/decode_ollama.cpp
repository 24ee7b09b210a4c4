// Ollama's chat: a line of a stream and a whole answer have the same members. Tool calls come whole, their arguments as
// an object; the reason for a stop does not tell that there were some.
#include "core/json/writer.hpp"
#include "core/wire/answer_rules.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/usage_numbers.hpp"

namespace plumb::wire {

namespace {

// The answer as the arguments of the tool that stands for it; some servers write them as a text.
void add_answer(ReplyState& state, const json::Value* arguments) {
  if (arguments != nullptr) {
    const bool text = arguments->is(json::Kind::string);
    state.add_text(DeltaKind::text, text ? arguments->str() : state.arena().copy(json::value_text(*arguments)));
  }
}

void read_message(const json::Value& message, ReplyState& state) {
  state.add_text(DeltaKind::thinking, text_member(message, "thinking"));
  state.add_text(DeltaKind::text, text_member(message, "content"));
  const json::Value* const calls = message.find("tool_calls");
  if (calls == nullptr) {
    return;
  }
  for (const json::Value& call : calls->array()) {
    const json::Value* const function = call.find("function");
    if (function == nullptr || state.failure()) {
      continue;
    }
    const std::string_view name = text_member(*function, "name");
    if (!state.structured_tool().empty() && name == state.structured_tool()) {
      add_answer(state, function->find("arguments"));
      continue;
    }
    const std::uint32_t place = state.begin_call(text_member(call, "id"), name);
    if (!state.failure()) {
      add_call_arguments(state, place, function->find("arguments"));
    }
  }
}

}  // namespace

Finish ollama_finish(std::string_view word) {
  if (word.empty() || word == "stop") {
    return Finish::stop;
  }
  return word == "length" ? Finish::length : Finish::other;
}

void decode_ollama_line(const json::Value& line, ReplyState& state) {
  if (take_error({}, line, state)) {
    return;
  }
  const json::Value* const message = line.find("message");
  const json::Value* const done = line.find("done");
  const bool last = done != nullptr && done->is(json::Kind::boolean) && done->boolean;
  if ((message == nullptr || !message->is(json::Kind::object)) && !last) {
    return;
  }
  state.set_answered();
  state.set_names({}, text_member(line, "model"));
  if (message != nullptr) {
    read_message(*message, state);
  }
  if (!last || state.failure()) {
    return;
  }
  const std::string_view word = text_member(line, "done_reason");
  state.set_finish(ollama_finish(word), word);
  Usage usage;
  if (tell_usage(Wire::ollama, usage_numbers(line), usage)) {
    state.set_usage(usage);
  }
  end_answer(state);
}

}  // namespace plumb::wire
