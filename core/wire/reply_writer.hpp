// Writing an answer as OpenAI, Anthropic or Ollama would, for clients that speak these: the other direction of
// reply.hpp.
//
//   StreamWriter writer(Wire::anthropic, head);
//   writer.begin(out);
//   for each delta of any provider: writer.delta(out, delta);
//   writer.end(out, reply);                  // or writer.fail(out, failure), after which the stream is not complete
//
// A stream that is written and read again gives the same texts and calls. Finish and usage are told at the end, once,
// from the reply. Calls without an id get one from their place ("call_0"). Ollama's streams are lines of JSON, in which
// a call comes whole at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"
#include "core/wire/response_events.hpp"

namespace plumb::wire {

// A whole answer. The error: Anthropic's calls have an object as input, and these arguments are none. `plumb`: JSON
// text of a member of that name, or nothing.
Result<bool> append_reply(std::string& out, Wire wire, const ModelReply& reply, const ReplyHead& head,
                          std::string_view plumb = {});

// The error of append_reply, which a stream ends with too: it has told the calls before it knew that they are none.
Result<bool> can_be_written(Wire wire, const ModelReply& reply);

// The arguments of a call where they are an object. In an answer that was broken off, half of one is `{}`.
Result<std::string_view> object_arguments(const ModelReply& reply, const ToolCall& call);

// The body of an error, and the status that goes with it: the provider's own where it is one, else its class's.
void append_failure(std::string& out, Wire wire, const Failure& failure, std::string_view plumb = {});
int status_of(const Failure& failure);

// Ollama's, for the writers above and below.
Result<bool> append_ollama_reply(std::string& out, const ModelReply& reply, const ReplyHead& head,
                                 std::string_view plumb = {});
void append_ollama_delta(std::string& out, const ModelDelta& delta, const ReplyHead& head);
void append_ollama_end(std::string& out, const ModelReply& reply, const ReplyHead& head, std::string_view plumb = {});

// What we say in a stream before the protocol's own end. Clients that validate each event fail at one that their
// protocol does not know, so it is a comment (": plumb {...}"), but for those that ask for events: with OpenAI a chunk
// without choices, with Anthropic an event of the type `plumb`, with responses one of the type `response.plumb`, which
// has no `sequence_number`: those of the provider's own events stay without a gap.
void append_plumb_note(std::string& out, Wire wire, const ReplyHead& head, std::string_view plumb);

class StreamWriter {
 public:
  StreamWriter(Wire wire, ReplyHead head);

  void begin(std::string& out);
  void delta(std::string& out, const ModelDelta& delta);
  // `plumb`: JSON text told before the protocol's own end, as append_plumb_note() has it. What can_be_written() refuses
  // ends as a failure.
  void end(std::string& out, const ModelReply& reply, std::string_view plumb = {});
  void fail(std::string& out, const Failure& failure, std::string_view plumb = {});
  // Responses: the number that the next event gets.
  std::uint64_t sequence() const { return responses_ ? responses_->sequence() : head_.sequence; }

 private:
  void openai_chunk(std::string& out, std::string_view delta, std::string_view finish);
  void openai_delta(std::string& out, const ModelDelta& delta);
  void anthropic_delta(std::string& out, const ModelDelta& delta);
  void anthropic_text(std::string& out, const ModelDelta& delta);
  void anthropic_block(std::string& out, std::string_view block);
  void anthropic_piece(std::string& out, std::uint32_t number, std::string_view type, std::string_view name,
                       std::string_view text);
  void anthropic_stop(std::string& out, std::uint32_t number);

  Wire wire_;
  ReplyHead head_;
  std::optional<ResponseEvents> responses_;
  std::uint32_t blocks_ = 0;
  bool text_open_ = false;  // the last block is a text or thinking, of this kind
  DeltaKind text_kind_ = DeltaKind::text;
  std::vector<std::uint32_t>
      call_blocks_;  // Anthropic: a call's block stays open to the end, since calls may alternate
};

}  // namespace plumb::wire
