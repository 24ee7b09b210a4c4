// A client's call for a provider of another wire: carried whole, or refused by name.
#include "core/wire/translate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/wire/carried.hpp"
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
    "parameters":{"type":"object","properties":{"at":{"type":"integer"}},"additionalProperties":false}}}],
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
        R"("properties":{"at":{"type":"integer"}},"additionalProperties":false},)"
        R"("strict":true}],"tool_choice":{"type":"any",)"
        R"("disable_parallel_tool_use":true},"temperature":0.50,"stop_sequences":["END"],"stream":true,)"
        R"("metadata":{"user_id":"u7"}})");
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

TEST_CASE(
    "translation: a client of Ollama's is carried to all wires, with ids for its calls and types for its images") {
  constexpr std::string_view body = R"({"model":"m","stream":false,"keep_alive":"5m","messages":[
    {"role":"system","content":"Be brief."},
    {"role":"user","content":"What is this?","images":["/9j/AAAA"]},
    {"role":"assistant","content":"","tool_calls":[{"function":{"name":"look","arguments":{"at":1}}},
      {"function":{"name":"hear","arguments":{}}}]},
    {"role":"tool","tool_name":"look","content":"a cat"},{"role":"tool","tool_name":"hear","content":"purr"}],
    "tools":[{"type":"function","function":{"name":"look","description":"Looks","parameters":{"type":"object"}}}],
    "options":{"temperature":1.5,"num_predict":50,"top_k":4,"num_ctx":4096,"stop":["END"]},"think":false})";
  std::vector<std::string> lost;
  REQUIRE(translated_request(Wire::ollama, body, Wire::anthropic, &lost));
  CHECK(lost == std::vector<std::string>{"keep_alive", "options.num_ctx", "temperature"});
  CHECK(carried(Wire::ollama, body, Wire::anthropic) ==
        R"({"model":"m","max_tokens":50,"system":"Be brief.","messages":[{"role":"user","content":[)"
        R"({"type":"text","text":"What is this?"},{"type":"image","source":{"type":"base64",)"
        R"("media_type":"image/jpeg","data":"/9j/AAAA"}}]},{"role":"assistant","content":[{"type":"tool_use",)"
        R"("id":"call_0","name":"look","input":{"at":1}},{"type":"tool_use","id":"call_1","name":"hear","input":{}}]},)"
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0","content":"a cat"},)"
        R"({"type":"tool_result","tool_use_id":"call_1","content":"purr"}]}],"tools":[{"name":"look",)"
        R"("description":"Looks","input_schema":{"type":"object"}}],"temperature":1,"stop_sequences":["END"],)"
        R"("stream":false,"top_k":4})");
  lost.clear();
  REQUIRE(translated_request(Wire::ollama, body, Wire::openai, &lost));
  CHECK(lost == std::vector<std::string>{"keep_alive", "top_k", "options.num_ctx"});
  const std::string to_openai = carried(Wire::ollama, body, Wire::openai);
  CHECK(to_openai.find(R"("url":"data:image/jpeg;base64,/9j/AAAA")") != std::string::npos);
  CHECK(to_openai.find(R"("content":"purr","tool_call_id":"call_1")") != std::string::npos);
  // What a guard asks of Ollama itself keeps all options.
  const std::string to_ollama = carried(Wire::ollama, body, Wire::ollama);
  CHECK(to_ollama.find(R"("options":{"temperature":1.5,"num_predict":50,"stop":["END"],"top_k":4,"num_ctx":4096})") !=
        std::string::npos);
  CHECK(to_ollama.find(R"("keep_alive":"5m")") != std::string::npos);
  CHECK(refused(Wire::ollama, R"({"model":"m","messages":[{"role":"developer","content":"x"}]})", Wire::openai) ==
        "/messages/0/role A role is system, user, assistant or tool");
}

