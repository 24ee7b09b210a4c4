// Model effects through the fulfiller against a scripted provider: each wire format, each fault, early stops, order.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/contract/contract.hpp"
#include "tests/native/provider_host.hpp"

using namespace plumb;
using namespace plumb::test;
using Json = nlohmann::json;
using run::Status;

namespace {

const std::vector<std::string> network_providers = {"openai", "anthropic", "ollama"};

std::string quiz_contract() { return std::string(contract::built_in_contract("quiz")->text); }

Json quiz(int questions) {
  Json list = Json::array();
  for (int i = 0; i < questions; ++i) {
    list.push_back({{"question", "What is number " + std::to_string(i) + "?"},
                    {"options", {"one", "two", "three", "four"}},
                    {"correct_answer", "two"},
                    {"explanation", "Because it is."}});
  }
  return {{"questions", list}};
}

HostSetup setup_for(const std::string& provider, const std::string& tag, const std::string& script) {
  HostSetup setup;
  setup.provider = provider;
  setup.base = Upstream::shared().base(tag, script) + (provider == "openai" ? "/v1" : "");
  return setup;
}

void check_no_key(Asked& asked) {
  const run::Reply reply = asked.reply.get();
  CHECK(reply.error.find("SECRET") == std::string::npos);
  CHECK(reply.value.text().find("SECRET") == std::string::npos);
  for (const Told& one : asked.told.all())
    CHECK(one.data.dump().find("SECRET") == std::string::npos);
}

}  // namespace

TEST_CASE("providers: each wire format, streaming and whole, with and without usage, split at odd bytes") {
  for (const std::string& provider : network_providers) {
    for (const char* script : {"ok", "split=3,piece=2", "split=1", "no_usage", "once"}) {
      for (const char* streaming : {"true", "false"}) {
        const std::string tag = "fine-" + provider + "-" + script + "-" + streaming;
        CAPTURE(tag);
        HostSetup setup = setup_for(provider, tag, script);
        setup.members = {{"streaming", streaming}};
        Host host(setup);
        Asked asked = host.ask("Grüße, 世界 😀 \"quoted\"", {{"temperature", 0.5}, {"output_tokens_max", 50}});
        REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
        const Json value = asked.value();
        CHECK(value["text"] == "Grüße, 世界 😀 \"quoted\"");
        CHECK(value["finish"] == "stop");
        CHECK(value["model"] == "scripted-1");
        CHECK(value["provider"] == provider);
        CHECK(!value.contains("stopped"));
        CHECK(!value.contains("tries"));
        if (std::string(script) == "no_usage") {
          CHECK(value["usage"]["estimated"] == true);
          CHECK(value["usage"]["input_tokens"] > 0);
          CHECK(value["usage"]["output_tokens"] > 0);
        } else {
          CHECK(value["usage"] == Json{{"input_tokens", 11}, {"output_tokens", 7}});
        }
        std::string told;
        for (const Json& one : asked.all_told("text"))
          told += one["text"].get<std::string>();
        CHECK(told == value["text"]);
        CHECK(asked.all_told("call") ==
              std::vector<Json>{{{"phase", "generate"}, {"provider", provider}, {"model", "scripted"}}});
        CHECK(asked.all_told("usage").size() == 1);
        const Json stats = Upstream::shared().stats(tag);
        CHECK(stats["requests"] == 1);
        const Json body = stats["bodies"][0];
        CHECK(body["model"] == "scripted");
        CHECK(body["stream"] == (std::string(streaming) == "true"));
        const Json headers = stats["headers"][0];
        CHECK(headers[provider == "anthropic" ? "x-api-key" : "authorization"].get<std::string>().find(secret_key) !=
              std::string::npos);
        check_no_key(asked);
      }
    }
  }
}

