#include "core/wire/reply.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/wire/model_json.hpp"
#include "tests/core/wire_recordings.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

void append_delta(std::string& out, const ModelDelta& delta) {
  switch (delta.kind) {
    case DeltaKind::text:
      out += "text " + std::string(delta.text);
      break;
    case DeltaKind::thinking:
      out += "thinking " + std::string(delta.text);
      break;
    case DeltaKind::refusal:
      out += "refusal " + std::string(delta.text);
      break;
    case DeltaKind::call_begin:
      out += "call " + std::to_string(delta.index) + " " + std::string(delta.id) + " " + std::string(delta.name);
      break;
    case DeltaKind::call_arguments:
      out += "arguments " + std::to_string(delta.index) + " " + std::string(delta.text);
      break;
    case DeltaKind::finish:
      out += "finish";
      break;
    case DeltaKind::usage:
      out += "usage";
      break;
    case DeltaKind::other:
      out += "other " + std::string(delta.text);
      break;
  }
  out += '\n';
}

void append_outcome(std::string& out, const ModelReply& reply, const std::optional<Failure>& failure) {
  append_model_reply(out, reply);
  out += '\n';
  if (failure) {
    out += failure_class_name(failure->failure_class);
    out += failure->retryable ? " (again): " : ": ";
    out += failure->message;
    out += '\n';
  }
}

// Everything that a stream tells, as text.
std::string told(Wire wire, std::string_view stream, std::size_t first, std::size_t size,
                 const ReplyOptions& options = {}) {
  ReplyStream reader(wire, options);
  std::string out;
  for (std::size_t from = 0; from < stream.size();) {
    const std::string piece(stream.substr(from, from == 0 ? first : size));
    from += piece.size();
    reader.push(piece);
    for (ModelDelta delta; reader.next(delta);) {
      append_delta(out, delta);
    }
  }
  reader.end();
  for (ModelDelta delta; reader.next(delta);) {
    append_delta(out, delta);
  }
  append_outcome(out, reader.reply(), reader.failure());
  return out;
}

std::string told(Wire wire, std::string_view stream, const ReplyOptions& options = {}) {
  return told(wire, stream, stream.size(), stream.size(), options);
}

// The stream tells this, cut in two at every byte and byte by byte.
void check_stream(Wire wire, std::string_view stream, std::string_view expected, const ReplyOptions& options = {}) {
  CHECK(told(wire, stream, options) == expected);
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    CAPTURE(cut);
    REQUIRE(told(wire, stream, cut, stream.size(), options) == expected);
  }
  if (!stream.empty()) {
    CHECK(told(wire, stream, 1, 1, options) == expected);
  }
}

std::string told_whole(Wire wire, std::string_view body, const ReplyOptions& options = {}) {
  const ReplyOutcome outcome = read_reply(wire, body, options);
  std::string out;
  append_outcome(out, outcome.reply, outcome.failure);
  return out;
}

const std::string no_reason = "cut (again): The answer ended without a reason why it is over\n";

// An OpenAI stream of these chunks, with its end.
std::string openai_stream(std::initializer_list<std::string_view> chunks) {
  std::string stream;
  for (const std::string_view chunk : chunks) {
    append_sse(stream, chunk);
  }
  append_sse(stream, "[DONE]");
  return stream;
}

}  // namespace

TEST_CASE("openai stream: text, finish reason and usage on a last chunk without choices") {
  check_stream(Wire::openai, recordings::joined(recordings::openai_text),
               "text Gr\xC3\xBC\xC3\x9F \ntext G\xC3\xB6tt\xE2\x82\xAC \xF0\x9F\x98\x80\nfinish\nusage\n"
               "{\"text\":\"Gr\xC3\xBC\xC3\x9F G\xC3\xB6tt\xE2\x82\xAC \xF0\x9F\x98\x80\",\"finish\":\"stop\","
               "\"model\":\"gpt-4o-mini\",\"usage\":{\"input_tokens\":19,\"output_tokens\":10,\"cached_tokens\":4,"
               "\"reasoning_tokens\":3}}\n");
}