TEST_CASE("translation: a format of an answer is carried from either wire") {
  const std::string schema =
      R"({"type":"object","properties":{"a":{"type":"null"}},"required":["a"],"additionalProperties":false})";
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

TEST_CASE("translation: where a schema is not enforced by who gets the call, the client is told") {
  const auto lost = [](Wire client, Wire upstream, const std::string& members) {
    const std::string body =
        R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],)" + members + "}";
    std::vector<std::string> out;
    REQUIRE(wire::translated_request(client, body, upstream, &out));
    std::string text;
    for (const std::string& one : out) {
      text += (text.empty() ? "" : " ") + one;
    }
    return text;
  };
  const auto format = [](const std::string& schema, const std::string& strict) {
    return R"("response_format":{"type":"json_schema","json_schema":{"name":"n","strict":)" + strict + R"(,"schema":)" +
           schema + "}}";
  };
  const auto tool = [](const std::string& schema) {
    return R"("tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":)" + schema + "}}]";
  };
  const std::string plain =
      R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false})";
  // Anthropic enforces no bounds, OpenAI wants every property required.
  const std::string bounded = R"({"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"],)"
                              R"("additionalProperties":false})";
  const std::string optional = R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false})";
  CHECK(lost(Wire::openai, Wire::anthropic, format(plain, "true")).empty());
  CHECK(lost(Wire::openai, Wire::anthropic, format(bounded, "true")) == "response_format.strict");
  CHECK(lost(Wire::openai, Wire::anthropic, format(bounded, "false")).empty());
  CHECK(lost(Wire::openai, Wire::ollama, format(bounded, "true")).empty());
  CHECK(lost(Wire::openai, Wire::anthropic, tool(plain)).empty());
  CHECK(lost(Wire::openai, Wire::anthropic, tool(bounded)) == "tools.strict");
  CHECK(lost(Wire::openai, Wire::ollama, tool(plain)) == "tools.strict");
  const auto output = [](const std::string& schema) {
    return R"("output_format":{"type":"json_schema","schema":)" + schema + "}";
  };
  CHECK(lost(Wire::anthropic, Wire::openai, output(plain)).empty());
  CHECK(lost(Wire::anthropic, Wire::openai, output(optional)) == "output_format.strict");
  CHECK(lost(Wire::anthropic, Wire::openai,
             R"("output_config":{"format":{"type":"json_schema","schema":)" + optional + "}}") ==
        "output_config.strict");
}

TEST_CASE("translation: what cannot be carried is refused by name and place") {
  const auto openai = [](std::string_view member) {
    return refused(Wire::openai,
                   R"({"model":"m","messages":[{"role":"user","content":"x"}],)" + std::string(member) + "}",
                   Wire::anthropic);
  };
  CHECK(openai(R"("n":2)") == "/n This cannot be carried to Anthropic: this setting has no counterpart there");
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
  CHECK(refused(Wire::anthropic, R"({"model":"m","tools":[{"type":"bash_20250124","name":"bash"}],"messages":[]})",
                Wire::openai)
            .find("/tools/0 ") == 0);
}

