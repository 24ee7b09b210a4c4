// A client's call for a provider of another wire: carried whole, or refused by name.
#include "core/wire/translate.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/wire/request.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

std::string carried(Wire client, std::string_view body, Wire upstream) {
  const Result<ModelRequest> request = translated_request(client, body, upstream);
  REQUIRE_MESSAGE(request, (request ? "" : request.error().message));
  const Result<std::string> out = request_body(upstream, request.value());
  REQUIRE_MESSAGE(out, (out ? "" : out.error().message));
  return out.value();
}

std::string refused(Wire client, std::string_view body, Wire upstream) {
  const Result<ModelRequest> request = translated_request(client, body, upstream);
  REQUIRE_FALSE(request);
  return request.error().where + " " + request.error().message;
}

constexpr std::string_view openai_body = R"({"model":"m","messages":[
  {"role":"developer","content":"Be brief."},
  {"role":"user","content":[{"type":"text","text":"What is this?"},
    {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},
  {"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"c1","type":"function",
    "function":{"name":"look","arguments":"{\"at\":1}"}}]},
  {"role":"tool","tool_call_id":"c1","content":"a cat"}],
  "tools":[{"type":"function","function":{"name":"look","description":"Looks","strict":true,
    "parameters":{"type":"object","properties":{"at":{"type":"integer"}}}}}],
  "tool_choice":"required","parallel_tool_calls":false,"stop":"END","max_completion_tokens":50,"temperature":0.50,
  "top_p":0.9,"n":1,"logprobs":false,"frequency_penalty":0,"user":"u7","store":false,"plumb":{},
  "stream":true,"stream_options":{"include_usage":true}})";

constexpr std::string_view anthropic_body = R"({"model":"m","max_tokens":50,"system":[{"type":"text","text":"Be brief.",
    "cache_control":{"type":"ephemeral"}}],"messages":[
  {"role":"user","content":"Look."},
  {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Yes."},
    {"type":"tool_use","id":"t1","name":"look","input":{"at":1}}]},
  {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,
    "content":[{"type":"text","text":"dark"}]},{"type":"text","text":"Again."}]}],
  "tools":[{"name":"look","description":"Looks","input_schema":{"type":"object"}}],
  "tool_choice":{"type":"auto","disable_parallel_tool_use":true},"stop_sequences":["END"],"temperature":1,
  "thinking":{"type":"disabled"},"metadata":{"user_id":"u7"}})";

}  // namespace

TEST_CASE("translation: a conversation with tools and an image goes from OpenAI's wire to Anthropic's") {
  CHECK(carried(Wire::openai, openai_body, Wire::anthropic) ==
        R"({"model":"m","max_tokens":50,"system":"Be brief.","messages":[{"role":"user","content":[)"
        R"({"type":"text","text":"What is this?"},{"type":"image","source":{"type":"base64",)"
        R"("media_type":"image/png","data":"AAAA"}}]},{"role":"assistant","content":[{"type":"tool_use","id":"c1",)"
        R"("name":"look","input":{"at":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",)"
        R"("content":"a cat"}]}],"tools":[{"name":"look","description":"Looks","input_schema":{"type":"object",)"
        R"("properties":{"at":{"type":"integer"}}},"strict":true}],"tool_choice":{"type":"any",)"
        R"("disable_parallel_tool_use":true},"temperature":0.50,"stop_sequences":["END"],"stream":true,)"
        R"("top_p":0.9,"metadata":{"user_id":"u7"}})");
}

TEST_CASE("translation: a conversation with tools goes from Anthropic's wire to OpenAI's") {
  CHECK(carried(Wire::anthropic, anthropic_body, Wire::openai) ==
        R"({"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Look."},)"
        R"({"role":"assistant","content":"Yes.","tool_calls":[{"id":"t1","type":"function","function":{)"
        R"("name":"look","arguments":"{\"at\":1}"}}]},{"role":"tool","content":[{"type":"text",)"
        R"("text":"[the tool failed] "},{"type":"text","text":"dark"}],"tool_call_id":"t1"},)"
        R"({"role":"user","content":"Again."}],"tools":[{"type":"function","function":{"name":"look",)"
        R"("description":"Looks","parameters":{"type":"object"}}}],"parallel_tool_calls":false,"temperature":1,)"
        R"("max_tokens":50,"stop":["END"],"stream":false,"user":"u7"})");
}

