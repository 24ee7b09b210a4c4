#include "core/wire/request.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/wire/model_json.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

ModelRequest request_of(std::string_view text) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  REQUIRE(value);
  Result<ModelRequest> request = read_model_request(value.value());
  REQUIRE(request);
  return std::move(request).value();
}

std::string body_of(Wire wire, const ModelRequest& request, const RequestOptions& options = {}) {
  const Result<std::string> body = request_body(wire, request, options);
  return body ? body.value() : body.error().where + ": " + body.error().message;
}

std::string body_of(Wire wire, std::string_view text) { return body_of(wire, request_of(text)); }

std::string reading(std::string_view text) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  REQUIRE(value);
  const Result<ModelRequest> request = read_model_request(value.value());
  return request ? "fine" : request.error().where + ": " + request.error().message;
}

constexpr std::string_view plain =
    R"({"phase":"generate","model":"m","contract":"quiz","early_stop":"none","messages":[
    {"role":"system","content":"Be brief."},{"role":"user","content":"Say \"hi\"."}],
    "temperature":0.20,"output_tokens_max":100,"stop":["END"],"stream":true,"extra":{"seed":7,"user":"u"}})";

constexpr std::string_view with_tools =
    R"({"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":[{"type":"text","text":"Look"},
    {"type":"image","media_type":"image/png","data":"iVBO"}]},{"role":"assistant","content":"","calls":[
    {"id":"c1","name":"look","arguments":"{\"x\":1}"},{"id":"c2","name":"wait","arguments":""}]},
    {"role":"tool","call_id":"c1","tool_name":"look","content":"seen"},
    {"role":"tool","call_id":"c2","tool_name":"wait","content":"done"},{"role":"user","content":"So?"}],
    "tools":[{"name":"look","description":"Looks.","parameters":{"type":"object",
    "properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false},"strict":true},
    {"name":"wait"}]})";

}  // namespace

TEST_CASE("requests: a plain one for each provider") {
  CHECK(body_of(Wire::openai, plain) ==
        R"({"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Say \"hi\"."}],)"
        R"("temperature":0.20,"max_tokens":100,"stop":["END"],"stream":true,"stream_options":{"include_usage":true},)"
        R"("seed":7,"user":"u"})");
  CHECK(body_of(Wire::anthropic, plain) ==
        R"({"model":"m","max_tokens":100,"system":"Be brief.","messages":[{"role":"user","content":[)"
        R"({"type":"text","text":"Say \"hi\"."}]}],"temperature":0.20,"stop_sequences":["END"],"stream":true,)"
        R"("seed":7,"user":"u"})");
  CHECK(body_of(Wire::ollama, plain) ==
        R"({"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Say \"hi\"."}],)"
        R"("stream":true,"options":{"temperature":0.20,"num_predict":100,"stop":["END"]},"seed":7,"user":"u"})");
}

TEST_CASE("requests: images, calls, what tools answered, and tools") {
  CHECK(
      body_of(Wire::openai, with_tools) ==
      R"({"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":[)"
      R"({"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBO"}}]},)"
      R"({"role":"assistant","content":"","tool_calls":[)"
      R"({"id":"c1","type":"function","function":{"name":"look","arguments":"{\"x\":1}"}},)"
      R"({"id":"c2","type":"function","function":{"name":"wait","arguments":""}}]},)"
      R"({"role":"tool","content":"seen","tool_call_id":"c1"},{"role":"tool","content":"done","tool_call_id":"c2"},)"
      R"({"role":"user","content":"So?"}],"tools":[{"type":"function","function":{"name":"look",)"
      R"("description":"Looks.","parameters":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],)"
      R"("additionalProperties":false},"strict":true}},)"
      R"({"type":"function","function":{"name":"wait","parameters":{"type":"object","properties":{}}}}],)"
      R"("stream":false})");
  CHECK(body_of(Wire::anthropic, with_tools) ==
        R"({"model":"m","max_tokens":4096,"system":"S","messages":[{"role":"user","content":[)"
        R"({"type":"text","text":"Look"},{"type":"image","source":{"type":"base64","media_type":"image/png",)"
        R"("data":"iVBO"}}]},{"role":"assistant","content":[)"
        R"({"type":"tool_use","id":"c1","name":"look","input":{"x":1}},)"
        R"({"type":"tool_use","id":"c2","name":"wait","input":{}}]},{"role":"user","content":[)"
        R"({"type":"tool_result","tool_use_id":"c1","content":"seen"},)"
        R"({"type":"tool_result","tool_use_id":"c2","content":"done"},{"type":"text","text":"So?"}]}],)"
        R"("tools":[{"name":"look","description":"Looks.","input_schema":{"type":"object",)"
        R"("properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false},"strict":true},)"
        R"({"name":"wait","input_schema":{"type":"object"}}],)"
        R"("stream":false})");
  CHECK(
      body_of(Wire::ollama, with_tools) ==
      R"({"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"Look",)"
      R"("images":["iVBO"]},{"role":"assistant","content":"","tool_calls":[)"
      R"({"id":"c1","function":{"name":"look","arguments":{"x":1}}},)"
      R"({"id":"c2","function":{"name":"wait","arguments":{}}}]},)"
      R"({"role":"tool","content":"seen","tool_name":"look","tool_call_id":"c1"},)"
      R"({"role":"tool","content":"done","tool_name":"wait","tool_call_id":"c2"},)"
      R"({"role":"user","content":"So?"}],"tools":[{"type":"function","function":{"name":"look",)"
      R"("description":"Looks.","parameters":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],)"
      R"("additionalProperties":false},"strict":true}},)"
      R"({"type":"function","function":{"name":"wait","parameters":{"type":"object","properties":{}}}}],)"
      R"("stream":false})");
}