TEST_CASE("translation: every row of the table of settings is what the translation does") {
  // A value that says something, for each row.
  const std::map<std::string_view, std::string_view> values = {
      {"model", R"("m")"},
      {"stream", "true"},
      {"max_tokens", "9"},
      {"max_completion_tokens", "9"},
      {"stop", R"("END")"},
      {"stop_sequences", R"(["END"])"},
      {"temperature", "1.5"},
      {"top_p", "0.5"},
      {"top_k", "3"},
      {"min_p", "0.1"},
      {"seed", "3"},
      {"frequency_penalty", "0.5"},
      {"presence_penalty", "0.5"},
      {"repeat_penalty", "1.1"},
      {"reasoning_effort", R"("low")"},
      {"thinking", R"({"type":"enabled","budget_tokens":1024})"},
      {"verbosity", R"("low")"},
      {"prediction", R"({"type":"content","content":"x"})"},
      {"user", R"("u")"},
      {"metadata", R"({"user_id":"u"})"},
      {"store", "true"},
      {"service_tier", R"("flex")"},
      {"cache_control", R"({"type":"ephemeral"})"},
      {"prompt_cache_key", R"("k")"},
      {"prompt_cache_retention", R"("24h")"},
      {"safety_identifier", R"("s")"},
      {"response_format", R"({"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}})"},
      {"output_config", R"({"format":{"type":"json_schema","schema":{"type":"object"}}})"},
      {"output_format", R"({"type":"json_schema","schema":{"type":"object"}})"},
      {"tools", ""},
      {"tool_choice", ""},
      {"parallel_tool_calls", "false"},
      {"n", "2"},
      {"logprobs", "true"},
      {"top_logprobs", "2"},
      {"logit_bias", R"({"50256":-100})"},
      {"modalities", R"(["audio"])"},
      {"audio", R"({"voice":"a"})"},
      {"web_search_options", R"({"a":1})"},
      {"mcp_servers", R"([{"url":"x"}])"},
  };
  const std::string function_tools = R"([{"type":"function","function":{"name":"t","parameters":{"type":"object"}}}])";
  const std::string anthropic_tools = R"([{"name":"t","input_schema":{"type":"object"}}])";
  for (const Carried& row : carried_settings(Wire::openai)) {
    CAPTURE(row.name);
    REQUIRE(values.count(row.name) == 1);
    for (const Wire client : {Wire::openai, Wire::anthropic}) {
      // A setting of one wire's clients alone: its own column is none.
      const bool foreign = fate_of(row, client) != Fate::none && row.openai != row.anthropic &&
                           fate_of(row, client == Wire::openai ? Wire::anthropic : Wire::openai) == Fate::none;
      if (foreign)
        continue;
      for (const Wire upstream : {Wire::openai, Wire::anthropic, Wire::ollama}) {
        const Fate fate = fate_of(row, upstream);
        if (upstream == client || fate == Fate::none)
          continue;
        CAPTURE(wire_name(client));
        CAPTURE(wire_name(upstream));
        const bool about_tools = row.name.find("tool") != std::string_view::npos;
        std::string body = R"({"messages":[{"role":"user","content":"x"}])";
        if (row.name != "model")
          body += R"(,"model":"m")";
        if (about_tools)
          body += R"(,"tools":)" + (client == Wire::openai ? function_tools : anthropic_tools);
        if (row.name == "tool_choice")
          body += client == Wire::openai ? R"(,"tool_choice":"required")" : R"(,"tool_choice":{"type":"any"})";
        else if (row.name != "tools")
          body += ",\"" + std::string(row.name) + "\":" + std::string(values.at(row.name));
        body += "}";
        std::vector<std::string> lost;
        const Result<ModelRequest> request = translated_request(client, body, upstream, &lost);
        const Result<std::string> written =
            request ? request_body(upstream, request.value()) : Result<std::string>(request.error());
        const bool is_lost = std::find(lost.begin(), lost.end(), row.name) != lost.end();
        if (fate == Fate::refused) {
          CHECK_FALSE(written);
          continue;
        }
        REQUIRE_MESSAGE(written, (written ? "" : written.error().message));
        const std::string member = "\"" + std::string(row.name) + "\":";
        CHECK(is_lost == (fate == Fate::dropped || (row.name == "temperature" && upstream == Wire::anthropic)));
        if (fate == Fate::dropped)
          CHECK(written.value().find(member) == std::string::npos);
        if (fate == Fate::kept)
          CHECK(written.value().find(member) != std::string::npos);
        if (fate == Fate::option)
          CHECK(written.value().find(member) > written.value().find("\"options\":"));
      }
    }
  }
}

TEST_CASE("translation: Anthropic gets no temperature above 1, and none beside top_p") {
  const std::string body = R"({"model":"m","messages":[{"role":"user","content":"x"}],"top_p":0.5,"temperature":1.7})";
  std::vector<std::string> lost;
  const Result<ModelRequest> request = translated_request(Wire::openai, body, Wire::anthropic, &lost);
  REQUIRE(request);
  CHECK(request.value().temperature == "1");
  CHECK(request.value().extra.empty());
  CHECK(lost == std::vector<std::string>{"temperature", "top_p"});
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
