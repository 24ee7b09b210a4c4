#include "core/stranger/stranger.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "core/contract/check.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/stranger/grammar.hpp"
#include "core/wire/reply.hpp"
#include "core/wire/request.hpp"

using namespace plumb;
using namespace plumb::stranger;
using wire::Wire;

namespace {

constexpr std::string_view schema =
    R"({"type":"object","required":["title","items","kind"],"additionalProperties":false,"properties":{)"
    R"("title":{"type":"string"},"kind":{"type":"string","enum":["small","large"]},)"
    R"("items":{"type":"array","minItems":1,"items":{"type":"object","required":["name","count"],)"
    R"("additionalProperties":false,"properties":{"name":{"type":"string"},"count":{"type":"integer"}}}}}})";

std::string openai_body(std::string_view model, std::string_view more,
                        std::string_view text = "Copper conducts heat.") {
  std::string out = R"({"model":)";
  json::append_string(out, model);
  out += R"(,"messages":[{"role":"user","content":)";
  json::append_string(out, text);
  out += "}]";
  out += more;
  return out + "}";
}

std::string with_schema(std::string_view of = schema, bool strict = true) {
  return R"(,"response_format":{"type":"json_schema","json_schema":{"name":"thing","strict":)" +
         std::string(strict ? "true" : "false") + R"(,"schema":)" + std::string(of) + "}}";
}

std::string bytes_of(const Answered& answered) {
  std::string out;
  for (const Piece& piece : answered.pieces) {
    out += piece.bytes;
  }
  return out;
}

wire::ModelReply reply_of(Wire wire, const Answered& answered, std::string_view tool = {}) {
  wire::ReplyOptions options;
  options.structured_tool = std::string(tool);
  wire::ReplyStream stream(wire, options);
  const std::string bytes = bytes_of(answered);
  stream.push(bytes);
  for (wire::ModelDelta delta; stream.next(delta);) {
  }
  stream.end();
  for (wire::ModelDelta delta; stream.next(delta);) {
  }
  CAPTURE(bytes);
  REQUIRE_FALSE(stream.failure());
  return stream.reply();
}

std::string refused_by(Wire wire, const std::string& body) {
  Stranger stranger;
  const Answered answered = stranger.answer(wire, body, 0);
  if (answered.refusal == nullptr) {
    return "";
  }
  CHECK(answered.status >= 400);
  CHECK_FALSE(bytes_of(answered).empty());
  return std::string(answered.refusal->id);
}

std::string strict(std::string_view inner) { return openai_body("obedient", with_schema(inner)); }

}  // namespace

TEST_CASE("an obedient answer keeps the schema that was sent, on every wire, whole and in pieces") {
  const Result<contract::Contract> contract = contract::Contract::read(schema);
  REQUIRE(contract);
  Stranger stranger;
  for (const std::string model : {"obedient", "obedient-smallest-4", "obedient-largest-9", "lazy-2"}) {
    for (const std::string stream : {"false", "true"}) {
      const std::string user =
          R"("messages":[{"role":"user","content":"Copper conducts heat. Iron rusts."}],"stream":)";
      const std::string common = R"({"model":")" + model + R"(",)" + user + stream;
      const std::string openai = common + with_schema() + "}";
      const std::string anthropic = common + R"(,"max_tokens":4000,"tools":[{"name":"thing","input_schema":)" +
                                    std::string(schema) + R"(}],"tool_choice":{"type":"tool","name":"thing"}})";
      const std::string ollama = common + R"(,"format":)" + std::string(schema) + "}";
      for (const auto& [wire, body] :
           {std::pair{Wire::openai, openai}, {Wire::anthropic, anthropic}, {Wire::ollama, ollama}}) {
        const Answered answered = stranger.answer(wire, body, 0);
        REQUIRE(answered.status == 200);
        const wire::ModelReply reply = reply_of(wire, answered, "thing");
        CAPTURE(reply.text);
        CHECK(contract::check_text(contract.value(), reply.text).valid);
        CHECK((reply.usage.known || (wire == Wire::openai && stream == "true")));  // told where it is asked for
      }
    }
  }
}

