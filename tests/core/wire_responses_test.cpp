// OpenAI's responses: read however the bytes were cut, written with numbers and ids that keep the protocol's laws, and
// carried to providers that have only a conversation.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/wire/carried.hpp"
#include "core/wire/client_request.hpp"
#include "core/wire/model_json.hpp"
#include "core/wire/reply.hpp"
#include "core/wire/reply_writer.hpp"
#include "core/wire/request.hpp"
#include "core/wire/sse.hpp"
#include "core/wire/translate.hpp"
#include "core/wire/usage_watch.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

// As no serialiser would write it.
const std::string reasoning =
    R"({"id":"rs_1", "type":"reasoning","summary":[],"encrypted_content":"gAAA\/b\u003d", "zeta":1.50})";

std::string event(std::string_view type, std::string_view members) {
  std::string out;
  append_sse(out, R"({"type":")" + std::string(type) + "\"," + std::string(members) + "}", type);
  return out;
}

std::string stream_text() {
  std::string out;
  out += event("response.created", R"("response":{"id":"resp_1","model":"gpt","status":"in_progress","top_p":0.50})");
  out += event("response.in_progress", R"("response":{"id":"resp_1"})");
  out += event("response.output_item.added", R"("output_index":0,"item":{"id":"rs_1","type":"reasoning"})");
  out += event("response.output_item.done", R"("output_index":0,"item":)" + reasoning);
  out += event("response.output_item.added",
               R"("output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[]})");
  out +=
      event("response.output_text.delta", R"("output_index":1,"content_index":0,"item_id":"msg_1","delta":"Gr\u00fc")");
  out += event("response.output_text.delta", R"("output_index":1,"content_index":0,"item_id":"msg_1","delta":"ße")");
  out += event("response.something.new", R"("output_index":9)");
  out += event(
      "response.output_item.added",
      R"("output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"look","arguments":""})");
  out += event("response.function_call_arguments.delta", R"("output_index":2,"item_id":"fc_1","delta":"{\"at\":")");
  out += event("response.function_call_arguments.delta", R"("output_index":2,"item_id":"fc_1","delta":"1}")");
  out += event("response.completed",
               R"("response":{"id":"resp_1","model":"gpt","status":"completed","top_p":0.50,"usage":{"input_tokens":9,)"
               R"("input_tokens_details":{"cached_tokens":4},"output_tokens":7,)"
               R"("output_tokens_details":{"reasoning_tokens":2}}})");
  return out;
}

struct Told {
  std::string deltas;
  ModelReply reply;
  std::optional<Failure> failure;
};

Told read_in_pieces(std::string_view text, std::size_t piece) {
  Told told;
  ReplyStream stream(Wire::responses);
  const auto drain = [&] {
    for (ModelDelta delta; stream.next(delta);)
      told.deltas.append(std::to_string(static_cast<int>(delta.kind)))
          .append(delta.item)
          .append(delta.text)
          .append("|");
  };
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    stream.push(text.substr(0, piece));
    drain();
  }
  stream.end();
  drain();
  told.failure = stream.failure();
  told.reply = stream.take_reply();
  return told;
}

std::vector<std::string> events_of(std::string_view text) {
  SseReader reader;
  reader.push(text);
  std::vector<std::string> out;
  for (SseEvent one; reader.next(one);)
    out.emplace_back(one.data);
  return out;
}

std::string_view text_at(const json::Value& value, std::string_view name) {
  const json::Value* const found = value.find(name);
  return found == nullptr ? std::string_view() : found->str();
}

}  // namespace

TEST_CASE("responses: an answer is read the same however its bytes were cut") {
  const std::string text = stream_text();
  const Told whole = read_in_pieces(text, text.size());
  REQUIRE_FALSE(whole.failure);
  CHECK(whole.reply.text == "Grüße");
  CHECK(whole.reply.text_item == "msg_1");
  REQUIRE(whole.reply.calls.size() == 1);
  CHECK(whole.reply.calls[0].arguments == R"({"at":1})");
  CHECK(whole.reply.calls[0].id == "c1");
  CHECK(whole.reply.calls[0].item == "fc_1");
  REQUIRE(whole.reply.others.size() == 1);
  CHECK(whole.reply.others[0].json == reasoning);
  CHECK(whole.reply.finish == Finish::tool_calls);
  CHECK(whole.reply.usage == Usage{true, 9, 4, 0, 7, 2});
  REQUIRE(whole.reply.members.size() == 1);
  CHECK(whole.reply.members[0].json == "0.50");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}}) {
    const Told cut = read_in_pieces(text, piece);
    CHECK(cut.deltas == whole.deltas);
    CHECK_FALSE(cut.failure);
  }
}