TEST_CASE("openai stream: tool calls come in pieces, by index") {
  check_stream(Wire::openai, recordings::joined(recordings::openai_tools),
               R"(call 0 call_a get_weather
arguments 0 {"city":
call 1 call_b get_time
arguments 1 {}
arguments 0 "Bonn"}
finish
{"text":"","finish":"tool_calls","model":"gpt-4o","calls":[{"id":"call_a","name":"get_weather",)"
               R"("arguments":"{\"city\":\"Bonn\"}"},{"id":"call_b","name":"get_time","arguments":"{}"}]}
)");
}

TEST_CASE("openai stream: calls without an index, and several ids under one index, are told apart") {
  check_stream(
      Wire::openai,
      openai_stream(
          {R"({"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"g","arguments":{"x":1}}}]}}]})",
           R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"}),
      R"(call 0 a f
arguments 0 {
arguments 0 }
call 1 b g
arguments 1 {"x":1}
finish
{"text":"","finish":"tool_calls","calls":[{"id":"a","name":"f","arguments":"{}"},)"
      R"({"id":"b","name":"g","arguments":"{\"x\":1}"}]}
)");
  check_stream(
      Wire::openai,
      openai_stream(
          {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"1"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"2"}}]}}]})",
           R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"3"}}]}}]})"}),
      R"(call 0 a f
arguments 0 1
call 1 b g
arguments 1 2
arguments 1 3
{"text":"","finish":"none","calls":[{"id":"a","name":"f","arguments":"1"},{"id":"b","name":"g","arguments":"23"}]}
)" + no_reason);
}

TEST_CASE("openai stream: reasoning, refusal, the older function_call, and other choices than the first") {
  check_stream(Wire::openai,
               openai_stream({R"({"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]})",
                              R"({"choices":[{"index":1,"delta":{"content":"other"}}]})",
                              R"({"choices":[{"index":0,"delta":{"refusal":"I cannot"},"finish_reason":"stop"}]})",
                              R"({"choices":null,"usage":{"prompt_tokens":1,"completion_tokens":2}})"}),
               "thinking hm\nrefusal I cannot\nfinish\nusage\n"
               R"({"text":"","finish":"refusal","refusal":"I cannot","thinking":"hm",)"
               R"("usage":{"input_tokens":1,"output_tokens":2}})"
               "\n");
  check_stream(Wire::openai,
               openai_stream({R"({"choices":[{"delta":{"function_call":{"name":"f","arguments":"{"}}}]})",
                              R"({"choices":[{"delta":{"function_call":{"arguments":"}"}}}]})",
                              R"({"choices":[{"delta":{},"finish_reason":"function_call"}]})"}),
               "call 0  f\narguments 0 {\narguments 0 }\nfinish\n"
               R"({"text":"","finish":"tool_calls","calls":[{"id":"","name":"f","arguments":"{}"}]})"
               "\n");
}

TEST_CASE("openai stream: without [DONE] it was cut, unless the caller takes the finish reason for the end") {
  const std::string whole = recordings::joined(recordings::openai_tools);
  const std::string stream = whole.substr(0, whole.find("data: [DONE]"));
  const std::string told_so = told(Wire::openai, stream);
  CHECK(told_so.find("cut (again): The stream ended after its finish reason but before its end\n") !=
        std::string::npos);
  ReplyOptions options;
  options.done_required = false;
  CHECK(told(Wire::openai, stream, options).find("cut") == std::string::npos);
  const std::string half = whole.substr(0, whole.find("arguments\":\"\\\"Bonn"));
  CHECK(told(Wire::openai, half, options).find("cut (again): The stream ended in the middle of an event\n") !=
        std::string::npos);
}

