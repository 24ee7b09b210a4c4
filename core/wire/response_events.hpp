// An answer as OpenAI's responses have it: for StreamWriter and append_reply (reply_writer.hpp).
//
//   ResponseEvents events(head);
//   events.begin(out);                       // response.created, response.in_progress
//   events.delta(out, delta);
//   events.end(out, reply, plumb);           // each item's end, then response.completed or response.incomplete
//
// Sequence numbers have no gap, and an item has one id, in its deltas, at its end and in the whole: the provider's
// where it has told one. Items stay open to the end, since text and calls may alternate. Reasoning and other items of
// the provider's own are written as they came.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"

namespace plumb::wire {

struct ReplyHead {
  std::string id;
  std::string model;
  std::uint64_t created_s = 0;     // OpenAI: since 1970
  std::uint64_t input_tokens = 0;  // Anthropic, at the beginning of a stream: what is known by then
  bool usage = true;               // OpenAI: a last chunk tells usage, as `include_usage` asks for
  bool plumb_events = false;       // the client asks for events of ours; else what they say is a comment
  // Responses: members of the answer beside what is written from the reply, and the number of the stream's next event.
  std::vector<ExtraMember> members = {};
  std::uint64_t sequence = 0;
  bool prompt = false;  // Ollama: the answer to a prompt (generate), a text instead of a message
};

// What the answer to a request says of the request itself, for ReplyHead::members: of `body`, a request of the
// responses wire, and the usual values of what it does not say.
std::vector<ExtraMember> response_members(std::string_view body);

class ResponseEvents {
 public:
  explicit ResponseEvents(ReplyHead head);

  void begin(std::string& out);
  void delta(std::string& out, const ModelDelta& delta);
  void end(std::string& out, const ModelReply& reply, std::string_view plumb);
  void fail(std::string& out, const Failure& failure, std::string_view plumb);
  // All of it as one answer, from a reply whose deltas have not been told.
  void whole(std::string& out, const ModelReply& reply, std::string_view plumb);
  std::uint64_t sequence() const { return sequence_; }

 private:
  enum class Kind : std::uint8_t { message, reasoning, call, other };
  struct Part {
    DeltaKind kind = DeltaKind::text;
    std::string text;
  };
  struct Item {
    Kind kind = Kind::other;
    std::string id;
    ToolCall call;
    std::vector<Part> parts;
    std::string json;  // of another kind
  };
  struct Place {
    std::size_t item = 0;
    std::size_t part = 0;
  };
  std::string id_of(std::string_view prefix, std::string_view told, std::size_t index) const;
  Place part_of(std::string& out, const ModelDelta& delta);
  std::size_t add(std::string& out, Item item);
  void call_delta(std::string& out, const ModelDelta& delta);
  void end_item(std::string& out, std::size_t index);
  template <class Write>
  void event(std::string& out, std::string_view type, Write&& write);
  void write_item(json::Writer& json, const Item& item, bool done) const;
  void write_response(json::Writer& json, std::string_view status, const ModelReply* reply,
                      std::string_view plumb) const;

  ReplyHead head_;
  std::uint64_t sequence_ = 0;
  std::vector<Item> items_;
  std::vector<std::size_t> calls_;  // the item of each call
};

}  // namespace plumb::wire