TEST_CASE("responses: a stream that ends before its end was cut, and an error is told as one") {
  const std::string text = stream_text();
  const Told cut = read_in_pieces(text.substr(0, text.rfind("event: response.completed")), 50);
  REQUIRE(cut.failure);
  CHECK(cut.failure->failure_class == FailureClass::cut);
  const Told failed =
      read_in_pieces(event("response.failed",
                           R"("response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"}})"),
                     9);
  REQUIRE(failed.failure);
  CHECK(failed.failure->message == "slow");
  const Told error = read_in_pieces(event("error", R"("code":"server_error","message":"it broke","param":null)"), 9);
  REQUIRE(error.failure);
  CHECK(error.failure->message == "it broke");
}

TEST_CASE("responses: what is written has numbers without a gap and one id for an item") {
  const std::string text = stream_text();
  ReplyStream reader(Wire::responses);
  ReplyHead head{"resp_1", "gpt", 1, 0, true};
  StreamWriter writer(Wire::responses, head);
  std::string out;
  writer.begin(out);
  reader.push(text);
  reader.end();
  for (ModelDelta delta; reader.next(delta);)
    writer.delta(out, delta);
  writer.end(out, reader.reply(), R"({"valid":true})");
  CHECK(out.find("\n: plumb {\"valid\":true}\n") != std::string::npos);
  std::map<std::string, std::string> ids;  // by output_index
  std::uint64_t number = 0;
  std::string last;
  for (const std::string& data : events_of(out)) {
    json::Arena arena;
    const Result<json::Value> read = json::parse(data, arena);
    REQUIRE(read);
    const json::Value& one = read.value();
    CHECK(one.find("sequence_number")->str() == std::to_string(number++));
    const json::Value* const index = one.find("output_index");
    const json::Value* const item = one.find("item");
    if (item != nullptr && ids.count(std::string(index->str())) == 0)
      ids[std::string(index->str())] = text_at(*item, "id");
    const std::string_view id = item != nullptr ? text_at(*item, "id") : text_at(one, "item_id");
    if (index != nullptr)
      CHECK(ids[std::string(index->str())] == id);
    last = data;
  }
  CHECK(ids == std::map<std::string, std::string>{{"0", "rs_1"}, {"1", "msg_1"}, {"2", "fc_1"}});
  CHECK(last.find(reasoning) != std::string::npos);
  CHECK(last.find(R"("total_tokens":16)") != std::string::npos);

  std::string whole;
  REQUIRE(append_reply(whole, Wire::responses, reader.reply(), head, R"({"valid":true})"));
  const ReplyOutcome again = read_reply(Wire::responses, whole);
  REQUIRE_FALSE(again.failure);
  CHECK(again.reply.text == reader.reply().text);
  CHECK(again.reply.others[0].json == reasoning);
  CHECK(whole.find(reasoning) < whole.find("msg_1"));
}

TEST_CASE("responses: every other provider's stream becomes one") {
  const std::string chat =
      "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n"
      "data: [DONE]\n\n";
  ReplyStream reader(Wire::openai);
  StreamWriter writer(Wire::responses, {"resp_c1", "m", 1, 0, true});
  std::string out;
  writer.begin(out);
  reader.push(chat);
  reader.end();
  for (ModelDelta delta; reader.next(delta);)
    writer.delta(out, delta);
  writer.end(out, reader.reply());
  const std::vector<std::string> events = events_of(out);
  CHECK(events.back().find(R"("type":"response.incomplete")") != std::string::npos);
  CHECK(events.back().find(R"("incomplete_details":{"reason":"max_output_tokens"})") != std::string::npos);
  CHECK(events.back().find(R"("id":"rs_c1_0","type":"reasoning")") != std::string::npos);
  CHECK(events.back().find(R"("id":"msg_c1_1","type":"message","status":"completed")") != std::string::npos);
}