TEST_CASE("every stream that is cut anywhere before its end fails as cut, and keeps what came before") {
  struct Recording {
    Wire wire;
    std::string stream;
    std::string_view last;  // what the end is told by
  };
  const Recording all[] = {
      {Wire::openai, recordings::joined(recordings::openai_text), "data: [DONE]"},
      {Wire::openai, recordings::joined(recordings::openai_tools), "data: [DONE]"},
      {Wire::anthropic, recordings::joined(recordings::anthropic_text), "event: message_stop"},
      {Wire::anthropic, recordings::joined(recordings::anthropic_tools), "event: message_stop"},
  };
  for (const Recording& recording : all) {
    const std::size_t end = recording.stream.find(recording.last);
    for (std::size_t size = 0; size < end; ++size) {
      CAPTURE(size);
      ReplyStream reader(recording.wire);
      reader.push(std::string_view(recording.stream).substr(0, size));
      ModelDelta delta;
      std::string text;
      while (reader.next(delta)) {
        text += delta.kind == DeltaKind::text ? delta.text : std::string_view();
      }
      CHECK_FALSE(reader.failure());
      reader.end();
      CHECK_FALSE(reader.next(delta));
      REQUIRE(reader.failure());
      CHECK(reader.failure()->failure_class == FailureClass::cut);
      CHECK(reader.failure()->retryable);
      CHECK(reader.reply().text == text);
    }
  }
  const std::string ollama = recordings::joined(recordings::ollama_text);
  const std::size_t last_line = ollama.rfind("{\"model\"");
  for (std::size_t size = 0; size < ollama.size() - 2; ++size) {
    CAPTURE(size);
    ReplyStream reader(Wire::ollama);
    reader.push(std::string_view(ollama).substr(0, size));
    reader.end();
    ModelDelta delta;
    while (reader.next(delta)) {
    }
    REQUIRE(reader.failure());
    CHECK((size > last_line || reader.failure()->retryable));
    CHECK_FALSE(reader.done());
  }
}

TEST_CASE("anthropic stream: thinking, text, usage from both ends, and what is not known is passed over") {
  check_stream(Wire::anthropic, recordings::joined(recordings::anthropic_text),
               "usage\nthinking Let me see.\ntext Hello\ntext  \xE2\x80\x94 w\xC3\xB6rld!\nfinish\nusage\n"
               "{\"text\":\"Hello \xE2\x80\x94 w\xC3\xB6rld!\",\"finish\":\"stop\",\"model\":\"claude-sonnet-4-5\","
               "\"thinking\":\"Let me see.\",\"usage\":{\"input_tokens\":130,\"output_tokens\":15,"
               "\"cached_tokens\":100,\"cache_written_tokens\":5}}\n");
}

