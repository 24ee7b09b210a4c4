// What holds of an answer on every wire, however its bytes are cut, whoever is told it.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/guard/guard.hpp"
#include "core/json/writer.hpp"
#include "core/wire/answer_rules.hpp"
#include "core/wire/model_json.hpp"
#include "core/wire/reply.hpp"
#include "core/wire/reply_writer.hpp"
#include "core/wire/usage_watch.hpp"
#include "tests/law_step.hpp"

using namespace plumb;
using namespace plumb::wire;

namespace {

constexpr Wire wires[] = {Wire::openai, Wire::anthropic, Wire::responses, Wire::ollama};
constexpr Wire clients[] = {Wire::openai, Wire::anthropic, Wire::responses, Wire::ollama};

// An answer as it stands on a wire, in events (of Ollama: lines) and whole: a text, then a call. `arguments` is JSON,
// or empty where the member is missing.
struct Said {
  std::string text;
  bool call = false;
  std::string arguments = {};
  bool over = true;
};

std::string quoted(std::string_view text) {
  std::string out;
  json::Writer(out).string(text);
  return out;
}

std::string event(std::string_view data, std::string_view type = {}) {
  std::string out = type.empty() ? "" : "event: " + std::string(type) + "\n";
  return out + "data: " + std::string(data) + "\n\n";
}

std::string openai_call(const Said& said) {
  const std::string arguments = said.arguments.empty() ? "" : ",\"arguments\":" + said.arguments;
  return R"([{"index":0,"id":"c1","type":"function","function":{"name":"go")" + arguments + "}}]";
}

std::vector<std::string> openai_events(const Said& said) {
  const auto chunk = [](const std::string& delta, const std::string& finish) {
    return event(R"({"id":"a","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":)" + delta +
                 ",\"finish_reason\":" + finish + "}]}");
  };
  std::vector<std::string> out = {chunk(R"({"role":"assistant","content":""})", "null")};
  const std::size_t half = said.text.size() / 2;
  for (const std::string& piece : {said.text.substr(0, half), said.text.substr(half)}) {
    out.push_back(chunk("{\"content\":" + quoted(piece) + "}", "null"));
  }
  if (said.call) {
    out.push_back(chunk("{\"tool_calls\":" + openai_call(said) + "}", "null"));
  }
  if (said.over) {
    out.push_back(chunk("{}", said.call ? "\"tool_calls\"" : "\"stop\""));
  }
  out.push_back("data: [DONE]\n\n");
  return out;
}

std::string openai_whole(const Said& said) {
  return R"({"id":"a","object":"chat.completion","model":"m","choices":[{"index":0,"message":)"
         R"({"role":"assistant","content":)" +
         quoted(said.text) + (said.call ? ",\"tool_calls\":" + openai_call(said) : "") + "},\"finish_reason\":" +
         (!said.over  ? "null"
          : said.call ? "\"tool_calls\""
                      : "\"stop\"") +
         "}]}";
}

// Of Anthropic the arguments are a value; in a stream their pieces are a text.
std::string as_piece(const std::string& arguments) {
  return arguments.empty() || arguments == "null" ? "\"\"" : arguments.front() == '"' ? arguments : quoted(arguments);
}

std::vector<std::string> anthropic_events(const Said& said) {
  const auto one = [](const std::string& type, const std::string& more) {
    return event("{\"type\":\"" + type + "\"" + more + "}", type);
  };
  std::vector<std::string> out = {
      one("message_start",
          R"(,"message":{"id":"a","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null})")};
  out.push_back(one("content_block_start", R"(,"index":0,"content_block":{"type":"text","text":""})"));
  const std::size_t half = said.text.size() / 2;
  for (const std::string& piece : {said.text.substr(0, half), said.text.substr(half)}) {
    out.push_back(
        one("content_block_delta", R"(,"index":0,"delta":{"type":"text_delta","text":)" + quoted(piece) + "}"));
  }
  out.push_back(one("content_block_stop", ",\"index\":0"));
  if (said.call) {
    out.push_back(one("content_block_start",
                      R"(,"index":1,"content_block":{"type":"tool_use","id":"c1","name":"go","input":{}})"));
    out.push_back(one("content_block_delta", R"(,"index":1,"delta":{"type":"input_json_delta","partial_json":)" +
                                                 as_piece(said.arguments) + "}"));
    out.push_back(one("content_block_stop", ",\"index\":1"));
  }
  if (said.over) {
    out.push_back(one("message_delta",
                      ",\"delta\":{\"stop_reason\":" + std::string(said.call ? "\"tool_use\"" : "\"end_turn\"") + "}"));
  }
  out.push_back(one("message_stop", ""));
  return out;
}

std::string anthropic_whole(const Said& said) {
  const std::string input = said.arguments.empty() ? "" : ",\"input\":" + said.arguments;
  return R"({"id":"a","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":)" +
         quoted(said.text) + "}" +
         (said.call ? R"(,{"type":"tool_use","id":"c1","name":"go")" + input + "}" : std::string()) +
         "],\"stop_reason\":" +
         (!said.over  ? "null"
          : said.call ? "\"tool_use\""
                      : "\"end_turn\"") +
         "}";
}

std::string responses_item(const Said& said, bool call) {
  const std::string arguments = said.arguments.empty() ? "" : ",\"arguments\":" + said.arguments;
  return call ? R"({"id":"f1","type":"function_call","call_id":"c1","name":"go")" + arguments + "}"
              : R"({"id":"m1","type":"message","role":"assistant","content":[{"type":"output_text","text":)" +
                    quoted(said.text) + "}]}";
}

std::string responses_whole(const Said& said) {
  return R"({"id":"a","object":"response","model":"m","error":null,"status":)" +
         std::string(said.over ? "\"completed\"" : "\"in_progress\"") + ",\"output\":[" + responses_item(said, false) +
         (said.call ? "," + responses_item(said, true) : "") + "]}";
}

std::vector<std::string> responses_events(const Said& said) {
  const auto one = [](const std::string& type, const std::string& more) {
    return event("{\"type\":\"" + type + "\"" + more + "}", type);
  };
  std::vector<std::string> out = {
      one("response.created", R"(,"response":{"id":"a","object":"response","model":"m","output":[]})")};
  out.push_back(one("response.output_item.added",
                    R"(,"output_index":0,"item":{"id":"m1","type":"message","role":"assistant","content":[]})"));
  const std::size_t half = said.text.size() / 2;
  for (const std::string& piece : {said.text.substr(0, half), said.text.substr(half)}) {
    out.push_back(one("response.output_text.delta", R"(,"output_index":0,"delta":)" + quoted(piece)));
  }
  out.push_back(one("response.output_item.done", ",\"output_index\":0,\"item\":" + responses_item(said, false)));
  if (said.call) {
    out.push_back(one("response.output_item.added", ",\"output_index\":1,\"item\":" + responses_item({}, true)));
    out.push_back(one("response.output_item.done", ",\"output_index\":1,\"item\":" + responses_item(said, true)));
  }
  if (said.over) {
    out.push_back(one("response.completed", ",\"response\":" + responses_whole(said)));
  }
  return out;
}

std::string ollama_line(const std::string& message, bool done) {
  return R"({"model":"m","message":{"role":"assistant")" + message + "},\"done\":" + (done ? "true" : "false") +
         (done ? R"(,"done_reason":"stop")" : "") + "}\n";
}

std::string ollama_call(const Said& said) {
  const std::string arguments = said.arguments.empty() ? "" : ",\"arguments\":" + said.arguments;
  return R"(,"tool_calls":[{"id":"c1","function":{"name":"go")" + arguments + "}}]";
}

std::vector<std::string> ollama_events(const Said& said) {
  std::vector<std::string> out;
  const std::size_t half = said.text.size() / 2;
  for (const std::string& piece : {said.text.substr(0, half), said.text.substr(half)}) {
    out.push_back(ollama_line(",\"content\":" + quoted(piece), false));
  }
  if (said.call) {
    out.push_back(ollama_line(",\"content\":\"\"" + ollama_call(said), false));
  }
  if (said.over) {
    out.push_back(ollama_line(",\"content\":\"\"", true));
  }
  return out;
}

std::vector<std::string> events_of(Wire wire, const Said& said) {
  return wire == Wire::openai      ? openai_events(said)
         : wire == Wire::anthropic ? anthropic_events(said)
         : wire == Wire::responses ? responses_events(said)
                                   : ollama_events(said);
}

std::string whole_of(Wire wire, const Said& said) {
  return wire == Wire::openai      ? openai_whole(said)
         : wire == Wire::anthropic ? anthropic_whole(said)
         : wire == Wire::responses
             ? responses_whole(said)
             : ollama_line(",\"content\":" + quoted(said.text) + (said.call ? ollama_call(said) : ""), said.over);
}

std::string joined(const std::vector<std::string>& events, std::size_t from = 0, std::size_t to = ~std::size_t{0}) {
  std::string out;
  for (std::size_t i = from; i < std::min(to, events.size()); ++i) {
    out += events[i];
  }
  return out;
}

// As the proxy reads: a server may leave out the protocol's own end behind the reason.
ReplyOptions as_proxy() {
  ReplyOptions options;
  options.done_required = false;
  return options;
}

ReplyOutcome read(Wire wire, std::string_view bytes, std::size_t first = ~std::size_t{0},
                  std::size_t size = ~std::size_t{0}) {
  ReplyStream reader(wire, as_proxy());
  ModelDelta delta;
  for (std::size_t from = 0; from < bytes.size();) {
    const std::string piece(bytes.substr(from, from == 0 ? first : size));
    from += piece.size();
    reader.push(piece);
    while (reader.next(delta)) {
    }
  }
  reader.end();
  while (reader.next(delta)) {
  }
  std::optional<Failure> failure = reader.failure();
  return {reader.take_reply(), std::move(failure)};
}

// Finish, text, calls and failure: what a client acts on.
std::string told(const ReplyOutcome& outcome) {
  std::string out(finish_name(outcome.reply.finish));
  out += " " + outcome.reply.text;
  for (const ToolCall& call : outcome.reply.calls) {
    out += " " + call.name + "(" + call.arguments + ")";
  }
  return out + (outcome.failure ? " failed: " + std::string(failure_class_name(outcome.failure->failure_class)) : "");
}

const std::vector<Said>& answers() {
  static const std::vector<Said> all = {{"Grüße 😀", false},
                                        {R"({"town":"Bern"})", false},
                                        {"So.", true, R"("{\"town\":\"Bern\"}")"},
                                        {"So.", true, R"({"town":"Bern"})"},
                                        {"So.", true, "\"\""},
                                        {"So.", true, "null"},
                                        {"So.", true, ""},
                                        {"So.", true, "{}"}};
  return all;
}

std::string expected(const Said& said) {
  const bool some = said.arguments.find("Bern") != std::string::npos;
  return std::string(said.call ? "tool_calls " : "stop ") + said.text +
         (said.call ? std::string(" go(") + (some ? R"({"town":"Bern"})" : "{}") + ")" : "");
}

// As another client's stream and whole answer, read again by that client's rules.
std::string told_again(Wire client, const ReplyOutcome& outcome, bool streamed) {
  ReplyHead head;
  head.id = "a";
  std::string out;
  if (!streamed) {
    if (outcome.failure || !append_reply(out, client, outcome.reply, head)) {
      return "failed";
    }
    return told(read_reply(client, out));
  }
  StreamWriter writer(client, head);
  writer.begin(out);
  writer.delta(out, {DeltaKind::text, 0, outcome.reply.text, {}, {}});
  for (std::size_t i = 0; i < outcome.reply.calls.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    const ToolCall& call = outcome.reply.calls[i];
    writer.delta(out, {DeltaKind::call_begin, index, {}, call.id, call.name});
    writer.delta(out, {DeltaKind::call_arguments, index, call.arguments, {}, {}});
  }
  if (outcome.failure) {
    writer.fail(out, *outcome.failure);
  } else {
    writer.end(out, outcome.reply);
  }
  return told(read(client, out));
}

}  // namespace

TEST_CASE("answer laws: streamed and whole tell the same on every wire, however the bytes are cut") {
  for (const Wire wire : wires) {
    for (const Said& said : answers()) {
      const std::string stream = joined(events_of(wire, said));
      CAPTURE(wire_name(wire));
      CAPTURE(stream);
      CHECK(told(read(wire, stream)) == expected(said));
      CHECK(told(read_reply(wire, whole_of(wire, said))) == expected(said));
      CHECK(told(read(wire, whole_of(wire, said))) == expected(said));
      CHECK(told(read(wire, stream, 1, 1)) == expected(said));
      for (std::size_t cut = 1; cut < stream.size(); cut += 3) {
        REQUIRE(told(read(wire, stream, cut)) == expected(said));
      }
    }
  }
}

TEST_CASE("answer laws: an answer without an end is finished for nobody") {
  for (const Wire wire : wires) {
    for (Said said : {Said{R"({"town":"Bern"})", false}, Said{"So.", true, R"("{\"town\":\"Bern\"}")"}}) {
      const std::string stream = joined(events_of(wire, said));
      CAPTURE(wire_name(wire));
      for (std::size_t size = 0; size < stream.size(); size += test::law_step) {
        const ReplyOutcome outcome = read(wire, stream.substr(0, size));
        CAPTURE(size);
        // The rest, if there is one, says nothing more.
        const bool over = !outcome.failure;
        REQUIRE((over ? told(outcome) == expected(said) : outcome.failure->failure_class != FailureClass::server));
        for (const Wire client : clients) {
          const std::string again = told_again(client, outcome, true);
          REQUIRE((over || again.find("failed") != std::string::npos));
        }
      }
      said.over = false;
      for (const ReplyOutcome& outcome : {read(wire, joined(events_of(wire, said))), read(wire, whole_of(wire, said)),
                                          read_reply(wire, whole_of(wire, said))}) {
        REQUIRE(outcome.failure);
        CHECK(outcome.failure->failure_class == FailureClass::cut);
        CHECK(outcome.reply.finish == Finish::none);
      }
    }
  }
}

TEST_CASE("answer laws: what is told to any client is what was read") {
  for (const Wire wire : wires) {
    for (const Said& said : answers()) {
      const ReplyOutcome outcome = read(wire, joined(events_of(wire, said)));
      for (const Wire client : clients) {
        CAPTURE(wire_name(wire));
        CAPTURE(wire_name(client));
        CHECK(told_again(client, outcome, true) == expected(said));
        CHECK(told_again(client, outcome, false) == expected(said));
      }
    }
  }
}

TEST_CASE("answer laws: events that say nothing change nothing, wherever they are") {
  const Said said{"So.", true, R"("{\"town\":\"Bern\"}")"};
  for (const Wire wire : wires) {
    const std::vector<std::string> events = events_of(wire, said);
    std::vector<std::string> fillers = {"null\n", "[]\n", "\"ping\"\n", "7\n", "true\n", "{}\n", "\n", " \r\n"};
    if (wire != Wire::ollama) {
      for (std::string& filler : fillers) {
        filler = "data: " + filler + "\n";
      }
      for (const std::string_view more : {": waiting\n\n", ": waiting\n", "id: 7\n\n", "retry: 9\nid: 8\n\n",
                                          "event: ping\n\n", "event: ping\ndata: {}\n\n", "unknown\n\n", "\n"}) {
        fillers.emplace_back(more);
      }
    }
    for (const std::string& filler : fillers) {
      for (std::size_t at = 0; at + 1 < events.size(); ++at) {
        const std::string stream = joined(events, 0, at + 1) + filler + joined(events, at + 1);
        CAPTURE(stream);
        CHECK(told(read(wire, stream)) == expected(said));
        CHECK(told(read(wire, stream, 1, 1)) == expected(said));
      }
    }
  }
}

TEST_CASE("answer laws: an error is an error, wherever it stands and however it is written") {
  const Said said{"So.", true, "{}"};
  for (const Wire wire : wires) {
    const std::vector<std::string> events = events_of(wire, said);
    for (const std::string_view error :
         {R"({"error":{"message":"engine dead","type":"server_error","code":500}})", R"({"error":"engine dead"})",
          R"({"object":"error","message":"engine dead","code":500})", R"({"detail":"engine dead"})",
          R"({"detail":[{"msg":"engine dead"}]})", R"({"code":500,"message":"engine dead"})",
          R"({"code":500,"msg":"engine dead","data":null})", R"([{"error":{"message":"engine dead"}}])",
          R"({"type":"error","error":{"type":"api_error","message":"engine dead"}})"}) {
      const ReplyOutcome whole = read_reply(wire, error);
      REQUIRE(whole.failure);
      CHECK(whole.failure->message == "engine dead");
      for (std::size_t at = 0; at + 1 < events.size(); ++at) {
        const std::string one = wire == Wire::ollama ? std::string(error) + "\n" : event(error);
        const ReplyOutcome outcome = read(wire, joined(events, 0, at) + one + joined(events, at));
        CAPTURE(wire_name(wire));
        CAPTURE(error);
        REQUIRE(outcome.failure);
        CHECK(outcome.failure->message == "engine dead");
        CHECK(outcome.failure->failure_class == whole.failure->failure_class);
        CHECK(outcome.reply.finish == Finish::none);
      }
    }
  }
  const ReplyOutcome named = read(Wire::openai, "event: error\ndata: {\"message\":\"engine dead\"}\n\n");
  REQUIRE(named.failure);
  CHECK(named.failure->message == "engine dead");
  const ReplyOutcome reason = read_reply(
      Wire::openai, R"({"choices":[{"message":{"content":"x"},"finish_reason":"error","error":{"message":"dead"}}]})");
  REQUIRE(reason.failure);
  CHECK(reason.failure->message == "dead");
}

TEST_CASE("answer laws: calls without ids and indexes are kept apart by their names and their beginnings") {
  const auto piece = [](std::string_view name, std::string_view arguments) {
    const std::string named = name.empty() ? "" : "\"name\":" + quoted(name) + ",";
    return event(R"({"choices":[{"delta":{"tool_calls":[{"function":{)" + named + "\"arguments\":" + quoted(arguments) +
                 "}}]}}]}");
  };
  const std::string end = event(R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})") + "data: [DONE]\n\n";
  CHECK(told(read(Wire::openai, piece("go", R"({"town":"Bern"})") + piece("go", R"({"town":"Rome"})") + end)) ==
        R"(tool_calls  go({"town":"Bern"}) go({"town":"Rome"}))");
  CHECK(told(read(Wire::openai, piece("go", R"({"town":)") + piece("", R"("Bern"})") + piece("ring", "") + end)) ==
        R"(tool_calls  go({"town":"Bern"}) ring({}))");
  // Some repeat the name with every piece.
  CHECK(told(read(Wire::openai, piece("go", R"({"town":)") + piece("go", R"({"x":1})") + piece("go", "}") + end)) ==
        R"(tool_calls  go({"town":{"x":1}}))");
}

TEST_CASE("answer laws: a call that was broken off is not given arguments") {
  const std::string stream =
      event(
          R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"go","arguments":""}}]}}]})") +
      event(R"({"choices":[{"delta":{},"finish_reason":"length"}]})") + "data: [DONE]\n\n";
  CHECK(told(read(Wire::openai, stream)) == "length  go()");
}

