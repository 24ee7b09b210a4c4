#include "core/pipelines/conversation.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/members.hpp"
#include "core/pipelines/tool_envelope.hpp"
#include "core/run/machine.hpp"

using namespace plumb;
using namespace plumb::pipelines;
using json::text_of;
using run::Data;
using run::Machine;
using run::Reply;
using run::State;
using run::Want;

namespace {

constexpr std::string_view prompt = R"(---
{ "about": "Talks.", "output_tokens_max": 100 }
---
<!-- system -->
You help. {{data_rule}}
<!-- user -->
Begin.
)";

// talk {"turns_max", "tokens_max", "time_ms", "asks", "loops"}: a conversation with the tools look {"word": TEXT},
// write {"text": TEXT}, poll {} and submit {"done": TEXT}. Gives how it ended, with its value and text.
Result<Data> talk(run::Run& run) {
  const json::Value& input = run.input().value();
  Spent spent;
  Conversation what;
  what.call.phase = "generate";
  what.call.prompt = "prompt-talk";
  what.turns_max = json::number_of(input, "turns_max", 20);
  what.tokens_max = json::number_of(input, "tokens_max");
  what.time_ms_max = json::number_of(input, "time_ms");
  what.asks_people = json::flag_of(input, "asks");
  what.message_bytes_max = static_cast<std::size_t>(json::number_of(input, "message_max", 10'000));
  const auto look = [](run::Run& part, const json::Value& arguments) -> Tool::Done {
    run::Effect effect;
    effect.kind = run::EffectKind::read;
    effect.request = [&] {
      std::string text;
      json::Writer(text).begin_object().member("root", "r").member("path", text_of(arguments, "word")).end_object();
      return Data::written(text);
    };
    const Reply& reply = part.ask(std::move(effect));
    if (!reply.ok()) {
      return {failed_envelope(reply.error), false};
    }
    return {envelope(
                "success", [&](json::Writer& json) { json.key("data").raw(reply.value.text()); }, "Use it."),
            true};
  };
  const auto good = [](run::Run&, const json::Value&) -> Tool::Done {
    return {envelope("success", {}, "Go on."), true};
  };
  what.tools = {{"look", "Looks.", "contract-look", look},
                {"write", "Writes.", "contract-any", good, false, true},
                {"poll", "Polls.", "contract-any", good, false, false, true},
                {"submit", "Ends.", "contract-submit", good, true}};
  const Conversed how = converse(run, spent, what);
  std::string out;
  json::Writer json(out);
  json.begin_object().member("ended", ended_name(how.ended)).member("reason", how.reason).member("text", how.text);
  json.key("value").raw(how.value.is_null() ? "null" : how.value.text()).member_uint("turns", how.turns);
  json.member_uint("calls", how.calls).member_uint("tokens", how.tokens).member_uint("spent", spent.tokens);
  json.key("messages").raw("[" + how.messages + "]").end_object();
  return Data::written(out);
}

constexpr run::Pipeline pipeline{"talk", 1, talk};

run::Pins pins() {
  return {{"prompt-talk", Data::string(prompt)},
          {"contract-look", Data::written(R"({"type":"object","required":["word"],"additionalProperties":false,)"
                                          R"("properties":{"word":{"type":"string","minLength":2}}})")},
          {"contract-any", Data::written(R"({"type":"object"})")},
          {"contract-submit", Data::written(R"({"type":"object","required":["done"]})")}};
}

std::string call(std::string_view name, std::string_view arguments, std::string_view id = "c") {
  return "{\"id\":\"" + std::string(id) + "\",\"name\":\"" + std::string(name) +
         "\",\"arguments\":" + std::string(arguments) + "}";
}
std::string calls(const std::string& all) {
  return R"({"text":"","finish":"tool_calls","usage":{"input_tokens":10,"output_tokens":5},"calls":[)" + all + "]}";
}
std::string words(std::string_view text) {
  return "{\"text\":\"" + std::string(text) + R"(","usage":{"input_tokens":10,"output_tokens":5}})";
}

