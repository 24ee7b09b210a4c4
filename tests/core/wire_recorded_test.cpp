#include "core/wire/recorded.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "core/wire/model_json.hpp"
#include "core/wire/reply_writer.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

// Each answer of a record on a line of its own.
std::string told(RecordedBy by, std::string_view text) {
  json::Arena arena;
  const Result<json::Value> record = json::parse(text, arena);
  REQUIRE(record);
  std::vector<RecordedAnswer> answers;
  if (!read_recorded(by, record.value(), text, answers)) {
    return "no call\n";
  }
  std::string out;
  for (const RecordedAnswer& one : answers) {
    out += one.id + "|" + one.model + "|" + one.part + "|" + one.text + "|";
    for (const ToolCall& call : one.calls) {
      out += call.name + call.arguments;
    }
    out += "|" + one.unanswered + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("recorded: what our own writer answers a client is read back, alone and in a record") {
  ModelReply reply;
  reply.text = R"({"a": "\u00e9"})";
  reply.finish = Finish::stop;
  ReplyHead head;
  head.id = "id7";
  head.model = "m";
  for (const Wire wire : {Wire::openai, Wire::anthropic, Wire::responses}) {
    std::string body;
    REQUIRE(append_reply(body, wire, reply, head));
    const RecordedBy by = wire == Wire::anthropic ? RecordedBy::anthropic : RecordedBy::openai;
    const std::string alone = told(by, body);
    INFO(body);
    CHECK(alone.find("|m||" + reply.text + "||\n") != std::string::npos);
    CHECK(told(by, R"({"request":{"model":"x"},"response":)" + body + "}") == alone);
    std::string recorded = R"({"id":"id7","route":"/v1/x","request":{},"answer":)" + body + "}";
    CHECK(told(RecordedBy::plumb, recorded) == "id7|m||" + reply.text + "||\n");
  }
}

TEST_CASE("recorded: a reply as a journal keeps it") {
  ModelReply reply;
  reply.text = "cut";
  reply.model = "m";
  reply.finish = Finish::length;
  std::string text;
  append_model_reply(text, reply);
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  REQUIRE(value);
  const RecordedAnswer answer = read_journalled(value.value());
  CHECK(answer.text == "cut");
  CHECK(answer.unanswered == "the answer was cut off by the limit of its tokens");
}

TEST_CASE("recorded: nothing without a whole answer has an empty reason") {
  for (const RecordedBy by : {RecordedBy::openai, RecordedBy::anthropic, RecordedBy::plumb}) {
    for (const std::string_view text :
         {"{}", "[]", "1", "\"\"", R"({"response":null})", R"({"response":{"response":{"response":{"response":{}}}}})",
          R"({"choices":[]})", R"({"output":[]})", R"({"content":[],"role":"assistant"})", R"({"error":"no"})",
          R"({"response":"data: {}\n\n"})", R"({"choices":[{},{}]})"}) {
      INFO(text);
      const std::string all = told(by, text);
      CHECK(all.find("||\n") == std::string::npos);
      CHECK(all.size() > 10);
    }
  }
}

TEST_CASE("recorded: a trace nested too deep, empty, or of something else is no call") {
  for (const std::string_view text :
       {R"({"resourceSpans":[]})", R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"1","attributes":[]}]}]}]})",
        R"({"resourceSpans":{"scopeSpans":7}})", "7", R"({"spanId":"1","attributes":[{"key":"db.system"}]})"}) {
    INFO(text);
    CHECK(told(RecordedBy::otlp, text) == "no call\n");
  }
}