TEST_CASE("the same request has the same answer, another seed or another time has another one") {
  Stranger one;
  Stranger two;
  const std::string body = openai_body("obedient-largest-3", with_schema());
  CHECK(bytes_of(one.answer(Wire::openai, body, 0)) == bytes_of(two.answer(Wire::openai, body, 0)));
  CHECK(bytes_of(one.answer(Wire::openai, body, 0)) != bytes_of(one.answer(Wire::openai, body, 1)));
  CHECK(bytes_of(one.answer(Wire::openai, body, 0)) !=
        bytes_of(one.answer(Wire::openai, openai_body("obedient-largest-4", with_schema()), 0)));
}

TEST_CASE("texts are words of the data that the prompt fences") {
  Stranger stranger;
  const std::string text = "Write.\n<<<source 12ab\nQuokkas graze quietly.\n12ab>>>\nIgnore zebras.";
  const wire::ModelReply reply =
      reply_of(Wire::openai, stranger.answer(Wire::openai, openai_body("obedient", "", text), 0));
  CHECK(reply.text.find("Quokkas") != std::string::npos);
  CHECK(reply.text.find("zebras") == std::string::npos);
}

TEST_CASE("what feedback allows is taken in the version before, and the rest stays") {
  Stranger stranger;
  const std::string before = R"({"title":"T","items":[{"name":"Ada","count":7}],"kind":"small"})";
  const std::string text = "Repair this.\n<<<artifact 1\n" + before +
                           "\n1>>>\n{\"result\":\"validation_failed\",\"issues\":{\"invalid\":[{\"field\":"
                           "\"items[0].name\",\"problem\":\"unknown\",\"allowed\":[\"Grace\"]}]}}";
  const wire::ModelReply reply =
      reply_of(Wire::openai, stranger.answer(Wire::openai, openai_body("obedient", with_schema(), text), 0));
  CHECK(reply.text == R"({"title":"T","items":[{"name":"Grace","count":7}],"kind":"small"})");
}

TEST_CASE("a list of names with places is answered line by line, and a number of things is kept") {
  Stranger stranger;
  constexpr std::string_view claims =
      R"({"type":"object","required":["claims"],"additionalProperties":false,"properties":{"claims":{"type":"array",)"
      R"("items":{"type":"object","required":["rule","at","holds"],"additionalProperties":false,"properties":{)"
      R"("rule":{"type":"string"},"at":{"type":"string"},"holds":{"type":["boolean","null"]}}}}}})";
  const std::string text =
      "Judge.\n- clear: It is clear.\n  at /a/0, /a/1\n- short: It is short.\n  at \"\" (the whole)";
  const wire::ModelReply reply =
      reply_of(Wire::openai, stranger.answer(Wire::openai, openai_body("obedient", with_schema(claims), text), 0));
  CHECK(reply.text.find(R"({"rule":"clear","at":"/a/0",)") != std::string::npos);
  CHECK(reply.text.find(R"({"rule":"clear","at":"/a/1",)") != std::string::npos);
  CHECK(reply.text.find(R"({"rule":"short","at":"",)") != std::string::npos);
  const std::string asked = "Write 7 items about this: copper, iron and tin.";
  const wire::ModelReply seven =
      reply_of(Wire::openai, stranger.answer(Wire::openai, openai_body("obedient", with_schema(), asked), 0));
  json::Arena arena;
  CHECK(json::parse(seven.text, arena).value().find("items")->size == 7);
}

TEST_CASE("what OpenAI refuses in strict schemas is refused") {
  CHECK(refused_by(Wire::openai, strict(schema)).empty());
  const std::string object = R"({"type":"object","required":["a"],"additionalProperties":false,"properties":{"a":)";
  for (const auto& strict_case : std::vector<std::pair<std::string, std::string>>{
           {R"({"type":"array","items":{"type":"string"}})", "openai-root"},
           {R"({"anyOf":[{"type":"object"}]})", "openai-root"},
           {R"({"type":"object","required":[],"properties":{},"additionalProperties":true})", "openai-closed"},
           {R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false})",
            "openai-required"},
           {object + R"({"type":"string","minLength":2}}})", "openai-keyword"},
           {object + R"({"type":"array","uniqueItems":true,"items":{"type":"string"}}}})", "openai-keyword"},
           {object + R"({"oneOf":[{"type":"string"}]}}})", "openai-keyword"},
           {object + R"({"description":"anything"}}})", "openai-type"},
           {object + R"({"$ref":"#/$defs/none"}}})", "openai-reference"},
           {object + R"({"type":"string","pattern":"^a+$"}}})", ""},
           {object + R"({"type":"array","minItems":2,"maxItems":3,"items":{"type":"integer","minimum":1}}}})", ""}}) {
    CAPTURE(strict_case.first);
    CHECK(refused_by(Wire::openai, strict(strict_case.first)) == strict_case.second);
  }
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 11; ++i) {
    deep = object + deep + "}}";
  }
  CHECK(refused_by(Wire::openai, strict(deep)) == "openai-depth");
}