TEST_CASE("responses: a relay knows the id at once, the usage and the end at the end, and the next number") {
  const std::string text = stream_text();
  UsageWatch watch(Wire::responses, true);
  const std::size_t first = text.find("\n\n") + 2;
  watch.push(text.substr(0, first));
  CHECK(watch.id() == "resp_1");
  CHECK_FALSE(watch.ended());
  watch.push(text.substr(first));
  CHECK(watch.ended());
  CHECK(watch.usage() == Usage{true, 9, 4, 0, 7, 2});
  UsageWatch numbers(Wire::responses, true);
  numbers.push("data: {\"type\":\"response.output_text.delta\",\"sequence_number\":41,\"delta\":\"x\"}\n\n");
  CHECK(numbers.sequence() == 42);
  // The last event repeats everything, and may be longer than what is looked at.
  UsageWatch longer(Wire::responses, true);
  longer.push(text.substr(0, first) + "event: response.completed\ndata: {\"x\":\"" +
              std::string(UsageWatch::line_bytes_max, 'x') + "\"}\n\n");
  longer.end();
  CHECK(longer.ended());
  CHECK_FALSE(longer.usage().known);
}

TEST_CASE("responses: a request is read, and a text alone is an input") {
  const std::string body =
      R"({"model":"m","input":"Hi","max_output_tokens":7,"previous_response_id":"resp_1","store":false,)"
      R"("text":{"format":{"type":"json_schema","name":"n","schema":{}}},"parallel_tool_calls":false})";
  const Result<ClientRequest> read = read_client_request(Wire::responses, body);
  REQUIRE(read);
  CHECK(read.value().messages == 1);
  CHECK(read.value().output_tokens_max == 7);
  CHECK(read.value().previous_response == "resp_1");
  CHECK_FALSE(read.value().stored);
  CHECK_FALSE(read.value().background);
  CHECK_FALSE(read.value().calls_in_parallel);
  CHECK(read.value().format_at.there());
  CHECK(read_client_request(Wire::responses, R"({"model":"m","input":"x"})").value().stored);
  CHECK_FALSE(read_client_request(Wire::responses, R"({"model":"m","background":"yes"})"));
  CHECK(read_client_request(Wire::openai, R"({"model":"m","input":["a"]})", {}, Wish::embeddings));
  CHECK_FALSE(read_client_request(Wire::openai, R"({"model":"m"})", {}, Wish::embeddings));
}

TEST_CASE("responses: a conversation with calls goes to every other wire") {
  const std::string_view body = R"({"model":"m","instructions":"Be brief.","input":[
    {"role":"user","content":[{"type":"input_text","text":"What?"},
      {"type":"input_image","image_url":"data:image/png;base64,AA"}]},
    {"type":"reasoning","id":"rs_1","encrypted_content":"x"},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Look."}]},
    {"type":"function_call","call_id":"c1","name":"look","arguments":"{}"},
    {"type":"function_call","call_id":"c2","name":"look","arguments":"{}"},
    {"type":"function_call_output","call_id":"c1","output":"a cat"},
    {"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"a dog"}]}],
    "tools":[{"type":"function","name":"look","parameters":{"type":"object"}}],"reasoning":{"effort":"low"},
    "max_output_tokens":50,"text":{"verbosity":"low","format":{"type":"text"}}})";
  std::vector<std::string> lost;
  const Result<ModelRequest> to_chat = translated_request(Wire::responses, body, Wire::openai, &lost);
  REQUIRE(to_chat);
  CHECK(
      request_body(Wire::openai, to_chat.value()).value() ==
      R"({"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[)"
      R"({"type":"text","text":"What?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]},)"
      R"({"role":"assistant","content":"Look.","tool_calls":[{"id":"c1","type":"function","function":)"
      R"({"name":"look","arguments":"{}"}},)"
      R"({"id":"c2","type":"function","function":{"name":"look","arguments":"{}"}}]},)"
      R"({"role":"tool","content":"a cat","tool_call_id":"c1"},{"role":"tool","content":"a dog","tool_call_id":"c2"}],)"
      R"("tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}],"max_tokens":50,)"
      R"("stream":false,"reasoning_effort":"low","verbosity":"low"})");
  CHECK(lost == std::vector<std::string>{"input.reasoning"});
  for (const Wire upstream : {Wire::anthropic, Wire::ollama, Wire::responses}) {
    const Result<ModelRequest> carried = translated_request(Wire::responses, body, upstream);
    REQUIRE(carried);
    CHECK(request_body(upstream, carried.value()));
  }
  for (const std::string_view item : {R"({"type":"item_reference","id":"x"})", R"({"type":"computer_call"})",
                                      R"({"role":"user","content":[{"type":"input_file","file_id":"f"}]})",
                                      R"({"role":"user","content":[{"type":"input_image","file_id":"f"}]})"}) {
    const Result<ModelRequest> refused =
        translated_request(Wire::responses, R"({"model":"m","input":[)" + std::string(item) + "]}", Wire::openai);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().where.starts_with("/input/0"));
  }
}

