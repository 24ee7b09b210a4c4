#include "core/wire/reply_writer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "core/wire/model_json.hpp"
#include "core/wire/reply.hpp"
#include "tests/core/wire_recordings.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

const ReplyHead head = {"id1", "alias", 1700000000, 7, true};

std::string reply_text(const ModelReply& reply) {
  std::string out;
  append_model_reply(out, reply);
  return out;
}

ModelReply reply_of(Wire wire, std::string_view stream) {
  ReplyStream reader(wire);
  reader.push(stream);
  reader.end();
  for (ModelDelta delta; reader.next(delta);) {
  }
  CHECK_FALSE(reader.failure());
  return reader.take_reply();
}

// The stream of one provider as another one would write it.
std::string translated(Wire from, std::string_view stream, Wire to) {
  ReplyStream reader(from);
  StreamWriter writer(to, head);
  std::string out;
  writer.begin(out);
  reader.push(stream);
  reader.end();
  for (ModelDelta delta; reader.next(delta);) {
    writer.delta(out, delta);
  }
  if (reader.failure()) {
    writer.fail(out, *reader.failure());
  } else {
    writer.end(out, reader.reply());
  }
  return out;
}

// Without what only one of the providers tells.
ModelReply comparable(ModelReply reply) {
  reply.model.clear();
  reply.usage.cache_written_tokens = 0;
  reply.usage.reasoning_tokens = 0;
  reply.usage.known = reply.usage.input_tokens + reply.usage.output_tokens != 0;  // Anthropic's form always has both
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    if (reply.calls[i].id.empty()) {
      reply.calls[i].id = "call_" + std::to_string(i);
    }
    // Anthropic's whole answers have arguments as values, whose white space is not told.
    json::Arena arena;
    if (const Result<json::Value> value = json::parse(reply.calls[i].arguments, arena)) {
      reply.calls[i].arguments = json::value_text(value.value());
    }
  }
  return reply;
}

}  // namespace

TEST_CASE("every recorded stream, written for the client of either provider, is read as the same answer") {
  struct Recording {
    Wire wire;
    std::string_view text;
  };
  const Recording all[] = {
      {Wire::openai, recordings::openai_text},       {Wire::openai, recordings::openai_tools},
      {Wire::anthropic, recordings::anthropic_text}, {Wire::anthropic, recordings::anthropic_tools},
      {Wire::ollama, recordings::ollama_text},       {Wire::ollama, recordings::ollama_tools},
  };
  for (const Recording& recording : all) {
    const std::string stream = recordings::joined(recording.text);
    const ModelReply reply = reply_of(recording.wire, stream);
    for (const Wire client : {Wire::openai, Wire::anthropic}) {
      CAPTURE(stream);
      const ModelReply again = reply_of(client, translated(recording.wire, stream, client));
      CHECK(again.model == "alias");
      ModelReply expected = reply;
      if (client == Wire::anthropic && !reply.usage.known) {
        expected.usage.input_tokens = head.input_tokens;  // what was told at the beginning is not taken back
      }
      CHECK(reply_text(comparable(again)) == reply_text(comparable(expected)));
      std::string whole;
      REQUIRE(append_reply(whole, client, reply, head));
      const ReplyOutcome outcome = read_reply(client, whole);
      CHECK_FALSE(outcome.failure);
      CHECK(reply_text(comparable(outcome.reply)) == reply_text(comparable(reply)));
    }
  }
}