TEST_CASE("providers: the strongest structured output of each is asked for, and a good answer keeps its contract") {
  for (const std::string& provider : network_providers) {
    for (const char* structured : {"", "strict", "schema", "json", "none"}) {
      if (provider == "anthropic" && std::string(structured) == "strict")
        continue;
      const std::string tag = "structured-" + provider + structured;
      CAPTURE(tag);
      HostSetup setup = setup_for(provider, tag, "piece=20");
      if (*structured != 0)
        setup.members = {{"structured", structured}};
      Host host(setup);
      Asked asked =
          host.ask(quiz(2).dump(), {{"contract", "quiz"}, {"early_stop", "finding"}}, 0, {{"quiz", quiz_contract()}});
      REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
      CHECK(Json::parse(asked.value()["text"].get<std::string>()) == quiz(2));
      CHECK(asked.all_told("finding").empty());
      const Json body = Upstream::shared().stats(tag)["bodies"][0];
      const std::string used = asked.value().value("structured", "none");
      const std::string wanted = *structured == 0 ? (provider == "anthropic" ? "schema" : "strict")
                                 : provider == "anthropic" && std::string(structured) == "json" ? "none"
                                                                                                : structured;
      CHECK(used == wanted);
      if (provider == "openai") {
        CHECK(body.contains("response_format") == (wanted != "none"));
        if (wanted == "strict") {
          CHECK(body["response_format"]["json_schema"]["strict"] == true);
          CHECK(body["response_format"]["json_schema"]["schema"]["additionalProperties"] == false);
        }
        if (wanted == "schema") {
          CHECK(body["response_format"]["json_schema"]["strict"] == false);
          CHECK(body["response_format"]["json_schema"]["schema"]["properties"]["questions"]["minItems"] == 1);
        }
        if (wanted == "json")
          CHECK(body["response_format"] == Json{{"type", "json_object"}});
      } else if (provider == "anthropic") {
        CHECK(body.contains("tools") == (wanted == "schema"));
        if (wanted == "schema")
          CHECK(body["tool_choice"]["name"] == body["tools"][0]["name"]);
      } else {
        CHECK(body.contains("format") == (wanted != "none"));
        if (wanted == "json")
          CHECK(body["format"] == "json");
        if (wanted == "strict" || wanted == "schema")
          CHECK(body["format"]["properties"].contains("questions"));
      }
    }
  }
}

TEST_CASE("providers: each fault ends in a clear reply that says what happened and whether another try may help") {
  struct Fault {
    std::string script;
    std::string failure_class;
    bool retryable;
    int status;
    unsigned tries;
    std::string says;
  };
  const std::vector<Fault> faults = {
      {"status=400", "bad_request", false, 400, 1, "answered 400: scripted failure"},
      {"status=401", "unauthorised", false, 401, 1, "answered 401: scripted failure"},
      {"status=403", "forbidden", false, 403, 1, "answered 403"},
      {"status=404", "not_found", false, 404, 1, "answered 404"},
      {"status=429", "rate_limited", true, 429, 3, "answered 429"},
      {"status=500", "server", true, 500, 3, "answered 500"},
      {"status=502", "server", true, 502, 3, "answered 502"},
      {"status=503", "overloaded", true, 503, 3, "answered 503"},
      {"status=529", "overloaded", true, 529, 3, "answered 529"},
      {"status=429,after=3600", "rate_limited", true, 429, 1, "are too few"},
      {"redirect", "server", false, 302, 1, "redirects are not followed"},
      {"html", "malformed", true, 0, 1, "HTML"},
      {"half", "malformed", true, 0, 1, "JSON"},
      {"empty", "malformed", true, 0, 1, ""},
      {"close", "cut", true, 0, 3, "closed the connection without an answer"},
      {"cut=1", "cut", true, 0, 1, "closed the connection in the middle of its answer"},
      {"hang", "timed_out", true, 0, 1, "sent nothing for 400 ms"},
      {"silent_after=1", "timed_out", true, 0, 1, "in the middle of its answer"},
      {"end=1", "cut", true, 0, 1, "ended"},
  };
  for (const std::string& provider : network_providers) {
    for (const Fault& fault : faults) {
      const std::string tag = "fault-" + provider + "-" + fault.script;
      CAPTURE(tag);
      HostSetup setup = setup_for(provider, tag, fault.script + ",piece=20,key_told");
      // The whole of the answers that stand for a fault in both forms is asked for too, by those that do not stream.
      setup.members = {{"first_byte_ms", "400"}, {"idle_ms", "400"}};
      if (fault.script == "half" || fault.script == "empty")
        setup.members.emplace_back("streaming", provider == "anthropic" ? "false" : "true");
      if (fault.script == "end=1" && provider != "anthropic")
        continue;  // these formats end with the stream's own end
      Host host(setup);
      Asked asked = host.ask("an answer that takes more than one piece", {{"early_stop", "none"}});
      CHECK(asked.status() == Status::failed);
      const Json value = asked.value();
      REQUIRE(value.contains("class"));
      // A line of Ollama's that says nothing is passed over, so that its stream has ended without an answer.
      const bool ends_early = provider == "ollama" && fault.script == "empty";
      const unsigned tries = ends_early ? 3 : fault.tries;
      CHECK(value["class"] == (ends_early ? "cut" : fault.failure_class));
      if (fault.script != "redirect")
        CHECK(value["retryable"] == fault.retryable);
      CHECK(value["status"] == fault.status);
      CHECK(value.value("tries", 1U) == tries);
      CHECK(asked.all_told("retry").size() == tries - 1);
      CHECK_MESSAGE(asked.error().find(fault.says) != std::string::npos, asked.error());
      CHECK(asked.error().find(provider + "/scripted: ") == 0);
      CHECK(asked.error().find('\n') == std::string::npos);
      CHECK(Upstream::shared().stats(tag)["requests"] == tries);
      const bool some = fault.script == "cut=1" || fault.script == "silent_after=1" || fault.script == "end=1";
      CHECK(value.contains("text") == some);
      if (some) {
        CHECK(value["text"] == "an answer that takes");
        CHECK(value["usage"]["estimated"] == true);
        CHECK(value["usage"]["output_tokens"] > 0);
      }
      check_no_key(asked);
    }
  }
}