TEST_CASE("answer laws: what a relay notes of an answer is what the reader says") {
  for (const Wire wire : {Wire::openai, Wire::anthropic, Wire::responses}) {
    for (Said said : answers()) {
      for (const bool over : {true, false}) {
        said.over = over;
        const std::string stream = joined(events_of(wire, said));
        const ReplyOutcome outcome = read(wire, stream);
        UsageWatch watch(wire, true);
        watch.push(stream);
        watch.end();
        CAPTURE(stream);
        CHECK((watch.failure() || watch.finish() == Finish::none) == outcome.failure.has_value());
        CHECK((watch.finish() == Finish::none) == (outcome.reply.finish == Finish::none));
      }
    }
  }
}

namespace {

// Streams as servers write them that speak like OpenAI and are not.
std::vector<std::string> strange_streams() {
  const auto chunk = [](std::string_view delta, std::string_view finish = "null") {
    return event(R"({"id":"c","model":"m","choices":[{"index":0,"delta":)" + std::string(delta) +
                 ",\"finish_reason\":" + std::string(finish) + "}]}");
  };
  const std::string text = chunk(R"({"content":"{\"city\":\"Paris\"}"})");
  const std::string stop = chunk("{}", R"("stop")");
  const std::string done = "data: [DONE]\n\n";
  return {
      text + stop + done,
      text + stop + ": tail\ndata: [DONE]\n\n",
      text + stop + "event: done\nid: 7\ndata: [DONE] \n\n" + done,
      ": note\n\n" + text + ": note\r\n\r\n" + stop + done,
      text + event("null") + event("[]") + event("\"ping\"") + event("{}") + "data:\n\n" + stop + done,
      text + event(R"({"detail":"engine dead"})") + done,
      text + event(R"({"object":"error","message":"engine dead","code":500})") + done,
      text + event(R"({"code":500,"message":"backend died"})") + done,
      text + event(R"({"error":{"message":"queue full","code":503}})") + done,
      text + "event: error\ndata: {\"message\":\"boom\"}\n\n",
      text + event("{not json}") + stop + done,
      text + event("keepalive") + stop + done,
      text + done,
      text + stop,
      event(R"({"error":"quota exceeded"})") + done,
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\ndata: \"finish_reason\":\"stop\"}],\ndata: "
      "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n" +
          done,
  };
}

std::string noted(const Usage& usage, Finish finish, const std::optional<Failure>& failure) {
  return std::to_string(usage.input_tokens) + " " + std::to_string(usage.output_tokens) + " " +
         std::string(finish_name(finish)) + " " +
         (failure ? std::string(failure_class_name(failure->failure_class)) + " " + failure->message : "");
}

}  // namespace