TEST_CASE("an Ollama stream with calls, as OpenAI's clients read it") {
  CHECK(translated(Wire::ollama, recordings::joined(recordings::ollama_tools), Wire::openai) ==
        R"(data: {"id":"id1","object":"chat.completion.chunk","created":1700000000,"model":"alias",)"
        R"("choices":[{"index":0,)"
        R"("delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}

data: {"id":"id1","object":"chat.completion.chunk","created":1700000000,"model":"alias","choices":[{"index":0,)"
        R"("delta":{"reasoning_content":"Hm."},"logprobs":null,"finish_reason":null}]}

data: {"id":"id1","object":"chat.completion.chunk","created":1700000000,"model":"alias","choices":[{"index":0,)"
        R"("delta":{"tool_calls":[{"index":0,"id":"call_0","type":"function","function":{"name":"get_weather",)"
        R"("arguments":""}}]},"logprobs":null,"finish_reason":null}]}

data: {"id":"id1","object":"chat.completion.chunk","created":1700000000,"model":"alias","choices":[{"index":0,)"
        R"("delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Tokyo\"}"}}]},"logprobs":null,)"
        R"("finish_reason":null}]}

data: {"id":"id1","object":"chat.completion.chunk","created":1700000000,"model":"alias","choices":[{"index":0,)"
        R"("delta":{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"get_time",)"
        R"("arguments":""}}]},"logprobs":null,"finish_reason":null}]}

data: {"id":"id1","object":"chat.completion.chunk","created":1700000000,"model":"alias","choices":[{"index":0,)"
        R"("delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"logprobs":null,"finish_reason":null}]}

data: {"id":"id1","object":"chat.completion.chunk","created":1700000000,"model":"alias","choices":[{"index":0,)"
        R"("delta":{},"logprobs":null,"finish_reason":"tool_calls"}]}

data: {"id":"id1","object":"chat.completion.chunk","created":1700000000,"model":"alias","choices":[],)"
        R"("usage":{"prompt_tokens":169,"completion_tokens":15,"total_tokens":184,)"
        R"("prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}

data: [DONE]

)");
}

TEST_CASE("an OpenAI stream, as Anthropic's clients read it, begins with what is known of the input") {
  const std::string written =
      translated(Wire::openai,
                 "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"length\"}]}\n\n"
                 "data: [DONE]\n\n",
                 Wire::anthropic);
  CHECK(written ==
        R"(event: message_start
data: {"type":"message_start","message":{"id":"id1","type":"message","role":"assistant","model":"alias",)"
        R"("content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"input_tokens":7,)"
        R"("cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}

event: message_stop
data: {"type":"message_stop"}

)");
}

TEST_CASE("a stream that fails is told so in the protocol's own way, and never looks complete") {
  const std::string cut = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
  for (const Wire client : {Wire::openai, Wire::anthropic}) {
    const std::string written = translated(Wire::openai, cut, client);
    CHECK(written.find("[DONE]") == std::string::npos);
    CHECK(written.find("message_stop") == std::string::npos);
    ReplyStream reader(client);
    reader.push(written);
    reader.end();
    for (ModelDelta delta; reader.next(delta);) {
    }
    REQUIRE(reader.failure());
    CHECK(reader.failure()->message == "The stream ended before the answer was complete");
    CHECK(reader.reply().text == "Hi");
  }
}

TEST_CASE("errors are written in the format of the client, with a status") {
  Failure failure = make_failure(FailureClass::rate_limited, "Slow down");
  std::string openai;
  append_failure(openai, Wire::openai, failure);
  CHECK(openai == R"({"error":{"type":"rate_limit_error","message":"Slow down","param":null,"code":"rate_limited"}})");
  std::string anthropic;
  append_failure(anthropic, Wire::anthropic, failure);
  CHECK(anthropic == R"({"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}})");
  CHECK(status_of(failure) == 429);
  failure.status = 529;
  CHECK(status_of(failure) == 529);
  CHECK(status_of(make_failure(FailureClass::cut, "")) == 502);
  CHECK(status_of(make_failure(FailureClass::timed_out, "")) == 504);
}

TEST_CASE("arguments that are no object cannot be written for Anthropic's clients, and nothing is left of the try") {
  ModelReply reply;
  reply.calls.push_back({"c", "f", "{\"a\":"});
  std::string out = "before";
  const Result<bool> written = append_reply(out, Wire::anthropic, reply, head);
  REQUIRE_FALSE(written);
  CHECK(written.error().message == "The arguments of the call of \"f\" are no JSON object");
  CHECK(out == "before");
  CHECK(append_reply(out, Wire::openai, reply, head));
}