TEST_CASE("requests: a schema for the answer, strict where the provider takes it so, or plain") {
  ModelRequest request;
  request.model = "m";
  request.messages.push_back(text_message(Role::user, "Q"));
  request.format = {
      FormatKind::schema, "plumb:quiz",
      R"({"type":"object","required":["a"],"additionalProperties":false,"properties":{"a":{"type":"number",)"
      R"("minimum":1.50}}})",
      true};
  CHECK(body_of(Wire::openai, request)
            .find(R"("response_format":{"type":"json_schema","json_schema":{"name":"plumb_quiz","strict":true,)"
                  R"("schema":{"type":"object","required":["a"],"additionalProperties":false,"properties":{"a":)"
                  R"({"type":"number","minimum":1.50}}}}})") != std::string::npos);
  CHECK(
      body_of(Wire::anthropic, request)
          .find(
              R"("tools":[{"name":"plumb_quiz","description":"Gives the answer. Call it once, with the whole answer.",)"
              R"("input_schema":{"type":"object","required":["a"],"additionalProperties":false,"properties":{"a":)"
              R"({"type":"number","minimum":1.50}}}}],)"
              R"("tool_choice":{"type":"tool","name":"plumb_quiz","disable_parallel_tool_use":true})") !=
      std::string::npos);
  CHECK(structured_tool(Wire::anthropic, request) == "plumb_quiz");
  CHECK(structured_tool(Wire::openai, request).empty());
  CHECK(body_of(Wire::ollama, request).find(R"("a":{"type":"number","minimum":1.50}}},"stream":false})") !=
        std::string::npos);
  request.format.strict = false;
  request.format.name = ":::";
  CHECK(body_of(Wire::openai, request).find(R"("name":"answer","strict":false,)") != std::string::npos);
  CHECK(body_of(Wire::anthropic, request).find(R"("strict")") == std::string::npos);
  request.tools.push_back({"look", "", "", false});
  CHECK(body_of(Wire::anthropic, request).find(R"("tool_choice":{"type":"any"})") != std::string::npos);
  request.format = {FormatKind::json, "", "", false};
  CHECK(body_of(Wire::openai, request).find(R"("response_format":{"type":"json_object"})") != std::string::npos);
  CHECK(body_of(Wire::ollama, request).find(R"("format":"json")") != std::string::npos);
}

TEST_CASE("requests: a choice of tool, the newer name of the token limit, options of Ollama joined") {
  ModelRequest request = request_of(with_tools);
  request.tool_choice = ToolChoice::named;
  request.tool_choice_name = "wait";
  CHECK(body_of(Wire::openai, request).find(R"("tool_choice":{"type":"function","function":{"name":"wait"}})") !=
        std::string::npos);
  CHECK(body_of(Wire::anthropic, request).find(R"("tool_choice":{"type":"tool","name":"wait"})") != std::string::npos);
  CHECK(body_of(Wire::ollama, request) == "/tool_choice: Ollama cannot be made to call a tool");
  request.tool_choice = ToolChoice::none;
  CHECK(body_of(Wire::openai, request).find(R"("tool_choice":"none")") != std::string::npos);
  CHECK(body_of(Wire::ollama, request).find("\"tools\"") == std::string::npos);
  RequestOptions options;
  options.completion_tokens = true;
  request.output_tokens_max = 5;
  CHECK(body_of(Wire::openai, request, options).find(R"("max_completion_tokens":5,)") != std::string::npos);
  request.extra = {{"keep_alive", "\"5m\""}, {"options", R"({"num_ctx":8192})"}};
  CHECK(body_of(Wire::ollama, request).find(R"("options":{"num_predict":5,"num_ctx":8192},"keep_alive":"5m"})") !=
        std::string::npos);
}

