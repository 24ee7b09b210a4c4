// OpenAI's responses. An answer is a list of items: messages, whose texts are one text here, calls of functions, and
// others (reasoning, tools of the provider's own), which are kept byte for byte and never read. Events and items that
// are not known here are passed over, or kept, as its documentation of streaming asks for.
//
// What an item is made of may come in pieces, or only with its end (`response.output_item.done`): some servers send no
// deltas.
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"
#include "core/wire/answer_rules.hpp"
#include "core/wire/reply_state.hpp"
#include "core/wire/usage_numbers.hpp"

namespace plumb::wire {

namespace {

using Block = ReplyState::Block;
using BlockKind = ReplyState::BlockKind;

// Members of a response that are written anew by whoever gives it again.
bool is_written_anew(std::string_view name) {
  return name == "id" || name == "object" || name == "created_at" || name == "status" || name == "error" ||
         name == "incomplete_details" || name == "model" || name == "output" || name == "output_text" ||
         name == "usage" || name == "plumb";
}

std::string_view written(std::string_view text, std::uint64_t from, std::uint64_t to) {
  return text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
}

void read_names(const json::Value& response, std::string_view text, ReplyState& state) {
  state.set_names(text_member(response, "id"), text_member(response, "model"));
  std::vector<ExtraMember> members;
  for (const json::Member& member : response.object()) {
    if (!is_written_anew(member.key)) {
      members.push_back({std::string(member.key), std::string(written(text, member.value.from, member.value.to))});
    }
  }
  state.set_members(std::move(members));
}

// The message's parts that have not come in pieces.
void read_parts(const json::Value& item, ReplyState& state) {
  const json::Value* const parts = item.find("content");
  for (const json::Value& part : parts == nullptr ? std::span<const json::Value>() : parts->array()) {
    const std::string_view type = text_member(part, "type");
    if (type == "output_text") {
      state.add_text(DeltaKind::text, text_member(part, "text"));
    } else if (type == "refusal") {
      state.add_text(DeltaKind::refusal, text_member(part, "refusal"));
    }
  }
}

Block* begin_item(const json::Value& item, std::uint64_t number, ReplyState& state) {
  const std::string_view type = text_member(item, "type");
  if (type == "message") {
    state.set_text_item(text_member(item, "id"));
    return state.add_block(number, BlockKind::text);
  }
  if (type != "function_call") {
    return state.add_block(number, BlockKind::ignored);
  }
  const std::uint32_t call =
      state.begin_call(text_member(item, "call_id"), text_member(item, "name"), text_member(item, "id"));
  return state.failure() ? nullptr : state.add_block(number, BlockKind::call, call);
}

void end_item(const json::Value& item, std::string_view text, std::uint64_t number, ReplyState& state) {
  Block* block = state.find_block(number);
  block = block == nullptr ? begin_item(item, number, state) : block;
  if (block == nullptr) {
    return;
  }
  if (block->kind == BlockKind::ignored) {
    state.add_other(written(text, item.from, item.to));
  } else if (block->kind == BlockKind::call && !block->any) {
    add_call_arguments(state, block->call, item.find("arguments"));
  } else if (block->kind == BlockKind::text && !block->any) {
    read_parts(item, state);
  }
  block->any = true;
}

void read_piece(std::string_view type, const json::Value& event, ReplyState& state) {
  Block* const block = state.find_block(block_number(state, event, "output_index", false));
  if (block == nullptr) {
    state.fail(FailureClass::malformed, "An event names no output item that has begun");
    return;
  }
  const std::string_view piece = text_member(event, "delta");
  block->any = block->any || !piece.empty();
  if (block->kind == BlockKind::call) {
    state.add_arguments(block->call, piece);
  } else if (block->kind == BlockKind::text) {
    state.add_text(type == "response.refusal.delta" ? DeltaKind::refusal : DeltaKind::text, piece);
  }
}

// `status`: where the response itself does not tell it.
void read_end(const json::Value& response, std::string_view status, ReplyState& state) {
  if (const json::Value* const usage = response.find("usage"); usage != nullptr && usage->is(json::Kind::object)) {
    Usage read;
    if (tell_usage(Wire::responses, usage_numbers(*usage), read)) {
      state.set_usage(read);
    }
  }
  const std::string_view told = text_member(response, "status");
  status = told.empty() ? status : told;
  const json::Value* const details = response.find("incomplete_details");
  const std::string_view reason = details == nullptr ? std::string_view() : text_member(*details, "reason");
  if (status == "failed") {
    state.fail(FailureClass::server, "The provider says that the response has failed");
  } else if (status == "completed" || status == "incomplete") {
    state.set_finish(responses_finish(status, reason), reason.empty() ? status : reason);
  } else if (!status.empty()) {
    Failure failure = make_failure(FailureClass::cut, "The answer is not over: " + json::excerpt(status, 60));
    failure.code = no_finish_reason;
    state.fail(failure);
  }
}

}  // namespace

Finish responses_finish(std::string_view status, std::string_view reason) {
  if (status == "completed") {
    return Finish::stop;
  }
  if (status != "incomplete") {
    return Finish::other;
  }
  return reason == "content_filter" ? Finish::content_filter : Finish::length;
}

void decode_responses_event(std::string_view type, const json::Value& event, std::string_view text, ReplyState& state) {
  if (take_error(type, event, state)) {
    return;
  }
  const std::string_view told = text_member(event, "type");
  type = told.empty() ? type : told;
  const json::Value* const response = event.find("response");
  if (type == "response.created" && response != nullptr) {
    state.set_answered();
    read_names(*response, text, state);
  } else if (type == "response.output_item.added" || type == "response.output_item.done") {
    const bool begins = type == "response.output_item.added";
    const std::uint64_t number = block_number(state, event, "output_index", begins);
    const json::Value* const item = event.find("item");
    if (item == nullptr) {
      state.fail(FailureClass::malformed, "An event of an output item has none");
    } else if (!begins) {
      end_item(*item, text, number, state);
    } else if (state.find_block(number) == nullptr) {
      begin_item(*item, number, state);
    }
  } else if (type == "response.output_text.delta" || type == "response.refusal.delta" ||
             type == "response.function_call_arguments.delta") {
    read_piece(type, event, state);
  } else if ((type == "response.completed" || type == "response.incomplete") && response != nullptr) {
    state.set_answered();
    read_names(*response, text, state);
    read_end(*response, type.substr(type.find('.') + 1), state);
    end_answer(state);
  } else if (type == "response.failed") {
    take_error({}, response == nullptr ? event : *response, state);
    state.fail(FailureClass::server, "The provider says that the response has failed");
  }
}

void decode_responses_reply(const json::Value& body, std::string_view text, ReplyState& state) {
  if (take_error({}, body, state)) {
    return;
  }
  const json::Value* const output = body.find("output");
  if (output == nullptr || !output->is(json::Kind::array)) {
    state.fail(FailureClass::malformed, "The provider's answer has no output");
    return;
  }
  state.set_answered();
  read_names(body, text, state);
  std::uint64_t number = 0;
  for (const json::Value& item : output->array()) {
    end_item(item, text, number, state);
    ++number;
  }
  if (!state.failure()) {
    read_end(body, {}, state);
  }
  end_answer(state);
}

}  // namespace plumb::wire
