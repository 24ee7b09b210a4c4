// What a client asks: reading what matters of a body, and changing it in place.
#include <doctest/doctest.h>

#include <string>

#include "core/json/value.hpp"
#include "core/wire/client_request.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

ClientRequest read(std::string_view body, Wire wire = Wire::openai) {
  Result<ClientRequest> request = read_client_request(wire, body);
  REQUIRE_MESSAGE(request, (request ? "" : request.error().message));
  return std::move(request).value();
}

Error refused(std::string_view body, Wire wire = Wire::openai, const ClientLimits& limits = {}) {
  const Result<ClientRequest> request = read_client_request(wire, body, limits);
  REQUIRE_FALSE(request);
  return request.error();
}

std::string changed(std::string_view body, const BodyChanges& changes) {
  const std::string out = changed_body(body, read(body), changes);
  json::Arena arena;
  CHECK_MESSAGE(json::parse(out, arena), out);
  return out;
}

constexpr std::string_view plain = R"({"model":"m","messages":[{"role":"user","content":"hi"}]})";

}  // namespace

TEST_CASE("client request: what matters of an OpenAI body is read wherever it stands") {
  const std::string body = R"( {"messages": [{"role":"user","content":"hi"}, {"role":"user","content":"you"}],
    "stream_options": {"include_usage": true}, "n": 3, "max_tokens": 10, "max_completion_tokens": 20,
    "temperature": 0.0, "stream": true, "parallel_tool_calls": false, "tools": [], "unknown": {"model": "no"},
    "response_format": {"type": "json_object"}, "model": "gpt-\u0034o"} )";
  const ClientRequest request = read(body);
  CHECK(request.model == "gpt-4o");
  CHECK(request.model_at.in(body) == R"("gpt-\u0034o")");
  CHECK(request.stream);
  CHECK(request.include_usage);
  CHECK(request.choices == 3);
  CHECK(request.output_tokens_max == 20);
  CHECK_FALSE(request.calls_in_parallel);
  CHECK(request.messages == 2);
  CHECK(request.tools_at.in(body) == "[]");
  CHECK(request.format_at.in(body) == R"({"type": "json_object"})");
  CHECK_FALSE(request.plumb.there);
  CHECK(request.members.size() == 12);
}

TEST_CASE("client request: Anthropic's words are Anthropic's") {
  const std::string body =
      R"({"model":"claude","max_tokens":5,"n":9,"stream":false,"temperature":1e-0,"tool_choice":)"
      R"({"type":"auto","disable_parallel_tool_use":true},"messages":[{"role":"user","content":[{"type":"image",)"
      R"("source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]})";
  const ClientRequest request = read(body, Wire::anthropic);
  CHECK(request.choices == 1);
  CHECK(request.output_tokens_max == 5);
  CHECK_FALSE(request.calls_in_parallel);
  CHECK(request.images == 1);
  CHECK(request.messages == 1);
}

TEST_CASE("client request: the plumb object is read and its slips are told with a place") {
  const ClientRequest request =
      read(R"({"model":"m","messages":[1],"plumb":{"contract":{"type": "object"},"mode":"hold-back",)"
           R"("edits":{"fence":"none"},)"
           R"("attempts":1,"on_error":"pass","tokens_max":9000,"context":[1, 2]}})");
  CHECK(request.plumb.there);
  CHECK(request.plumb.schema == R"({"type": "object"})");
  CHECK(request.plumb.contract.empty());
  CHECK(request.plumb.mode == "hold-back");
  CHECK(request.plumb.edits == R"({"fence":"none"})");
  CHECK(request.plumb.attempts == 1);
  CHECK(request.plumb.on_error == "pass");
  CHECK(request.plumb.tokens_max == 9000);
  CHECK(request.plumb.context == "[1, 2]");

  const auto wrong = [](std::string_view plumb) {
    return refused(std::string(R"({"model":"m","messages":[1],"plumb":)") + std::string(plumb) + "}");
  };
  CHECK(wrong(R"({"mod":"enforce"})").message == "plumb has no member \"mod\"; did you mean mode?");
  CHECK(wrong(R"({"mod":"enforce"})").where == "/plumb/mod");
  CHECK(wrong(R"({"mode":"strict"})").message == "This must be one of observe, enforce, hold-back");
  CHECK(wrong(R"({"contract":""})").message == "A contract must be a name or a JSON Schema");
  CHECK(wrong(R"({"attempts":11})").message == "At most 10 repairs can be asked for");
  CHECK(wrong(R"({"attempts":-1})").message == "This must be an integer of 0 or more");
  CHECK(wrong("[]").message == "plumb must be an object");
  CHECK(wrong(R"({"attempts":"1"})").column == 49);
}

