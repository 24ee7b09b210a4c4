// What a passed-on answer has told: the same as reading it tells.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/wire/reply.hpp"
#include "core/wire/usage_watch.hpp"
#include "tests/core/wire_recordings.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

UsageWatch watched(Wire wire, bool streamed, std::string_view bytes, std::size_t piece) {
  UsageWatch watch(wire, streamed);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    watch.push(bytes.substr(at, piece));
  }
  watch.end();
  return watch;
}

void check_like_reading(Wire wire, bool streamed, std::string_view bytes) {
  ReplyStream stream(wire);
  stream.push(bytes);
  for (ModelDelta delta; stream.next(delta);) {
  }
  stream.end();
  for (ModelDelta delta; stream.next(delta);) {
  }
  REQUIRE_FALSE(stream.failure());
  for (const std::size_t piece : {bytes.size(), std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
    const UsageWatch watch = watched(wire, streamed, bytes, piece);
    CHECK(watch.ended());
    CHECK(watch.usage() == stream.reply().usage);
    CHECK(watch.model() == stream.reply().model);
    CHECK((watch.finish() == stream.reply().finish || stream.reply().finish == Finish::tool_calls ||
           stream.reply().finish == Finish::refusal));
    CHECK_FALSE(watch.failure());
  }
}

}  // namespace

TEST_CASE("usage watch: streams tell what reading them tells, however they are cut") {
  for (const std::string_view one : {recordings::openai_text, recordings::openai_tools}) {
    check_like_reading(Wire::openai, true, recordings::joined(one));
  }
  check_like_reading(Wire::anthropic, true, recordings::joined(recordings::anthropic_text));
  check_like_reading(Wire::ollama, true, recordings::joined(recordings::ollama_text));
}

TEST_CASE("usage watch: whole answers tell what reading them tells, however they are cut") {
  check_like_reading(Wire::openai, false,
                     R"({"id":"c","model":"gpt","choices":[{"index":0,"message":{"role":"assistant",
    "content":"\"usage\":{\"prompt_tokens\":99} {"},"finish_reason":"length"}],
    "usage":{"prompt_tokens":3,"completion_tokens":4,
    "prompt_tokens_details":{"cached_tokens":1,"list":[{"cached_tokens":9}]},
    "completion_tokens_details":{"reasoning_tokens":2}},"system_fingerprint":null})");
  check_like_reading(Wire::anthropic, false,
                     R"({"id":"m","model":"claude","type":"message","content":[{"type":"tool_use",
    "id":"t","name":"n","input":{"usage":{"input_tokens":77},"model":"x"}}],"stop_reason":"tool_use",
    "usage":{"input_tokens":5,"cache_read_input_tokens":6,"output_tokens":7}})");
  check_like_reading(Wire::ollama, false,
                     R"({"model":"q","message":{"role":"assistant","content":"hi"},"done":true,)"
                     R"("done_reason":"stop","prompt_eval_count":8,"eval_count":9})");
}

TEST_CASE("usage watch: usage beside the finish reason counts as well") {
  const UsageWatch watch = watched(
      Wire::openai, true,
      "data:{\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\r\n\r\n: note\r\n\r\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":2,"
      "\"completion_tokens\":1}}\r\n\r\n",
      3);
  CHECK_FALSE(watch.ended());
  CHECK(watch.usage().input_tokens == 2);
  CHECK(watch.finish() == Finish::stop);
  CHECK(watch.events() == 2);
}

TEST_CASE("usage watch: a cut stream has not ended, and an error in it is told") {
  const std::string text = recordings::joined(recordings::openai_text);
  CHECK_FALSE(watched(Wire::openai, true, text.substr(0, text.size() - 9), 50).ended());
  const UsageWatch failed =
      watched(Wire::anthropic, true,
              "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"c\",\"usage\":{\"input_"
              "tokens\":4,\"output_tokens\":1}}}\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
              "\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
              11);
  CHECK_FALSE(failed.ended());
  REQUIRE(failed.failure());
  CHECK(failed.failure()->failure_class == FailureClass::overloaded);
  CHECK(failed.usage().input_tokens == 4);
}

TEST_CASE("usage watch: a line without end is passed over, said, and what follows is read") {
  UsageWatch watch(Wire::openai, true);
  watch.push("data: ");
  for (int i = 0; i < 40; ++i) {
    watch.push(std::string(100'000, 'x'));
  }
  watch.push("\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n");
  watch.end();
  CHECK(watch.skipped() == 1);
  CHECK(watch.usage().output_tokens == 1);
  CHECK(watch.ended());
}
