// Anthropic's messages. Content blocks are numbered; those that are no text, thinking or tool use (searches of the
// server, redacted thinking) are passed over, and so are events and deltas that are not known here, as its
// documentation asks for.
//
// Where a structured answer was asked for by forcing a tool, the input of that tool is the answer's text.
#include "core/json/writer.hpp"
#include "core/wire/answer_rules.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/usage_numbers.hpp"

namespace plumb::wire {

namespace {

using Block = ReplyState::Block;
using BlockKind = ReplyState::BlockKind;

// Counts are of the whole message so far; what is not told again stays.
void read_usage(const json::Value& holder, ReplyState& state) {
  const json::Value* const told = holder.find("usage");
  if (told == nullptr || !told->is(json::Kind::object)) {
    return;
  }
  Usage usage = state.reply().usage;
  if (tell_usage(Wire::anthropic, usage_numbers(*told), usage)) {
    state.set_usage(usage);
  }
}

// A block as it begins; `whole`: as it is.
void read_block(const json::Value& content, std::uint64_t number, bool whole, ReplyState& state) {
  const std::string_view type = text_member(content, "type");
  if (type == "text") {
    state.add_block(number, BlockKind::text);
    state.add_text(DeltaKind::text, text_member(content, "text"));
  } else if (type == "thinking") {
    state.add_block(number, BlockKind::thinking);
    state.add_text(DeltaKind::thinking, text_member(content, "thinking"));
  } else if (type == "tool_use") {
    const std::string_view name = text_member(content, "name");
    const bool structured = !state.structured_tool().empty() && name == state.structured_tool();
    const std::uint32_t place = structured ? 0 : state.begin_call(text_member(content, "id"), name);
    Block* const block = state.failure()
                             ? nullptr
                             : state.add_block(number, structured ? BlockKind::structured : BlockKind::call, place);
    const json::Value* const input = content.find("input");
    // In a stream the input begins as {} and comes in pieces.
    const bool empty = input == nullptr || input->is(json::Kind::null) ||
                       (!whole && input->is(json::Kind::object) && input->object().empty());
    if (block == nullptr || empty) {
      return;
    }
    block->any = true;
    if (structured) {
      state.add_text(DeltaKind::text, state.arena().copy(json::value_text(*input)));
    } else {
      add_call_arguments(state, place, input);
    }
  } else {
    state.add_block(number, BlockKind::ignored);
  }
}

void read_delta(const json::Value& event, ReplyState& state) {
  const json::Value* const delta = event.find("delta");
  Block* const block = state.find_block(block_number(state, event, "index", false));
  if (delta == nullptr || block == nullptr) {
    state.fail(FailureClass::malformed, "A content_block_delta names no block that has begun");
    return;
  }
  const std::string_view type = text_member(*delta, "type");
  if (type == "text_delta" && block->kind == BlockKind::text) {
    state.add_text(DeltaKind::text, text_member(*delta, "text"));
  } else if (type == "thinking_delta" && block->kind == BlockKind::thinking) {
    state.add_text(DeltaKind::thinking, text_member(*delta, "thinking"));
  } else if (type == "input_json_delta") {
    const std::string_view piece = text_member(*delta, "partial_json");
    block->any = block->any || !piece.empty();
    if (block->kind == BlockKind::structured) {
      state.add_text(DeltaKind::text, piece);
    } else if (block->kind == BlockKind::call) {
      state.add_arguments(block->call, piece);
    }
  }
}

// An answer by a tool without input tells nothing between its beginning and its end.
void read_block_stop(const json::Value& event, ReplyState& state) {
  Block* const block = state.find_block(block_number(state, event, "index", false));
  if (block != nullptr && block->kind == BlockKind::structured && !block->any) {
    block->any = true;
    state.add_text(DeltaKind::text, "{}");
  }
}

void read_stop(const json::Value& holder, ReplyState& state) {
  const std::string_view word = text_member(holder, "stop_reason");
  if (!word.empty() && !state.failure()) {
    state.set_finish(anthropic_finish(word), word);
  }
}

}  // namespace

Finish anthropic_finish(std::string_view word) {
  if (word == "end_turn" || word == "stop_sequence") {
    return Finish::stop;
  }
  if (word == "max_tokens" || word == "model_context_window_exceeded") {
    return Finish::length;
  }
  if (word == "tool_use") {
    return Finish::tool_calls;
  }
  return word == "refusal" ? Finish::refusal : Finish::other;
}

void decode_anthropic_event(std::string_view type, const json::Value& event, ReplyState& state) {
  if (take_error(type, event, state)) {
    return;
  }
  const std::string_view told = text_member(event, "type");
  type = told.empty() ? type : told;
  if (type == "message_start") {
    if (const json::Value* const message = event.find("message")) {
      state.set_answered();
      state.set_names(text_member(*message, "id"), text_member(*message, "model"));
      read_usage(*message, state);
    }
  } else if (type == "content_block_start") {
    const std::uint64_t number = block_number(state, event, "index", true);
    const json::Value* const content = event.find("content_block");
    if (content == nullptr || state.find_block(number) != nullptr) {
      state.fail(FailureClass::malformed, "A content_block_start has no block, or the index of another one");
      return;
    }
    read_block(*content, number, false, state);
  } else if (type == "content_block_delta") {
    read_delta(event, state);
  } else if (type == "content_block_stop") {
    read_block_stop(event, state);
  } else if (type == "message_delta") {
    if (const json::Value* const delta = event.find("delta")) {
      read_stop(*delta, state);
    }
    read_usage(event, state);
  } else if (type == "message_stop") {
    if (!state.answered()) {
      state.fail(FailureClass::malformed, "The provider's stream has no message_start");
    }
    end_answer(state);
  }
}

void decode_anthropic_reply(const json::Value& body, ReplyState& state) {
  if (take_error({}, body, state)) {
    return;
  }
  const json::Value* const content = body.find("content");
  if (content == nullptr || !content->is(json::Kind::array)) {
    state.fail(FailureClass::malformed, "The provider's answer has no content");
    return;
  }
  state.set_answered();
  state.set_names(text_member(body, "id"), text_member(body, "model"));
  std::uint64_t number = 0;
  for (const json::Value& block : content->array()) {
    read_block(block, number, true, state);
    ++number;
  }
  read_stop(body, state);
  if (!state.failure()) {
    read_usage(body, state);
  }
  end_answer(state);
}

}  // namespace plumb::wire