TEST_CASE("translation: both go to Ollama, which wants the name of the tool that answers") {
  const std::string out = carried(Wire::openai, R"({"model":"m","seed":7,"top_p":0.5,"reasoning_effort":"none",
    "response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}},"messages":[
    {"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"c","content":"x"}]})",
                                  Wire::ollama);
  CHECK(out == R"({"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[{"id":"c",)"
               R"("function":{"name":"look","arguments":{}}}]},{"role":"tool","content":"x","tool_name":"look",)"
               R"("tool_call_id":"c"}],"format":{"type":"object"},"stream":false,"options":{"seed":7,"top_p":0.5},)"
               R"("think":false})");
}

TEST_CASE("translation: a format of an answer is carried from either wire") {
  const std::string schema = R"({"type":"object","properties":{"a":{"type":"null"}}})";
  const std::string to_anthropic =
      carried(Wire::openai,
              R"({"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":)"
              R"("json_schema","json_schema":{"name":"n","strict":true,"schema":)" +
                  schema + "}}}",
              Wire::anthropic);
  CHECK(to_anthropic.find(R"("tool_choice":{"type":"tool","name":"n")") != std::string::npos);
  const std::string to_openai = carried(Wire::anthropic,
                                        R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],)"
                                        R"("output_config":{"format":{"type":"json_schema","schema":)" +
                                            schema + "}}}",
                                        Wire::openai);
  CHECK(to_openai.find(R"("response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,)") !=
        std::string::npos);
}

TEST_CASE("translation: what cannot be carried is refused by name and place") {
  const auto openai = [](std::string_view member) {
    return refused(Wire::openai,
                   R"({"model":"m","messages":[{"role":"user","content":"x"}],)" + std::string(member) + "}",
                   Wire::anthropic);
  };
  CHECK(openai(R"("seed":3)") == "/seed This cannot be carried to Anthropic: this setting has no counterpart there");
  CHECK(openai(R"("n":2)").find("/n ") == 0);
  CHECK(openai(R"("logprobs":true)").find("/logprobs ") == 0);
  CHECK(openai(R"("made_up":1)").find("/made_up ") == 0);
  CHECK(openai(R"("tools":[{"type":"web_search"}])").find("/tools/0/type ") == 0);
  CHECK(openai(R"("tool_choice":{"type":"allowed_tools"})").find("/tool_choice ") == 0);
  CHECK(openai(R"("response_format":{"type":"grammar"})").find("/response_format/type ") == 0);
  CHECK(refused(Wire::openai,
                R"({"model":"m","messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}]})",
                Wire::anthropic)
            .find("/messages/0/content/0/type ") == 0);
  CHECK(refused(Wire::anthropic,
                R"({"model":"m","messages":[{"role":"user","content":[{"type":"document","source":{}}]}]})",
                Wire::openai)
            .find("/messages/0/content/0/type ") == 0);
  CHECK(refused(Wire::anthropic, R"({"model":"m","thinking":{"type":"enabled","budget_tokens":9},"messages":[]})",
                Wire::openai)
            .find("/thinking ") == 0);
  CHECK(refused(Wire::anthropic, R"({"model":"m","tools":[{"type":"bash_20250124","name":"bash"}],"messages":[]})",
                Wire::openai)
            .find("/tools/0 ") == 0);
}

TEST_CASE("translation: to its own wire a call keeps every member, for a repair of the answer") {
  const Result<ModelRequest> request = translated_request(Wire::openai, openai_body, Wire::openai);
  REQUIRE(request);
  CHECK(request.value().messages.size() == 4);
  bool seen = false;
  for (const ExtraMember& extra : request.value().extra) {
    seen = seen || (extra.name == "logprobs" && extra.json == "false");
  }
  CHECK(seen);
}