TEST_CASE("anthropic stream: tool use in pieces, one without input, and a tool of the server that is not ours") {
  check_stream(Wire::anthropic, recordings::joined(recordings::anthropic_tools),
               R"(usage
text Okay
call 0 toolu_01T get_weather
arguments 0 {"location":
arguments 0  "San Francisco, CA"}
call 1 toolu_02 get_time
arguments 1 {}
finish
usage
{"text":"Okay","finish":"tool_calls","model":"claude-sonnet-4-5","calls":[{"id":"toolu_01T","name":"get_weather",)"
               R"("arguments":"{\"location\": \"San Francisco, CA\"}"},{"id":"toolu_02","name":"get_time",)"
               R"("arguments":"{}"}],"usage":{"input_tokens":472,"output_tokens":89}}
)");
}

TEST_CASE("anthropic: the input of the tool that stands for a structured answer is the text") {
  ReplyOptions options;
  options.structured_tool = "get_weather";
  check_stream(Wire::anthropic, recordings::joined(recordings::anthropic_tools),
               R"(usage
text Okay
text {"location":
text  "San Francisco, CA"}
call 0 toolu_02 get_time
arguments 0 {}
finish
usage
{"text":"Okay{\"location\": \"San Francisco, CA\"}","finish":"tool_calls","model":"claude-sonnet-4-5",)"
               R"("calls":[{"id":"toolu_02","name":"get_time","arguments":"{}"}],)"
               R"("usage":{"input_tokens":472,"output_tokens":89}}
)",
               options);
  CHECK(told_whole(Wire::anthropic,
                   R"({"content":[{"type":"tool_use","id":"t","name":"get_weather","input":{"a":1}}],)"
                   R"("stop_reason":"tool_use"})",
                   options) == "{\"text\":\"{\\\"a\\\":1}\",\"finish\":\"stop\"}\n");
}

TEST_CASE("ollama stream: lines, the last one with counts") {
  check_stream(Wire::ollama, recordings::joined(recordings::ollama_text),
               "text The\ntext  sky \xE2\x80\x94 \xC3\xA9\nfinish\nusage\n"
               "{\"text\":\"The sky \xE2\x80\x94 \xC3\xA9\",\"finish\":\"stop\",\"model\":\"llama3.2\","
               "\"usage\":{\"input_tokens\":26,\"output_tokens\":282}}\n");
}

TEST_CASE("ollama stream: tool calls come whole and make the finish reason theirs; the last line needs no line end") {
  check_stream(Wire::ollama, recordings::joined(recordings::ollama_tools),
               R"(thinking Hm.
call 0  get_weather
arguments 0 {"city":"Tokyo"}
call 1 call_2 get_time
arguments 1 {}
finish
usage
{"text":"","finish":"tool_calls","model":"qwen3","thinking":"Hm.","calls":[{"id":"","name":"get_weather",)"
               R"("arguments":"{\"city\":\"Tokyo\"}"},{"id":"call_2","name":"get_time","arguments":"{}"}],)"
               R"("usage":{"input_tokens":169,"output_tokens":15}}
)");
}

TEST_CASE("whole answers of the three providers") {
  CHECK(told_whole(Wire::openai, recordings::joined(recordings::openai_reply)) ==
        R"({"text":"Hello!","finish":"stop","model":"gpt-4o-2024-08-06","usage":{"input_tokens":1117,)"
        R"("output_tokens":46,"cached_tokens":1024}})"
        "\n");
  CHECK(told_whole(Wire::anthropic, recordings::joined(recordings::anthropic_reply)) ==
        R"({"text":"Hi","finish":"tool_calls","model":"claude-sonnet-4-5","calls":[{"id":"toolu_01A",)"
        R"("name":"get_weather","arguments":"{\"location\":\"San Francisco, CA\"}"}],)"
        R"("usage":{"input_tokens":20,"output_tokens":6,"cached_tokens":8}})"
        "\n");
  CHECK(told_whole(Wire::ollama,
                   R"({"model":"m","message":{"role":"assistant","content":"{}"},"done":true,"done_reason":"length",)"
                   R"("prompt_eval_count":3,"eval_count":4})") ==
        R"({"text":"{}","finish":"length","model":"m","usage":{"input_tokens":3,"output_tokens":4}})"
        "\n");
  CHECK(
      told_whole(Wire::openai,
                 R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]})") ==
      "{\"text\":\"ab\",\"finish\":\"none\"}\n" + no_reason);
}

TEST_CASE("a stream that is answered with a whole answer is read as one") {
  check_stream(Wire::openai, recordings::joined(recordings::openai_reply),
               "text Hello!\nfinish\nusage\n"
               R"({"text":"Hello!","finish":"stop","model":"gpt-4o-2024-08-06","usage":{"input_tokens":1117,)"
               R"("output_tokens":46,"cached_tokens":1024}})"
               "\n");
  check_stream(Wire::anthropic, R"( {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
               "{\"text\":\"\",\"finish\":\"none\"}\noverloaded (again): Overloaded\n");
}

TEST_CASE("errors in a stream keep what came before and say their class") {
  check_stream(Wire::openai,
               "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
               "data: {\"error\":{\"message\":\"too many\",\"type\":\"rate_limit_error\",\"code\":null}}\n\n"
               "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\ndata: [DONE]\n\n",
               "text a\n{\"text\":\"a\",\"finish\":\"none\"}\nrate_limited (again): too many\n");
  check_stream(Wire::openai, "event: error\ndata: {\"message\":\"no\",\"code\":400}\n\n",
               "{\"text\":\"\",\"finish\":\"none\"}\nbad_request: no\n");
  check_stream(Wire::anthropic,
               "event: error\ndata: "
               "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
               "{\"text\":\"\",\"finish\":\"none\"}\noverloaded (again): Overloaded\n");
  check_stream(
      Wire::ollama,
      "{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"error\":\"llama runner process no longer running\"}\n",
      "text a\n{\"text\":\"a\",\"finish\":\"none\"}\nserver (again): llama runner process no longer running\n");
}