TEST_CASE("responses: the table of settings is what the translation does, row by row") {
  const std::map<std::string_view, std::string_view> values = {
      {"model", "\"m2\""},
      {"stream", "true"},
      {"stream_options", R"({"include_obfuscation":true})"},
      {"input", ""},
      {"instructions", "\"Be brief.\""},
      {"max_output_tokens", "9"},
      {"temperature", "0.5"},
      {"top_p", "0.5"},
      {"text", R"({"format":{"type":"json_schema","name":"n","schema":{"type":"object"}}})"},
      {"reasoning", R"({"effort":"low"})"},
      {"tools", R"([{"type":"function","name":"t","parameters":{"type":"object"}}])"},
      {"tool_choice", "\"required\""},
      {"parallel_tool_calls", "false"},
      {"max_tool_calls", "3"},
      {"user", "\"u\""},
      {"metadata", R"({"a":"b"})"},
      {"service_tier", "\"flex\""},
      {"prompt_cache_key", "\"k\""},
      {"prompt_cache_retention", "\"24h\""},
      {"safety_identifier", "\"s\""},
      {"client_metadata", R"({"a":"b"})"},
      {"include", R"(["reasoning.encrypted_content"])"},
      {"truncation", "\"auto\""},
      {"store", "true"},
      {"background", "true"},
      {"previous_response_id", "\"resp_1\""},
      {"conversation", "\"conv_1\""},
      {"prompt", R"({"id":"p"})"},
      {"top_logprobs", "2"},
      {"context_management", R"([{"type":"compaction"}])"},
  };
  for (const Carried& row : carried_settings(Wire::responses)) {
    CAPTURE(row.name);
    REQUIRE(values.count(row.name) == 1);
    for (const Wire upstream : {Wire::openai, Wire::anthropic, Wire::ollama}) {
      CAPTURE(wire_name(upstream));
      std::string body = R"({"input":"x")";
      if (row.name != "model")
        body += R"(,"model":"m")";
      if (row.name == "tool_choice" || row.name == "parallel_tool_calls")
        body += R"(,"tools":)" + std::string(values.at("tools"));
      if (row.name != "input")
        body += ",\"" + std::string(row.name) + "\":" + std::string(values.at(row.name));
      body += "}";
      std::vector<std::string> lost;
      const Result<ModelRequest> request = translated_request(Wire::responses, body, upstream, &lost);
      const Result<std::string> written =
          request ? request_body(upstream, request.value()) : Result<std::string>(request.error());
      const Fate fate = fate_of(row, upstream);
      REQUIRE(bool(written) == (fate != Fate::refused));
      const bool is_lost =
          std::any_of(lost.begin(), lost.end(), [&](const std::string& one) { return one.starts_with(row.name); });
      CHECK(is_lost == (fate == Fate::dropped));
      if (fate == Fate::kept) {
        const std::string member = "\"" + std::string(row.name) + "\":" + std::string(values.at(row.name));
        CHECK(written.value().find(member) != std::string::npos);
      }
    }
  }
  CHECK_FALSE(translated_request(Wire::responses, R"({"model":"m","input":"x","seed_of_tomorrow":1})", Wire::openai));
}