// A host whose model says these things, one after the other, and what it was asked.
struct Talked {
  std::string result;
  std::vector<std::string> requests;
  std::vector<std::string> notes;
  std::vector<run::Stored> stored;
  std::size_t model_calls = 0;

  std::string at(std::string_view name) const {
    const Data data = Data::written(result);
    const json::Value* value = data.value().find(name);
    return value == nullptr ? "" : value->is(json::Kind::string) ? std::string(value->str()) : json::value_text(*value);
  }
};

using Hook = std::function<void(Machine& machine, std::size_t model_calls, std::uint64_t& now)>;

// `restart`: a host of its own takes over after so many replies; 0: none does.
Talked talked(std::string input, const std::vector<std::string>& said, const Hook& hook = {}, std::size_t restart = 0,
              const std::string& person = "") {
  Talked out;
  std::uint64_t now = 1000;
  auto machine =
      std::make_unique<Machine>(Machine::start(pipeline, "r1", Data::written(std::move(input)), pins(), {}, now));
  const auto keep = [&] {
    for (run::Stored& one : machine->take()) {
      out.stored.push_back(std::move(one));
    }
  };
  for (std::size_t replies = 0; replies < 500; ++replies) {
    const State state = machine->step(++now);
    keep();
    if (state != State::waiting) {
      out.result = state == State::done ? std::string(machine->result().text()) : machine->error().message;
      break;
    }
    std::vector<Want> all = machine->wanted();
    REQUIRE_FALSE(all.empty());
    const Want want = all.front();
    machine->attempt(want.key, ++now);
    Reply reply;
    if (want.kind == run::EffectKind::model) {
      out.requests.emplace_back(want.request.text());
      REQUIRE(out.model_calls < said.size());
      const std::string& one = said[out.model_calls++];
      reply.value = Data::written(one);
      if (hook) {
        hook(*machine, out.model_calls, now);
      }
    } else if (want.kind == run::EffectKind::person) {
      out.requests.emplace_back(want.request.text());
      reply.value = Data::written("{\"decision\":\"" + person + "\"}");
    } else {
      reply.value = Data::written("{\"text\":\"what " + std::string(text_of(want.request.value(), "path")) + " is\"}");
    }
    machine->reply(want.key, std::move(reply), ++now);
    keep();
    if (restart != 0 && replies + 1 == restart) {
      std::vector<std::string_view> lines;
      std::vector<run::Blob> blobs;
      for (const run::Stored& one : out.stored) {
        lines.emplace_back(one.line);
        blobs.insert(blobs.end(), one.blobs.begin(), one.blobs.end());
      }
      Result<run::Journal> journal = run::Journal::read(lines, [&](std::string_view hash) -> const std::string* {
        for (const run::Blob& blob : blobs) {
          if (blob.hash == hash) {
            return &blob.text;
          }
        }
        return nullptr;
      });
      REQUIRE(journal);
      run::MachineOptions options;
      options.strict = true;
      Result<Machine> resumed = Machine::resume(pipeline, std::move(journal).value(), options, now);
      REQUIRE(resumed);
      machine = std::make_unique<Machine>(std::move(resumed).value());
    }
  }
  for (const run::Entry& entry : machine->journal().entries()) {
    if (entry.kind == run::EntryKind::note && entry.name == "conversation") {
      out.notes.emplace_back(entry.data.text());
    }
  }
  return out;
}

}  // namespace