TEST_CASE("client request: bodies that are none are refused with place and reason") {
  CHECK(refused("").message == "The body cannot be read: The text is empty, a JSON value is required");
  CHECK(refused("[]").message == "The body must be a JSON object");
  CHECK(refused("{}").where == "/model");
  CHECK(refused(R"({"model":"","messages":[1]})").where == "/model");
  CHECK(refused(R"({"model":7,"messages":[1]})").where == "/model");
  CHECK(refused(R"({"model":"m"})").where == "/messages");
  CHECK(refused(R"({"model":"m","messages":[]})").where == "/messages");
  CHECK(refused(R"({"model":"m","messages":{}})").where == "/messages");
  CHECK(refused(R"({"model":"m","messages":[1],"stream":"yes"})").where == "/stream");
  CHECK(refused(R"({"model":"m","messages":[1],"n":1.5})").where == "/n");
  CHECK(refused(R"({"model":"m","messages":[1],"temperature":"0"})").where == "/temperature");
  CHECK(refused("{\"model\":\"m\",\n \"messages\":[\"\xC3\"]}").message ==
        "The body cannot be read: The text is not valid UTF-8");
  CHECK(refused("{\"model\":\"m\",\n \"messages\":[\"\xC3\"]}").line == 2);
  CHECK(refused(R"({"model":"m","messages":[1]} x)").message ==
        "The body cannot be read: Nothing may follow the value");
  CHECK(refused(std::string(200, '[')).message.find("nested too deeply") != std::string::npos);
  ClientLimits small;
  small.body_bytes_max = 20;
  CHECK(refused(plain, Wire::openai, small).code == ErrorCode::limit);
  CHECK(failure_of_request(refused(plain, Wire::openai, small)).status == 413);
  CHECK(failure_of_request(refused("{}")).status == 400);
}

TEST_CASE("client request: a member that stands twice is refused at any depth and in any number") {
  CHECK(refused(R"({"model":"m","messages":[1],"mod\u0065l":"n"})").message ==
        "The body cannot be read: A member appears twice in this object");
  CHECK_FALSE(read_client_request(Wire::openai, R"({"model":"m","messages":[{"role":"a","content":"x","role":"b"}]})"));
  std::string many = R"({"model":"m","messages":[{)";
  for (int i = 0; i < 300; ++i) {
    many += "\"k" + std::to_string(i) + "\":0,";
  }
  CHECK(read_client_request(Wire::openai, many + "\"last\":0}]}"));
  CHECK_FALSE(read_client_request(Wire::openai, many + "\"k7\":0}]}"));
}

TEST_CASE("client request: changing a body leaves every other byte as it came") {
  const std::string body =
      "{ \"model\" : \"alias\",\n \"n\":1.0, \"x\":[1e400, \"\\u0041\"], \"plumb\": {\"mode\":\"observe\"} , "
      "\"messages\":[ 1 ] }\r\n";
  BodyChanges changes;
  CHECK(changed(body, changes) == body);
  changes.model = "real \"one\"";
  changes.remove_plumb = true;
  CHECK(changed(body, changes) ==
        "{ \"model\" : \"real \\\"one\\\"\",\n \"n\":1.0, \"x\":[1e400, \"\\u0041\"] , "
        "\"messages\":[ 1 ] }\r\n");
}