TEST_CASE("providers: what is down for a moment is tried again, Retry-After is kept, and each try is told") {
  for (const std::string& provider : network_providers) {
    {
      const std::string tag = "again-" + provider;
      Host host(setup_for(provider, tag, "status=503,first=2"));
      Asked asked = host.ask("at last");
      REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
      CHECK(asked.value()["text"] == "at last");
      CHECK(asked.value()["tries"] == 3);
      const std::vector<Json> retries = asked.all_told("retry");
      REQUIRE(retries.size() == 2);
      CHECK(retries[0]["tried"] == 1);
      CHECK(retries[1]["tried"] == 2);
      CHECK(retries[0]["class"] == "overloaded");
      CHECK(retries[0]["status"] == 503);
    }
    {
      const std::string tag = "after-" + provider;
      Host host(setup_for(provider, tag, "status=429,after=1,first=1"));
      const auto begun = std::chrono::steady_clock::now();
      Asked asked = host.ask("patience");
      REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
      CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::seconds(1));
      CHECK(asked.all_told("retry").at(0)["wait_ms"] >= 1'000);
    }
  }
  // No connection at all: three tries.
  HostSetup setup;
  setup.base = "http://127.0.0.1:" + std::to_string(closed_port());
  Host host(setup);
  Asked asked = host.ask("nobody hears it");
  CHECK(asked.status() == Status::failed);
  CHECK(asked.value()["class"] == "unreachable");
  CHECK(asked.value()["tries"] == 3);
  CHECK(asked.error().find("no connection to 127.0.0.1:") != std::string::npos);
}