TEST_CASE("answer laws: a relay notes of a strange stream what reading it tells, at every cut") {
  for (const std::string& stream : strange_streams()) {
    CAPTURE(stream);
    ReplyOptions options;
    options.done_required = false;
    ReplyStream reader(Wire::openai, options);
    reader.push(stream);
    for (ModelDelta delta; reader.next(delta);) {
    }
    reader.end();
    for (ModelDelta delta; reader.next(delta);) {
    }
    const std::string wanted = noted(reader.reply().usage, reader.reply().finish, reader.failure());
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      UsageWatch watch(Wire::openai, true);
      watch.push(std::string_view(stream).substr(0, cut));
      watch.push(std::string_view(stream).substr(cut));
      watch.end();
      if (noted(watch.usage(), watch.finish(), watch.failure()) != wanted) {
        CAPTURE(cut);
        CHECK(noted(watch.usage(), watch.finish(), watch.failure()) == wanted);
      }
    }
  }
}

TEST_CASE("answer laws: what the bytes are is known from how they begin, whatever the content type says") {
  for (const std::string_view type : {"text/event-stream", "Text/Event-Stream; charset=utf-8", "text/event-stream;"}) {
    CHECK(says_events(type));
  }
  for (const std::string_view type : {"", "application/json", "text/plain", "text/event-streams"}) {
    CHECK_FALSE(says_events(type));
  }
  for (const bool said : {true, false}) {
    CHECK(answer_form(" \r\n{", said) == AnswerForm::whole);
    CHECK(answer_form("<html>", said) == AnswerForm::whole);
    CHECK(answer_form("data: x", said) == AnswerForm::stream);
    CHECK(answer_form(": c", said) == AnswerForm::stream);
    CHECK(answer_form("event:x", said) == AnswerForm::stream);
    CHECK(answer_form(" \n", said) == AnswerForm::unknown);
    CHECK(answer_form("", said) == AnswerForm::unknown);
  }
  CHECK(answer_form("dat", false) == AnswerForm::unknown);
  CHECK(answer_form("date", false) == AnswerForm::whole);
  CHECK(answer_form("date", true) == AnswerForm::stream);
}