TEST_CASE("client request: usage is asked for in a stream and nowhere else") {
  BodyChanges changes;
  changes.include_usage = true;
  CHECK(changed(plain, changes) == plain);
  CHECK(changed(R"({"model":"m","messages":[1],"stream":true})", changes) ==
        R"({"model":"m","messages":[1],"stream":true,"stream_options":{"include_usage":true}})");
  CHECK(changed(R"({"model":"m","stream_options":{"a":1,"include_usage":false},"messages":[1],"stream":true})",
                changes) ==
        R"({"model":"m","stream_options":{"a":1,"include_usage":true},"messages":[1],"stream":true})");
  CHECK(changed(R"({"model":"m","stream_options":null,"messages":[1],"stream":true})", changes) ==
        R"({"model":"m","stream_options":{"include_usage":true},"messages":[1],"stream":true})");
  constexpr std::string_view anthropic = R"({"model":"m","messages":[1],"stream":true})";
  CHECK(changed_body(anthropic, read(anthropic, Wire::anthropic), changes) == anthropic);
  changes.stream = true;
  CHECK(changed(R"({"model":"m","messages":[1]})", changes) ==
        R"({"model":"m","messages":[1],"stream":true,"stream_options":{"include_usage":true}})");
}

TEST_CASE("client request: members can be taken away in any place and added at the end") {
  BodyChanges changes;
  changes.remove_plumb = true;
  changes.stream = false;
  CHECK(changed(R"({"plumb":{},"stream_options":{},"model":"m","stream":true,"messages":[1]})", changes) ==
        R"({"model":"m","stream":false,"messages":[1]})");
  CHECK(changed(R"({"model":"m","messages":[1],"plumb":{},"stream_options":{}})", changes) ==
        R"({"model":"m","messages":[1],"stream":false})");
  changes.members = R"("max_tokens":5)";
  CHECK(changed(R"({"model":"m","plumb":{},"messages":[1]})", changes) ==
        R"({"model":"m","messages":[1],"stream":false,"max_tokens":5})");
}

TEST_CASE("client request: what a text may be in tokens is counted by its letters, wherever they lie") {
  const auto most = [](std::string_view text) {
    return read(R"({"model":"m","messages":[{"role":"user","content":")" + std::string(text) + "\"}]}")
        .input_tokens_most;
  };
  const std::uint64_t empty = most("");
  for (std::size_t ascii = 0; ascii < 600; ascii += 7) {
    for (std::size_t other = 0; other < 600; other += 11) {
      std::string text(ascii / 2, 'a');
      for (std::size_t i = 0; i < other; ++i) {
        text += "\u00E9";
      }
      text += std::string(ascii - ascii / 2, 'b');
      // A third of a token a byte, of others two thirds; each kind is rounded by itself.
      const std::uint64_t told = most(text) - empty;
      CAPTURE(ascii);
      CAPTURE(other);
      CHECK(told >= ascii / 3 + 2 * other * 2 / 3);
      CHECK(told <= ascii / 3 + 1 + 2 * other * 2 / 3);
    }
  }
}

TEST_CASE("client request: ten megabytes of an image pass untouched and are counted as an image") {
  std::string body = R"({"model":"a","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":)"
                     R"("data:image/png;base64,)";
  body += std::string(std::size_t{10} << 20, 'A') + R"("}}]}]})";
  const ClientRequest request = read(body);
  CHECK(request.images == 1);
  CHECK(request.input_tokens_most < 5'000);
  BodyChanges changes;
  changes.model = "b";
  const std::string out = changed_body(body, request, changes);
  CHECK(out.size() == body.size());
  CHECK(out.substr(20) == body.substr(20));
}

TEST_CASE("client request: Ollama's clients stream unless they say no, and say in options how much may be written") {
  const std::string image(30'000, 'A');
  const std::string body = R"({"model":"m","messages":[{"role":"user","content":"x","images":[")" + image +
                           R"("]}],"format":{"type":"object"},"options":{"num_predict":77}})";
  const Result<ClientRequest> read = read_client_request(Wire::ollama, body);
  REQUIRE(read);
  CHECK(read.value().stream);
  CHECK(read.value().output_tokens_max == 77);
  CHECK(read.value().images == 1);
  CHECK(read.value().input_tokens_most < 3'000);  // an image is no text
  CHECK(read.value().format_at.in(body) == R"({"type":"object"})");
  const auto of = [](std::string_view more) {
    const std::string text = R"({"model":"m","messages":[{"role":"user","content":"x"}],)" + std::string(more) + "}";
    return read_client_request(Wire::ollama, text);
  };
  CHECK_FALSE(of(R"("stream":false)").value().stream);
  CHECK(of(R"("stream":null)").value().stream);
  CHECK(of(R"("options":{"num_predict":-1})").value().output_tokens_max == 0);
  CHECK_FALSE(of(R"("options":7)"));
}