TEST_CASE("providers: the deadline of an effect holds while it streams, hangs, waits to try again or waits its turn") {
  for (const char* script : {"hang", "gap=100,piece=1", "status=500,delay=250"}) {
    CAPTURE(script);
    const std::string tag = std::string("deadline-") + script;
    HostSetup setup = setup_for("openai", tag, script);
    setup.members = {{"first_byte_ms", "60000"}};
    Host host(setup);
    Asked asked = host.ask(std::string(5'000, 'x'), {}, 600);
    const bool down = std::string(script).find("status") == 0;
    if (down) {
      CHECK((asked.status() == Status::timed_out || asked.status() == Status::failed));
    } else {
      CHECK(asked.status() == Status::timed_out);
      CHECK(asked.value()["class"] == "timed_out");
      CHECK(Upstream::shared().sees(tag, [](const Json& stats) { return stats["gone"] == 1; }));
    }
  }
  HostSetup setup = setup_for("ollama", "turn", "hang");
  setup.members = {{"calls_max", "1"}};
  Host host(setup);
  Asked first = host.ask("first");
  CHECK(Upstream::shared().sees("turn", [](const Json& stats) { return stats["requests"] == 1; }));
  Asked second = host.ask("second", {}, 300);
  CHECK(second.status() == Status::timed_out);
  CHECK(second.error().find("ollama/scripted: its time was up before it was answered") != std::string::npos);
  host.stop(first);
  CHECK(first.status() == Status::cancelled);
  CHECK(Upstream::shared().stats("turn")["requests"] == 1);
}

TEST_CASE("providers: a cancelled effect closes its connection upstream at every moment, and keeps what had come") {
  const Upstream& upstream = Upstream::shared();
  for (const std::string& provider : network_providers) {
    CAPTURE(provider);
    {
      Host host(setup_for(provider, "stop1-" + provider, "hang"));
      Asked asked = host.ask("never said");
      CHECK(upstream.sees("stop1-" + provider, [](const Json& stats) { return stats["requests"] == 1; }));
      host.stop(asked);
      CHECK(asked.status() == Status::cancelled);
      CHECK(upstream.sees("stop1-" + provider, [](const Json& stats) { return stats["gone"] == 1; }));
      CHECK(asked.reply.count() == 1);
    }
    {
      Host host(setup_for(provider, "stop2-" + provider, "gap=20,piece=1"));
      Asked asked = host.ask(std::string(100'000, 'x'), {{"early_stop", "none"}});
      CHECK(asked.told.wait(4));
      host.stop(asked);
      CHECK(asked.status() == Status::cancelled);
      CHECK(asked.value()["text"].get<std::string>().substr(0, 2) == "xx");
      CHECK(asked.value()["usage"]["estimated"] == true);
      CHECK(upstream.sees("stop2-" + provider, [](const Json& stats) { return stats["gone"] == 1; }));
    }
    {
      // Before it was begun, while it waits to try again, and when it is over.
      HostSetup setup = setup_for(provider, "stop3-" + provider, "status=429,after=30");
      Host host(setup);
      Asked asked = host.ask("x", {}, 120'000);
      CHECK(upstream.sees("stop3-" + provider, [](const Json& stats) { return stats["requests"] == 1; }));
      host.stop(asked);
      CHECK(asked.status() == Status::cancelled);
      Asked at_once = host.ask("x", {}, 120'000);
      host.stop(at_once);
      CHECK(at_once.status() == Status::cancelled);
      host.stop(asked);
      CHECK(asked.reply.count() == 1);
    }
  }
  Coming<run::Reply> reply;
  {
    Host host(setup_for("openai", "stop4", "hang"));
    Asked asked = host.ask("never said");
    reply = asked.reply;
    CHECK(upstream.sees("stop4", [](const Json& stats) { return stats["requests"] == 1; }));
  }
  CHECK(reply.count() == 1);
  CHECK(reply.get().status == Status::cancelled);
  CHECK(upstream.sees("stop4", [](const Json& stats) { return stats["gone"] == 1; }));
}

TEST_CASE(
    "providers: a stream that has become degenerate is stopped, with a contract and without, unless none is said") {
  const Upstream& upstream = Upstream::shared();
  for (const std::string& provider : network_providers) {
    for (const char* script : {"spaces", "repeat"}) {
      for (const bool with_contract : {true, false}) {
        const std::string tag = "endless-" + provider + "-" + script + (with_contract ? "-c" : "");
        CAPTURE(tag);
        Host host(setup_for(provider, tag, script));
        Json more = {{"output_tokens_max", 100'000}};
        if (with_contract)
          more["contract"] = "quiz";
        Asked asked = host.ask("", more, 0, {{"quiz", quiz_contract()}});
        REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
        const Json value = asked.value();
        CHECK(value["finish"] == "stopped");
        REQUIRE_MESSAGE(value.contains("stopped"), value.dump().substr(0, 300));
        CHECK(value["stopped"]["why"] == "degenerate");
        CHECK(value["stopped"]["received_bytes"] == value["text"].get<std::string>().size());
        CHECK(value["stopped"]["received_bytes"] <= 40'000);
        CHECK(value["stopped"]["saved_tokens"] > 50'000);
        CHECK(asked.all_told("stopped").size() == 1);
        CHECK(upstream.sees(tag, [](const Json& stats) { return stats["gone"] == 1; }));
      }
    }
  }
  Host host(setup_for("openai", "endless-none", "spaces"));
  Asked asked = host.ask("", {{"early_stop", "none"}}, 1'500);
  CHECK(asked.status() == Status::timed_out);
}

TEST_CASE("providers: early_stop finding ends the call at the first error that nothing mends, and only then") {
  const Upstream& upstream = Upstream::shared();
  for (const std::string& provider : {std::string("openai"), std::string("ollama")}) {
    Json broken = quiz(40);
    broken["questions"][1]["options"] = {"one", "two"};
    const std::string text = broken.dump();
    const std::map<std::string, std::string> pins = {{"quiz", quiz_contract()}};
    {
      const std::string tag = "finding-" + provider;
      CAPTURE(tag);
      Host host(setup_for(provider, tag, "piece=10,gap=1"));
      Asked asked =
          host.ask(text, {{"contract", "quiz"}, {"early_stop", "finding"}, {"output_tokens_max", 4'000}}, 0, pins);
      REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
      const Json value = asked.value();
      CHECK(value["finish"] == "stopped");
      CHECK(value["stopped"]["why"] == "finding");
      CHECK(value["stopped"]["rule"] == "minItems");
      CHECK(value["stopped"]["at"] == "/questions/1/options");
      const std::string kept = value["text"];
      CHECK(kept.size() < text.size() / 4);
      CHECK(text.compare(0, kept.size(), kept) == 0);
      CHECK(value["stopped"]["decided_at"] <= kept.size());
      CHECK(value["stopped"]["saved_tokens"] > 0);
      CHECK(!asked.all_told("finding").empty());
      CHECK(upstream.sees(tag, [](const Json& stats) { return stats["gone"] == 1; }));
    }
    {
      // The same without being asked to: it comes whole, and what is wrong is told.
      Host host(setup_for(provider, "whole-" + provider, "piece=200"));
      Asked asked = host.ask(text, {{"contract", "quiz"}}, 0, pins);
      REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
      CHECK(asked.value()["text"] == text);
      CHECK(!asked.value().contains("stopped"));
      CHECK(!asked.all_told("finding").empty());
    }
    {
      // What an allowed edit or a free fix mends is no reason: a fence, a comma too many, an answer but for its case.
      Json loose = quiz(3);
      loose["questions"][0]["correct_answer"] = " TWO";
      std::string wrapped = loose.dump();
      wrapped.insert(wrapped.size() - 2, ",");
      wrapped = "Here it is:\n```json\n" + wrapped + "\n```";
      Host host(setup_for(provider, "mended-" + provider, "piece=3"));
      Asked asked = host.ask(wrapped, {{"contract", "quiz"}, {"early_stop", "finding"}}, 0, pins);
      REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
      CHECK(asked.value()["text"] == wrapped);
      CHECK(!asked.value().contains("stopped"));
      // One that is nothing like an option is.
      loose["questions"][0]["correct_answer"] = "seventeen";
      Asked other = host.ask(loose.dump(), {{"contract", "quiz"}, {"early_stop", "finding"}}, 0, pins);
      REQUIRE_MESSAGE(other.status() == Status::ok, other.error());
      CHECK(other.value()["stopped"]["rule"] == "memberOf");
      // What was saved is now told against what an answer took before.
      CHECK(other.value()["stopped"].contains("saved_tokens"));
    }
  }
}

TEST_CASE("providers: no more calls are in progress than allowed, and the others begin in the order they were asked") {
  // Long enough that all are known before the first one ends.
  HostSetup setup = setup_for("ollama", "order", "delay=150");
  setup.members = {{"calls_max", "1"}};
  Host host(setup);
  std::vector<Asked> all;
  for (int i = 0; i < 12; ++i)
    all.push_back(host.ask("number " + std::to_string(i)));
  for (Asked& one : all)
    CHECK(one.status() == Status::ok);
  const Json bodies = Upstream::shared().stats("order")["bodies"];
  REQUIRE(bodies.size() == 12);
  // Any of them may be the first: it is begun when the others are not known yet. Those wait, and keep their order.
  std::vector<int> begun;
  for (const Json& body : bodies)
    begun.push_back(
        std::stoi(body["messages"][0]["content"].get<std::string>().substr(std::string("say: number ").size())));
  CHECK(std::is_sorted(begun.begin() + 1, begun.end()));
}

TEST_CASE("providers: what can never work is refused before anything is sent") {
  HostSetup setup = setup_for("openai", "refused", "ok");
  setup.members = {{"tools", "false"}, {"streaming", "false"}};
  Host host(setup);
  Asked unknown = host.ask("x", {{"phase", "dream"}});
  CHECK(unknown.status() == Status::failed);
  CHECK(unknown.error() == "no provider was chosen for the phase 'dream'");
  Asked tools = host.ask("x", {{"tools", {{{"name", "look"}}}}});
  CHECK(tools.error() == "the request has tools, which openai/scripted (chosen by --provider) does not take");
  Asked streaming = host.ask("x", {{"early_stop", "finding"}});
  CHECK(streaming.error().find("needs streaming") != std::string::npos);
  Asked pin = host.ask("x", {{"contract", "nowhere"}});
  CHECK(pin.error().find("no text named 'nowhere'") != std::string::npos);
  Asked contract = host.ask("x", {{"contract", "bad"}}, 0, {{"bad", R"({"type": 12})"}});
  CHECK(contract.error().find("bad is not a contract") == 0);
  Asked roles = host.ask_request({{"phase", "plan"}, {"messages", {{{"role", "boss"}, {"content", "x"}}}}});
  CHECK(roles.error().find("/messages/0/role") != std::string::npos);
  for (Asked* one : {&unknown, &tools, &streaming, &pin, &contract, &roles})
    CHECK(one->value()["retryable"] == false);
  CHECK(Upstream::shared().stats("refused")["requests"] == 0);

  host::EffectCall search;
  search.kind = run::EffectKind::search;
  Coming<run::Reply> reply;
  host.fulfiller->begin(std::move(search), [reply](run::Reply got) mutable { reply.set(std::move(got)); });
  CHECK(reply.get().status == Status::failed);
  CHECK(reply.get().error == "nothing here fulfils effects of the kind search");
}

TEST_CASE("providers: a temperature that the model does not take is left out, and that is told") {
  HostSetup setup = setup_for("openai", "o3", "ok");
  setup.model = "o3-mini";
  Host host(setup);
  Asked asked = host.ask("x", {{"temperature", 0.2}});
  CHECK(asked.value()["left_out"] == Json{"temperature"});
  CHECK(!Upstream::shared().stats("o3")["bodies"][0].contains("temperature"));
}

TEST_CASE("providers: Ollama is given a tool for its answer, unless a mode is set or the answer may be ended early") {
  const std::map<std::string, std::string> pins = {{"quiz", quiz_contract()}};
  for (const std::string script : {"calls", "ok"}) {  // it cannot be made to call it
    CAPTURE(script);
    Host host(setup_for("ollama", "tool-" + script, script));
    Asked asked = host.ask(quiz(2).dump(), {{"contract", "quiz"}}, 0, pins);
    REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
    CHECK(Json::parse(asked.value()["text"].get<std::string>()) == quiz(2));
    CHECK(asked.value()["structured"] == "tool");
    CHECK(asked.value()["finish"] == "stop");
    CHECK(!asked.value().contains("calls"));
    const Json body = Upstream::shared().stats("tool-" + script)["bodies"][0];
    CHECK(!body.contains("format"));
    CHECK(body["tools"][0]["function"]["parameters"]["properties"].contains("questions"));
  }
  {
    HostSetup setup = setup_for("ollama", "tool-set", "ok");
    setup.members = {{"structured", "strict"}};
    Host host(setup);
    CHECK(host.ask(quiz(1).dump(), {{"contract", "quiz"}}, 0, pins).value()["structured"] == "strict");
    CHECK(!Upstream::shared().stats("tool-set")["bodies"][0].contains("tools"));
  }
  {
    // A model without tools is held to the schema.
    Host host(setup_for("ollama", "tool-none", "no_tools"));
    Asked asked = host.ask(quiz(1).dump(), {{"contract", "quiz"}}, 0, pins);
    REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
    CHECK(asked.value()["structured"] == "strict");
    CHECK(asked.value()["weakened"]["from"] == "tool");
  }
}

TEST_CASE("providers: one that answers 400 to structured output is asked once in the next weaker mode, which is kept") {
  const std::map<std::string, std::string> pins = {{"quiz", quiz_contract()}};
  for (const std::string provider : {"openai", "ollama"}) {
    CAPTURE(provider);
    {
      Host host(setup_for(provider, "weaker-" + provider, provider == "ollama" ? "no_tools" : "no_schema"));
      const std::string from = provider == "ollama" ? "tool" : "strict";
      const std::string to = provider == "ollama" ? "strict" : "json";
      Asked asked = host.ask(quiz(1).dump(), {{"contract", "quiz"}}, 0, pins);
      REQUIRE_MESSAGE(asked.status() == Status::ok, asked.error());
      CHECK(asked.value()["structured"] == to);
      CHECK(asked.value()["tries"] == 2);
      CHECK(asked.value()["weakened"]["from"] == from);
      CHECK(asked.value()["weakened"]["setting"] == "providers." + provider + ".structured: " + to);
      Asked next = host.ask(quiz(1).dump(), {{"contract", "quiz"}}, 0, pins);
      CHECK(next.value()["structured"] == to);
      CHECK(!next.value().contains("weakened"));
      CHECK(Upstream::shared().stats("weaker-" + provider)["requests"] == 3);
    }
    {
      // Once, and then the error says what can be set.
      Host host(setup_for(provider, "weakest-" + provider, "no_tools,no_format"));
      Asked asked = host.ask(quiz(1).dump(), {{"contract", "quiz"}}, 0, pins);
      CHECK(asked.status() == Status::failed);
      CHECK(asked.error().find("providers." + provider + ".structured: none") != std::string::npos);
      CHECK(Upstream::shared().stats("weakest-" + provider)["requests"] == 2);
    }
    {
      // A mode that was set stays.
      HostSetup setup = setup_for(provider, "as-set-" + provider, "no_schema");
      setup.members = {{"structured", "strict"}};
      Host host(setup);
      CHECK(host.ask(quiz(1).dump(), {{"contract", "quiz"}}, 0, pins).status() == Status::failed);
      CHECK(Upstream::shared().stats("as-set-" + provider)["requests"] == 1);
    }
  }
  // A 400 without structured output is a 400.
  Host host(setup_for("openai", "plain-400", "status=400"));
  CHECK(host.ask("x").status() == Status::failed);
  CHECK(Upstream::shared().stats("plain-400")["requests"] == 1);
}

TEST_CASE("providers: a model that reasons gets room for it beside its answer") {
  for (const auto& one :
       std::map<std::string, int>{{"o3-mini", 600 + 4'096}, {"deepseek-reasoner", 600 + 4'096}, {"scripted", 600}}) {
    const std::string model = one.first;
    const int wanted = one.second;
    CAPTURE(model);
    HostSetup setup = setup_for("openai", "room-" + model, "ok");
    setup.model = model;
    Host host(setup);
    CHECK(host.ask("x", {{"output_tokens_max", 600}}).status() == Status::ok);
    const Json body = Upstream::shared().stats("room-" + model)["bodies"][0];
    CHECK(body.value("max_tokens", body.value("max_completion_tokens", 0)) == wanted);
  }
}

TEST_CASE("providers: a thousand calls at once against a provider that answers in 200 ms") {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 8'192);
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < 2'500) {
    MESSAGE("only " << files.rlim_cur << " files may be open: not tried");
    return;
  }
  const Upstream upstream;  // of its own, so that it inherits the limit
  HostSetup setup;
  setup.base = upstream.base("thousand", "delay=200");
  setup.members = {{"calls_max", "1000"}};
  Host host(setup);
  const auto begun = std::chrono::steady_clock::now();
  std::vector<Asked> all;
  for (int i = 0; i < 1'000; ++i)
    all.push_back(host.ask(quiz(1).dump(), {{"contract", "quiz"}}, 0, {{"quiz", quiz_contract()}}));
  std::size_t fine = 0;
  for (Asked& one : all)
    fine += one.status() == Status::ok && Json::parse(one.value()["text"].get<std::string>()) == quiz(1) ? 1U : 0U;
  const auto took = std::chrono::steady_clock::now() - begun;
  CHECK(fine == 1'000);
  CHECK(upstream.stats("thousand")["requests"] == 1'000);
  std::printf("1,000 model calls at once, 200 ms each upstream: %.2f s in all\n",
              std::chrono::duration<double>(took).count());
}