TEST_CASE("what one provider enforces is asked of another only where that one takes it") {
  wire::ModelRequest request;
  request.model = "obedient";
  request.messages.push_back(wire::text_message(wire::Role::user, "Answer as JSON."));
  request.output_tokens_max = 500;
  for (const std::string_view inner :
       {R"({"type":"object","additionalProperties":false,"required":["n"],"properties":)"
        R"({"n":{"type":"integer","minimum":1}}})",
        R"({"type":"object","additionalProperties":false,"properties":{"n":{"type":"string"}}})",
        R"({"type":"object","properties":{"n":{"type":"string","minLength":2}}})"}) {
    request.tools = {{"f", "A tool.", std::string(inner), true}};
    request.format = {wire::FormatKind::text, "", "", false};
    for (const bool tool : {true, false}) {
      for (const Wire wire : {Wire::openai, Wire::anthropic, Wire::ollama}) {
        CAPTURE(inner);
        CHECK(refused_by(wire, wire::request_body(wire, request).value()).empty());
      }
      if (tool) {
        request.tools.clear();
        request.format = {wire::FormatKind::schema, "thing", std::string(inner), true};
      }
    }
  }
}

TEST_CASE("what the interfaces refuse in requests is refused") {
  std::string many;
  for (int i = 0; i < 60; ++i) {
    many += "copper conducts ";
  }
  CHECK(refused_by(Wire::openai, "{") == "openai-body");
  CHECK(refused_by(Wire::openai, R"({"model":"obedient","messages":[]})") == "openai-body");
  CHECK(refused_by(Wire::openai, openai_body("gpt-4o", "")) == "openai-model");
  CHECK(refused_by(Wire::openai, openai_body("obedient", R"(,"plumb":{})")) == "openai-member");
  CHECK(refused_by(Wire::openai, openai_body("obedient", R"(,"temperature":2.5)")) == "openai-temperature");
  CHECK(refused_by(Wire::openai, openai_body("obedient-nosampling", R"(,"temperature":0)")) == "openai-sampling");
  CHECK(refused_by(Wire::openai, openai_body("obedient", R"(,"stream_options":{"include_usage":true})")) ==
        "openai-stream-options");
  CHECK(refused_by(Wire::openai, openai_body("obedient", R"(,"response_format":{"type":"json_object"})")) ==
        "openai-json-word");
  CHECK(refused_by(Wire::openai, openai_body("obedient-context20", "", many)) == "openai-context");
  const std::string tools = R"(,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}])";
  CHECK(refused_by(Wire::openai, openai_body("obedient-notools", tools)) == "openai-notools");
  CHECK(refused_by(Wire::openai, openai_body("obedient", tools)).empty());
  const std::string user = R"("messages":[{"role":"user","content":"Hello"}])";
  const std::string anthropic = R"({"model":"obedient","max_tokens":100,)";
  CHECK(refused_by(Wire::anthropic, anthropic + user + "}").empty());
  CHECK(refused_by(Wire::anthropic, R"({"model":"obedient",)" + user + "}") == "anthropic-body");
  CHECK(refused_by(Wire::anthropic, anthropic + user + R"(,"temperature":1.5})") == "anthropic-temperature");
  CHECK(refused_by(Wire::anthropic, anthropic + R"("messages":[{"role":"system","content":"Hi"}]})") ==
        "anthropic-role");
  CHECK(refused_by(Wire::anthropic, anthropic + R"("messages":[{"role":"user","content":""}]})") == "anthropic-empty");
  const auto strict_tool = [&](std::string_view input) {
    return anthropic + user + R"(,"tools":[{"name":"f","strict":true,"input_schema":)" + std::string(input) + "}]}";
  };
  const std::string closed = R"({"type":"object","additionalProperties":false,"properties":{"a":)";
  CHECK(refused_by(Wire::anthropic, strict_tool(closed + R"({"type":"string"}}})")).empty());
  CHECK(refused_by(Wire::anthropic, strict_tool(closed + R"({"type":"integer","minimum":1}}})")) ==
        "anthropic-keyword");
  CHECK(refused_by(Wire::anthropic, strict_tool(closed + R"({"type":"string","maxLength":9}}})")) ==
        "anthropic-keyword");
  CHECK(refused_by(Wire::anthropic, strict_tool(closed + R"({"type":"array","minItems":3,"items":{}}}})")) ==
        "anthropic-keyword");
  CHECK(refused_by(Wire::anthropic, strict_tool(R"({"type":"object","properties":{}})")) == "anthropic-closed");
  CHECK(refused_by(Wire::anthropic, strict_tool(closed + R"({"$ref":"#"}}})")) == "anthropic-recursive");
  CHECK(refused_by(Wire::ollama, R"({"model":"obedient",)" + user + R"(,"format":"yaml"})") == "ollama-format");
  CHECK(refused_by(Wire::ollama, R"({"model":"obedient-notools",)" + user + tools + "}") == "ollama-notools");
}

TEST_CASE("Ollama leaves out what its context does not hold, and says nothing of it") {
  Stranger stranger;
  std::string text;
  for (int i = 0; i < 4'000; ++i) {
    text += "quartz ";
  }
  std::string content;
  json::append_string(content, text + "The end speaks of amber.");
  const std::string body = R"({"model":"obedient","messages":[{"role":"user","content":)" + content + "}]}";
  const Answered answered = stranger.answer(Wire::ollama, body, 0);
  CHECK(answered.status == 200);
  CHECK(answered.shortened);
  const std::string larger = body.substr(0, body.size() - 1) + R"(,"options":{"num_ctx":32000}})";
  CHECK_FALSE(stranger.answer(Wire::ollama, larger, 0).shortened);
}

TEST_CASE("each fault can be had by itself, and is what it is called") {
  Stranger stranger;
  const auto reply = [&](const std::string& model) {
    return reply_of(Wire::openai, stranger.answer(Wire::openai, openai_body(model, with_schema(schema, false)), 0));
  };
  CHECK(reply("sloppy-fence").text.substr(0, 3) == "```");
  CHECK(reply("sloppy-prose").text.find("Here is") == 0);
  CHECK(reply("sloppy-cut").finish == wire::Finish::length);
  CHECK(reply("sloppy-call").text.find(R"({"name": "thing", "arguments": {)") == 0);
  const wire::ModelReply thinking = reply("sloppy-thinking");
  CHECK((thinking.text + thinking.thinking).find("They want a value.") != std::string::npos);
  const Result<contract::Contract> contract = contract::Contract::read(schema);
  for (const std::string name : {"numbers", "missing", "extra"}) {
    std::size_t broken = 0;
    for (int seed = 1; seed < 9; ++seed) {
      broken += contract::check_text(contract.value(), reply("sloppy-" + name + "-" + std::to_string(seed)).text).valid
                    ? 0U
                    : 1U;
    }
    CAPTURE(name);
    CHECK(broken > 0);
  }
  CHECK(reply("refusing").refusal.size() > 10);
  const auto answered = [&](const std::string& model) {
    return stranger.answer(Wire::openai, openai_body(model, R"(,"stream":true)"), 0);
  };
  CHECK(answered("down-overloaded").status == 503);
  CHECK(answered("down-overloaded").fields.front().first == "retry-after");
  CHECK(answered("down-limited").status == 429);
  CHECK(answered("down-broken").status == 500);
  CHECK(answered("down-page").content_type == "text/html");
  CHECK(answered("down-dropped").status == 0);
  CHECK_FALSE(answered("down-halfway").whole);
  CHECK(answered("slow-late").pieces.front().after_ms >= 5'000);
  CHECK(answered("slow-steady").pieces.back().after_ms >= 50);
}

TEST_CASE("who is held to a schema writes nothing that its grammar does not allow, however sloppy it is") {
  Stranger stranger;
  const contract::Contract strict_schema = contract::Contract::read(schema).value();
  const std::string ollama_schema = R"({"type":"object","required":["title"],"minProperties":2,"properties":{)"
                                    R"("title":{"type":"string"},"notes":{"type":"array","items":{"type":"string"}}}})";
  const contract::Contract grammar = contract::Contract::read(grammar_of(Wire::ollama, ollama_schema, false)).value();
  for (const std::string fault :
       {"fence", "prose", "thinking", "numbers", "ids", "missing", "extra", "call", "rate100"}) {
    for (int seed = 1; seed <= 6; ++seed) {
      const std::string model = "sloppy-" + fault + "-" + std::to_string(seed);
      CAPTURE(model);
      const wire::ModelReply held =
          reply_of(Wire::openai, stranger.answer(Wire::openai, openai_body(model, with_schema()), 0));
      CAPTURE(held.text);
      CHECK((held.finish == wire::Finish::length || contract::check_text(strict_schema, held.text).valid));
      const std::string body = R"({"model":")" + model +
                               R"(","stream":false,"messages":[{"role":"user","content":"Copper."}],"format":)" +
                               ollama_schema + "}";
      const wire::ModelReply ollama = reply_of(Wire::ollama, stranger.answer(Wire::ollama, body, 0));
      CAPTURE(ollama.text);
      CHECK((ollama.finish == wire::Finish::length || contract::check_text(grammar, ollama.text).valid));
      const wire::ModelReply json =
          reply_of(Wire::openai,
                   stranger.answer(Wire::openai,
                                   openai_body(model, R"(,"response_format":{"type":"json_object"})", "Say JSON."), 0));
      json::Arena arena;
      CHECK((json.finish == wire::Finish::length || json::parse(json.text, arena)));
    }
  }
}

TEST_CASE("what a grammar does not know binds nobody, and what it leaves out cannot be written") {
  CHECK(grammar_of(Wire::openai, schema, false).empty());
  CHECK(grammar_of(Wire::openai, schema, true) == schema);
  CHECK(grammar_of(Wire::anthropic, schema, false).empty());
  CHECK(grammar_of(Wire::ollama, R"({"properties":{"type":{"not":{}},"minProperties":{}},"minProperties":2})", false) ==
        R"({"type":"object","properties":{"type":{},"minProperties":{}},"additionalProperties":false})");
  const contract::Contract scalars =
      contract::Contract::read(R"({"type":"object","required":["items"],"additionalProperties":false,"properties":{
        "items":{"type":"array","maxItems":2,"items":{"type":["string","number","boolean","null"]}}}})")
          .value();
  // An object cannot be sent where only scalars can.
  for (const std::string_view value :
       {R"({"items":[{"a":1}]})", R"({"items":[{"a":1},2,3]})", R"({"items":7,"more":1})"}) {
    const std::string held = held_to(scalars, value, R"({"items":[]})", 1);
    CAPTURE(held);
    CHECK(contract::check_text(scalars, held).valid);
  }
  CHECK(held_to(scalars, R"({"items":["a"],"more":1})", "{}", 1) == R"({"items":["a"]})");
  CHECK(held_to(scalars, R"({"items":["a", 1]})", "{}", 1) == R"({"items":["a", 1]})");
}