TEST_CASE("what is no answer is malformed, with the reason") {
  const std::string nothing = "{\"text\":\"\",\"finish\":\"none\"}\n";
  for (const Wire wire : {Wire::openai, Wire::anthropic, Wire::ollama}) {
    check_stream(wire, "\n <!DOCTYPE html><html><title>Bad Gateway</title></html>",
                 nothing + "malformed (again): The provider answered with HTML instead of JSON\n");
    CHECK(told_whole(wire, "<html>") ==
          nothing + "malformed (again): The provider answered with HTML instead of JSON\n");
    CHECK(told_whole(wire, " \n ") == nothing + "malformed (again): The provider's answer is empty\n");
    CHECK(told_whole(wire, "[]") == nothing + "malformed (again): The provider's answer is no object\n");
    CHECK(told_whole(wire, R"({"a":1)").find("malformed (again): The provider's answer is no JSON: ") !=
          std::string::npos);
    CHECK(told_whole(wire, R"({"a":1})").find("malformed (again): The provider's answer has no ") != std::string::npos);
    check_stream(wire, std::string(3000, ' '), nothing + "cut (again): The provider sent nothing but white space\n");
    check_stream(wire, "", nothing + "cut (again): The provider sent nothing\n");
  }
  check_stream(Wire::openai, "data: {\"choices\":[\n\n",
               nothing +
                   "malformed (again): The provider's answer is no JSON: The text ends before the value is complete "
                   "(line 1, column 13)\n");
  check_stream(Wire::openai, "data: [DONE]\n\n",
               nothing + "malformed (again): The provider's stream has no choice with a delta\n");
  check_stream(Wire::openai, "data: 1\n\n", nothing + "cut (again): The stream ended without an answer\n");
  CHECK(told_whole(Wire::openai, R"({"choices":[]})") ==
        nothing + "malformed (again): The provider's answer has no choice with a message\n");
  CHECK(told_whole(Wire::openai, R"({"choices":[{}]})") ==
        nothing + "malformed (again): The provider's answer has no choice with a message\n");
  check_stream(Wire::anthropic, "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{}}\n\n",
               nothing + "malformed (again): A content_block_delta names no block that has begun\n");
  check_stream(Wire::ollama, "{\"foo\":1}\n", nothing + "cut (again): The stream ended without an answer\n");
  CHECK(told_whole(Wire::ollama, R"({"message":{"content":"a"},"done":false})") ==
        "{\"text\":\"a\",\"finish\":\"none\"}\ncut (again): The answer says that it is not complete\n");
}

