// What an answer has told so far, and the deltas of its last event: what the decoders of this folder write into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

class ReplyState {
 public:
  static constexpr std::size_t calls_max = 1'024;
  static constexpr std::size_t blocks_max = 10'000;

  ReplyState(std::size_t answer_bytes_max, std::string structured_tool)
      : answer_bytes_max_(answer_bytes_max), structured_tool_(std::move(structured_tool)) {}

  // A part of the answer that the provider numbers: a content block, or a tool call.
  enum class BlockKind : std::uint8_t { text, thinking, call, structured, ignored };
  struct Block {
    std::uint64_t number = 0;
    BlockKind kind = BlockKind::ignored;
    std::uint32_t call = 0;  // in the reply
    bool any = false;        // something of it has come
  };

  // The deltas of the last event are gone, and the memory of their texts.
  void begin_event();
  json::Arena& arena() { return arena_; }

  // `text`, `thinking` or `refusal`. Empty pieces are none. Half of a surrogate pair at the end of a piece (servers
  // that cut texts by UTF-16 units send such) waits for the other half, which the next piece has.
  void add_text(DeltaKind kind, std::string_view piece);
  // The provider's id of the item that the text is in; the first one counts.
  void set_text_item(std::string_view id);
  // An item of another kind, as it is written there.
  void add_other(std::string_view json);
  // The place of the new call in the reply.
  std::uint32_t begin_call(std::string_view id, std::string_view name, std::string_view item = {});
  void add_arguments(std::uint32_t call, std::string_view piece);
  // Arguments that came as a value; written as text.
  void add_arguments(std::uint32_t call, const json::Value& arguments);
  void set_names(std::string_view id, std::string_view model);
  void set_usage(const Usage& usage);
  void set_members(std::vector<ExtraMember> members);
  // A refusal makes a stop a refusal, and so do calls make it one for calls.
  void set_finish(Finish finish, std::string_view word);
  void set_done() {
    release_half();
    done_ = true;
  }
  void fail(Failure failure);
  void fail(FailureClass failure_class, std::string_view message) { fail(make_failure(failure_class, message)); }

  Block* find_block(std::uint64_t number);
  // The last one begun; nullptr where there is none.
  Block* last_block() { return blocks_.empty() ? nullptr : &blocks_.back(); }
  Block* add_block(std::uint64_t number, BlockKind kind, std::uint32_t call = 0);

  // The tool whose arguments are the answer itself; empty where there is none.
  std::string_view structured_tool() const { return structured_tool_; }
  void set_answered() { answered_ = true; }
  // Something that may be called an answer has come, be it empty.
  bool answered() const { return answered_; }
  bool done() const { return done_; }
  bool over() const { return done_ || failure_.has_value(); }
  const std::optional<Failure>& failure() const { return failure_; }
  const std::vector<ModelDelta>& deltas() const { return deltas_; }
  const ModelReply& reply() const { return reply_; }
  ModelReply take_reply() { return std::move(reply_); }

 private:
  bool fits(std::size_t bytes);
  void emit_text(DeltaKind kind, std::string_view piece);
  void release_half();

  std::size_t answer_bytes_max_;
  std::string structured_tool_;
  std::size_t answer_bytes_ = 0;
  ModelReply reply_;
  std::string half_;  // of a surrogate pair, in its three bytes; what it belongs to
  DeltaKind half_kind_ = DeltaKind::text;
  std::vector<ModelDelta> deltas_;
  std::vector<Block> blocks_;
  json::Arena arena_;
  std::optional<Failure> failure_;
  bool answered_ = false;
  bool done_ = false;
};

// A member that is a text; empty where it is missing or is none.
std::string_view text_member(const json::Value& object, std::string_view name);
// A member that is an integer from 0 on, into `number`; else false, and `number` is left.
bool uint_member(const json::Value& object, std::string_view name, std::uint64_t& number);

// What the word means by which a provider says why an answer is over.
Finish openai_finish(std::string_view word);
Finish anthropic_finish(std::string_view word);
Finish ollama_finish(std::string_view word);
Finish responses_finish(std::string_view status, std::string_view incomplete_reason);

// One event of a stream. `type` is the event's name in server-sent events.
void decode_openai_event(std::string_view type, const json::Value& event, ReplyState& state);
void decode_anthropic_event(std::string_view type, const json::Value& event, ReplyState& state);
void decode_ollama_line(const json::Value& line, ReplyState& state);
// `text`: what `event` was read from.
void decode_responses_event(std::string_view type, const json::Value& event, std::string_view text, ReplyState& state);
// A whole answer.
void decode_openai_reply(const json::Value& body, ReplyState& state);
void decode_anthropic_reply(const json::Value& body, ReplyState& state);
void decode_responses_reply(const json::Value& body, std::string_view text, ReplyState& state);

}  // namespace plumb::wire