TEST_CASE("a rate lets the others be obedient") {
  Stranger stranger;
  std::size_t down = 0;
  for (int seed = 1; seed <= 200; ++seed) {
    const std::string body = openai_body("down-broken-rate30-" + std::to_string(seed), "");
    down += stranger.answer(Wire::openai, body, 0).status == 500 ? 1U : 0U;
  }
  CHECK(down > 35);
  CHECK(down < 85);
}

TEST_CASE("a name that says nothing is refused with what was meant") {
  CHECK(read_manner("obedient-largest-12").value().seed == 12);
  CHECK(read_manner("fence").value().mode == Mode::sloppy);
  CHECK(read_manner("anthropic-sloppy-7").value().wire == Wire::anthropic);
  CHECK(read_manner("slopy").error().message.find("sloppy") != std::string::npos);
  CHECK_FALSE(read_manner("obedient-sloppy"));
  CHECK_FALSE(read_manner("obedient-fence"));
  CHECK_FALSE(read_manner("sloppy-rate101"));
  CHECK_FALSE(read_manner(""));
  CHECK_FALSE(read_manner("3-4"));
}

TEST_CASE("every row of the table of refusals has a document and a date, and an id of its own") {
  std::set<std::string_view> ids;
  for (const Refusal& row : refusals()) {
    CHECK(ids.insert(row.id).second);
    CHECK_FALSE(row.document.empty());
    CHECK(row.date.size() == 7);
  }
}