TEST_CASE("every buffer has a bound, and reaching it is told at the same place however the bytes are cut") {
  ReplyOptions options;
  options.answer_bytes_max = 10;
  const std::string stream =
      openai_stream({R"({"choices":[{"delta":{"content":"01234"}}]})", R"({"choices":[{"delta":{"content":"56789"}}]})",
                     R"({"choices":[{"delta":{"content":"x"}}]})"});
  check_stream(Wire::openai, stream,
               "text 01234\ntext 56789\n{\"text\":\"0123456789\",\"finish\":\"none\"}\n"
               "limit: The answer is longer than 10 bytes\n",
               options);
  options = {};
  options.event_bytes_max = 60;
  check_stream(Wire::openai, openai_stream({R"({"choices":[{"delta":{"content":"a"}}]})", std::string(70, 'x')}),
               "text a\n{\"text\":\"a\",\"finish\":\"none\"}\nlimit: A line of the stream is longer than 60 bytes\n",
               options);
  options.event_bytes_max = 70;
  check_stream(Wire::ollama,
               R"({"message":{"content":"a"},"done":false})"
               "\n" +
                   std::string(80, '{'),
               "text a\n{\"text\":\"a\",\"finish\":\"none\"}\nlimit: A line of the stream is longer than 70 bytes\n",
               options);
  options = {};
  options.stream_bytes_max = 105;
  check_stream(Wire::openai, stream + std::string(1000, '\n'),
               "text 01234\ntext 56789\n{\"text\":\"0123456789\",\"finish\":\"none\"}\n"
               "limit: The stream is longer than 105 bytes\n",
               options);
  options = {};
  options.answer_bytes_max = 20;
  check_stream(Wire::openai, recordings::joined(recordings::openai_reply),
               "{\"text\":\"\",\"finish\":\"none\"}\nlimit: The answer is longer than 20 bytes\n", options);
  CHECK(told_whole(Wire::openai, recordings::joined(recordings::openai_reply), options) ==
        "{\"text\":\"\",\"finish\":\"none\"}\nlimit: The answer is longer than 20 bytes\n");
  std::string calls;
  for (int i = 0; i < 1025; ++i) {
    append_sse(calls, R"({"choices":[{"delta":{"tool_calls":[{"index":)" + std::to_string(i) +
                          R"(,"function":{"name":"f"}}]}}]})");
  }
  CHECK(told(Wire::openai, calls).find("limit: The answer has more than 1024 tool calls") != std::string::npos);
}

TEST_CASE("what follows the end of a stream is ignored") {
  const std::string stream = recordings::joined(recordings::openai_text);
  CHECK(told(Wire::openai, stream + "data: {\"error\":\"x\"}\n\ngarbage") == told(Wire::openai, stream));
  const std::string anthropic = recordings::joined(recordings::anthropic_text);
  CHECK(told(Wire::anthropic, anthropic + "data: {{{\n\n") == told(Wire::anthropic, anthropic));
}

TEST_CASE("CRLF, comments, data without a space and broken UTF-8 in a stream change nothing that matters") {
  std::string stream = recordings::joined(recordings::openai_text);
  const std::string expected = told(Wire::openai, stream);
  std::string other = ": OPENROUTER PROCESSING\r\n\r\n";
  for (std::size_t at = 0; at < stream.size(); ++at) {
    if (stream.compare(at, 6, "data: ") == 0) {
      other += "data:";
      at += 5;
    } else if (stream[at] == '\n') {
      other += "\r\n";
    } else {
      other += stream[at];
    }
  }
  check_stream(Wire::openai, other, expected);
  check_stream(Wire::openai, openai_stream({"{\"choices\":[{\"delta\":{\"content\":\"a\xE2\x82z\"}}]}"}),
               "text a\xEF\xBF\xBDz\n{\"text\":\"a\xEF\xBF\xBDz\",\"finish\":\"none\"}\n" + no_reason);
}

TEST_CASE("a character that a server cut between its UTF-16 units is put together again") {
  check_stream(Wire::openai,
               openai_stream({R"({"choices":[{"delta":{"content":"a\ud83d"}}]})",
                              R"({"choices":[{"delta":{"content":"\ude00b\ud83d"}}]})",
                              R"({"choices":[{"delta":{"content":"\ude00"}}]})"}),
               "text a\ntext \xF0\x9F\x98\x80"
               "b\ntext \xF0\x9F\x98\x80\n"
               "{\"text\":\"a\xF0\x9F\x98\x80"
               "b\xF0\x9F\x98\x80\",\"finish\":\"none\"}\n" +
                   no_reason);
  // A half whose other half does not come stays what it is.
  check_stream(Wire::openai,
               openai_stream({R"({"choices":[{"delta":{"content":"\ud83d"}}]})",
                              R"({"choices":[{"delta":{"content":"b\ud83d"},"finish_reason":"stop"}]})"}),
               "text \xED\xA0\xBD\ntext b\ntext \xED\xA0\xBD\nfinish\n"
               "{\"text\":\"\\uD83Db\\uD83D\",\"finish\":\"stop\"}\n");
}