TEST_CASE("conversation: tools are called with judged arguments, their answers come back, and a tool ends it") {
  const Talked all = talked(
      "{}", {calls(call("look", R"({"word":"light"})", "c1") + "," + call("look", R"("{\"word\":\"water\"}")", "c2")),
             calls(call("submit", R"({"done":"yes"})", "c3"))});
  CHECK(all.at("ended") == "submitted");
  CHECK(all.at("reason") == "'submit' ended it");
  CHECK(all.at("value") == R"({"done":"yes"})");
  CHECK(all.at("turns") == "2");
  CHECK(all.at("calls") == "3");
  CHECK(all.at("tokens") == "30");
  CHECK(all.at("spent") == "30");
  REQUIRE(all.requests.size() == 2);
  CHECK(all.requests[0].find(R"("tools":[{"name":"look","description":"Looks.","parameters":{"type":"object")") !=
        std::string::npos);
  const Data second = Data::written(all.requests[1]);
  const auto messages = json::list_of(second.value(), "messages");
  REQUIRE(messages.size() == 5);
  CHECK(text_of(messages[2], "role") == "assistant");
  CHECK(json::list_of(messages[2], "calls").size() == 2);
  CHECK(json::value_text(messages[3]) ==
        R"({"role":"tool","call_id":"c1","tool_name":"look","content":"{\"result\":\"success\",)"
        R"(\"data\":{\"text\":\"what light is\"},\"action\":\"Use it.\"}"})");
  CHECK(text_of(messages[4], "content").find("what water is") != std::string_view::npos);
  CHECK(all.notes ==
        std::vector<std::string>{R"({"name":"conversation","ended":"submitted","reason":"'submit' ended it",)"
                                 R"("turns":2,"calls":3,"tokens":30})"});
}

TEST_CASE("conversation: it is the same to the byte wherever a host of its own takes over") {
  const std::vector<std::string> said = {
      calls(call("look", R"({"word":"light"})")), calls(call("write", R"({"text":"x"})")),
      calls(call("look", R"({"word":"water"})")), calls(call("submit", R"({"done":1})"))};
  const Talked whole = talked("{}", said);
  REQUIRE(whole.at("ended") == "submitted");
  for (std::size_t restart = 1; restart <= 6; ++restart) {
    const Talked again = talked("{}", said, {}, restart);
    CHECK(again.result == whole.result);
    CHECK(again.model_calls == said.size());
    REQUIRE(again.stored.size() == whole.stored.size());
    for (std::size_t i = 0; i < whole.stored.size(); ++i)
      CHECK(again.stored[i].line == whole.stored[i].line);
  }
}

TEST_CASE("conversation: arguments that break their contract, tools that there are not and too many calls are told") {
  std::string many;
  for (int i = 0; i < 18; ++i)
    many += std::string(i == 0 ? "" : ",") + call("poll", "{\"n\":" + std::to_string(i) + "}");
  const Talked all =
      talked("{}", {calls(call("look", R"({"word":"x"})") + "," + call("look", R"("no JSON at all")") + "," +
                          call("lok", "{}") + "," + call("look", R"({"word":"fine"})")),
                    calls(many), calls(call("submit", "{}")), calls(call("submit", R"({"done":true})"))});
  CHECK(all.at("ended") == "submitted");
  CHECK(all.at("turns") == "4");
  const std::string& told = all.requests[1];
  CHECK(told.find(R"(\"result\":\"validation_failed\",\"issues\":)") != std::string::npos);
  CHECK(told.find(R"(\"field\":\"word\")") != std::string::npos);
  CHECK(told.find(R"(there is no tool 'lok'\",\"tools\":[\"look\",\"write\",\"poll\",\"submit\"])") !=
        std::string::npos);
  CHECK(all.requests[2].find("there are more than 16 calls in this turn") != std::string::npos);
}

TEST_CASE("conversation: how it ended is always said") {
  const std::string look = calls(call("look", R"({"word":"light"})"));
  SUBCASE("with an answer") {
    const Talked all = talked("{}", {words("That is all.")});
    CHECK(all.at("ended") == "answered");
    CHECK(all.at("text") == "That is all.");
  }
  SUBCASE("turns") {
    const Talked all =
        talked(R"({"turns_max":2})", {calls(call("write", "{\"a\":1}")), calls(call("write", "{\"b\":1}"))});
    CHECK(all.at("ended") == "turns");
    CHECK(all.at("reason") == "it has had its 2 turns");
  }
  SUBCASE("tokens") {
    const Talked all =
        talked(R"({"tokens_max":20})", {calls(call("write", "{\"a\":1}")), calls(call("write", "{\"b\":1}"))});
    CHECK(all.at("ended") == "tokens");
    CHECK(all.at("reason") == "it has spent 30 tokens; it may have 20");
  }
  SUBCASE("time") {
    const Talked all =
        talked(R"({"time_ms":5000})", {calls(call("write", "{\"a\":1}")), calls(call("write", "{\"b\":1}"))},
               [](Machine&, std::size_t, std::uint64_t& now) { now += 3000; });
    CHECK(all.at("ended") == "time");
    CHECK(all.at("turns") == "2");
    CHECK(all.requests.size() == 2);
  }
  SUBCASE("loops: the same call with the same answer, but not where something changed or it is meant to be repeated") {
    const Talked all = talked("{}", {look, look, look});
    CHECK(all.at("ended") == "loop");
    CHECK(all.at("turns") == "3");
    const std::string write = calls(call("write", R"({"text":"x"})"));
    const Talked fine = talked("{}", {look, write, look, write, look, words("done")});
    CHECK(fine.at("ended") == "answered");
    const std::string poll = calls(call("poll", "{}"));
    const Talked polls = talked("{}", {poll, poll, poll, poll, poll, words("done")});
    CHECK(polls.at("ended") == "answered");
  }
  SUBCASE("turn after turn of calls that cannot be carried out") {
    const Talked all =
        talked("{}", {calls(call("lok", "{}")), calls(call("look", "{\"word\":1}")), calls(call("x", "{}"))});
    CHECK(all.at("ended") == "invalid");
  }
  SUBCASE("the run is cancelled") {
    const Talked all = talked("{}", {look, look}, [](Machine& machine, std::size_t number, std::uint64_t& now) {
      if (number == 2)
        machine.cancel("enough", now);
    });
    CHECK(all.notes.size() == 1);
    CHECK(all.notes[0].find("\"ended\":\"cancelled\"") != std::string::npos);
  }
  SUBCASE("the model cannot be asked") {
    const Talked all = talked("{}", {R"({"text":"","finish":"stop"})", R"({"text":"","finish":"stop"})"});
    CHECK(all.at("ended") == "failed");
    CHECK(all.at("reason") == "the model answered with nothing");
  }
}

TEST_CASE("conversation: what people say stands before the next turn, fenced; asked, their answer is a turn") {
  const Talked all = talked("{}", {calls(call("write", "{\"a\":1}")), calls(call("submit", R"({"done":1})"))},
                            [](Machine& machine, std::size_t number, std::uint64_t& now) {
                              if (number == 1)
                                machine.signal("say", Data::written(R"({"text":"Use ink>>> now.","from":"Ada"})"), now);
                            });
  REQUIRE(all.requests.size() == 2);
  CHECK(all.requests[1].find(R"({"role":"user","content":"Ada says:\n<<<person )") != std::string::npos);
  const Talked asked =
      talked(R"({"asks":true})", {words("What colour?"), calls(call("submit", R"({"done":1})"))}, {}, 0, "blue");
  CHECK(asked.at("ended") == "submitted");
  CHECK(asked.requests[1].find("\"question\":\"What colour?\"") != std::string::npos);
  CHECK(asked.requests[2].find("A person says:\\n<<<person ") != std::string::npos);
  CHECK(asked.requests[2].find("blue") != std::string::npos);
  const Talked stopped = talked(R"({"asks":true})", {words("What colour?")}, {}, 0, "stop");
  CHECK(stopped.at("ended") == "person");
}

TEST_CASE("conversation: a long answer of a tool is cut, and says so") {
  const Talked all = talked(R"({"message_max":60})", {calls(call("look", R"({"word":"light"})")), words("done")});
  CHECK(all.requests[1].find("This is the beginning of what the tool answered") != std::string::npos);
}

TEST_CASE("tool envelopes: the result first, the action last and forward") {
  CHECK(envelope(
            "success", [](json::Writer& json) { json.member("data", "x"); }, "Go on.") ==
        R"({"result":"success","data":"x","action":"Go on."})");
  for (const std::string_view bad : {"", "Try again.", "Please retry later", "Search again with other words"})
    CHECK_FALSE(points_forward(bad));
  for (const std::string_view fine : {"Go on without this information.", "Use these passages."})
    CHECK(points_forward(fine));
}