TEST_CASE("requests: what cannot be asked is refused with the place") {
  ModelRequest request = request_of(with_tools);
  CHECK(body_of(Wire::openai, ModelRequest{}) == "/model: No model is named");
  const auto changed = [&](auto change) {
    ModelRequest other = request;
    change(other);
    return other;
  };
  CHECK(body_of(Wire::openai, changed([](ModelRequest& r) { r.messages.clear(); })) ==
        "/messages: There is no message");
  CHECK(body_of(Wire::openai, changed([](ModelRequest& r) { r.temperature = "warm"; })).substr(0, 40) ==
        "/temperature: The temperature is no numb");
  CHECK(body_of(Wire::openai, changed([](ModelRequest& r) { r.tools[1].parameters = "[]"; })) ==
        "/tools/1/parameters: A tool's schema is no JSON object");
  CHECK(body_of(Wire::openai, changed([](ModelRequest& r) { r.tools[1].name = "look"; })) ==
        "/tools/1/name: Two tools have this name");
  CHECK(body_of(Wire::openai, changed([](ModelRequest& r) { r.tool_choice = ToolChoice::named; })) ==
        "/tool_choice: No tool has the name that is chosen");
  CHECK(body_of(Wire::openai, changed([](ModelRequest& r) {
                  r.extra = {{"model", "\"x\""}};
                })) == "/extra/model: This member is written from the request itself");
  CHECK(body_of(Wire::openai, changed([](ModelRequest& r) {
                  r.extra = {{"a", "1"}, {"a", "2"}};
                })) == "/extra/a: This member appears twice");
  CHECK(body_of(Wire::openai, changed([](ModelRequest& r) {
                  r.extra = {{"a", "1}"}};
                }))
            .substr(0, 31) == "/extra/a: This member is no JSO");
  CHECK(body_of(Wire::anthropic, changed([](ModelRequest& r) { r.messages[2].calls[0].arguments = "{"; })) ==
        "/messages/2/calls/0/arguments: Anthropic takes only arguments that are a JSON object");
  CHECK(body_of(Wire::anthropic, changed([](ModelRequest& r) { r.messages.resize(1); })) ==
        "/messages: Anthropic needs a message that is not of the system and not empty");
  CHECK(body_of(Wire::anthropic, changed([](ModelRequest& r) {
                  r.format = {FormatKind::schema, "n", R"({"type":"array"})", false};
                })) == "/format/schema: Anthropic takes only schemas of an object");
  CHECK(body_of(Wire::ollama, changed([](ModelRequest& r) {
                  r.messages[1].content[1] = {PartKind::image_url, "https://example.org/a.png", ""};
                })) == "/messages/1/content: Ollama takes images as data, not by address");
  CHECK(body_of(Wire::ollama, changed([](ModelRequest& r) {
                  r.temperature = "0";
                  r.extra = {{"options", R"({"temperature":1})"}};
                })) == "/extra/options/temperature: This option is written from the request itself");
  RequestOptions small;
  small.body_bytes_max = 100;
  const Result<std::string> large = request_body(Wire::openai, request, small);
  REQUIRE_FALSE(large);
  CHECK(large.error().code == ErrorCode::limit);
}

TEST_CASE("requests: what is no request of a model effect is refused with the place") {
  CHECK(reading("[]") == ": What a model is asked is an object");
  CHECK(reading("{}") == "/messages: A model is asked with messages");
  CHECK(reading(R"({"messages":[{"role":"bot","content":"x"}]})") ==
        "/messages/0/role: A role is system, user, assistant or tool");
  CHECK(reading(R"({"messages":[{"role":"user","content":7}]})") ==
        "/messages/0/content: A message's content is a text or a list of parts");
  CHECK(reading(R"({"messages":[{"role":"user","content":[{"type":"sound"}]}]})") ==
        "/messages/0/content/0/type: A part of a message is of type text or image");
  CHECK(reading(R"({"messages":[{"role":"user","content":[{"type":"text"}]}]})") ==
        "/messages/0/content/0/text: This part has no text or data");
  CHECK(reading(R"({"messages":[],"temperature":"1"})") == "/temperature: A temperature must be a number");
  CHECK(reading(R"({"messages":[],"output_tokens_max":1.5})") ==
        "/output_tokens_max: A limit of tokens is an integer from 1 on");
  CHECK(reading(R"({"messages":[],"model":1})") == "/model: This is no text");
  CHECK(reading(R"({"messages":[],"tool_choice":"any"})") ==
        "/tool_choice: A choice of tool is auto, none, required or an object with a name");
  CHECK(reading(R"({"messages":[],"format":{"name":"x"}})") ==
        "/format: A format is \"json\" or an object with a schema");
  CHECK(reading(R"({"messages":[],"stop":[1]})") == "/stop/0: This is no text");
}