TEST_CASE("answer laws: observe says valid of what enforce delivers, and of nothing else") {
  const auto contract = std::make_shared<const contract::Contract>(
      contract::Contract::read(R"({"type":"object","required":["town"],"properties":{"town":{"type":"string"}},)"
                               R"("additionalProperties":false})")
          .value());
  const auto outcome_of = [&](guard::Mode mode, const ReplyOutcome& read) {
    guard::GuardOptions options;
    options.attempts_max = 0;
    options.text = {contract, "town", "", mode};
    options.tools.push_back({"go", {contract, "go", "", mode}});
    guard::Guard guard(std::move(options));
    guard::GuardStep step;
    const auto give = [&](ModelDelta delta) {
      if (step.want == guard::Want::more && !step.stop) {
        guard.take(delta, step);
      }
    };
    give({DeltaKind::text, 0, read.reply.text, {}, {}});
    for (const ToolCall& call : read.reply.calls) {
      give({DeltaKind::call_begin, 0, {}, call.id, call.name});
      give({DeltaKind::call_arguments, 0, call.arguments, {}, {}});
    }
    if (step.want == guard::Want::more && !step.stop) {
      if (read.failure) {
        guard.fail(*read.failure, step);
      } else {
        guard.end(read.reply, step);
      }
    }
    return guard.outcome();
  };
  for (const Wire wire : wires) {
    for (const Said& said : answers()) {
      const std::vector<std::string> events = events_of(wire, said);
      for (std::size_t count = 1; count <= events.size(); ++count) {
        const ReplyOutcome outcome = read(wire, joined(events, 0, count));
        const guard::GuardOutcome observed = outcome_of(guard::Mode::observe, outcome);
        CAPTURE(joined(events, 0, count));
        CHECK(observed.valid == outcome_of(guard::Mode::enforce, outcome).ok);
        CHECK(observed.valid == outcome_of(guard::Mode::hold_back, outcome).ok);
        CHECK((!outcome.failure || observed.note == outcome.failure->message));
      }
    }
  }
}
