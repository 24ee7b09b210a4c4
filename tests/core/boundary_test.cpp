#include "core/run/boundary.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/boundary/contract_boundary.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/boundary_answers.hpp"
#include "core/run/boundary_laws.hpp"
#include "core/run/machine.hpp"
#include "tests/law_step.hpp"
#include "tests/runs/hostile_boundary.hpp"

using namespace plumb;
using json::Value;
using run::Data;
using run::Reply;
using run::Want;

namespace {

constexpr std::string_view brief_contract = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "plumb:test-brief",
    "title": "Brief", "itemId": "/area",
  "type": "object", "required": ["area", "problem"],
  "properties": { "area": { "type": "string", "notBlank": true }, "problem": { "type": "string", "minLength": 1 },
                  "kind": { "type": "string" } },
  "rules": [
    { "id": "actionable", "title": "Actionable", "ask": "Can a developer find the surface?",
    "action": "Name the screen." },
    { "id": "coherent", "title": "Coherent", "ask": "Is there a single issue?" },
    { "id": "not-a-wish", "title": "No wish", "check": { "not": { "required": ["kind"],
    "properties": { "kind": { "const": "wish" } } } },
      "action": "Say what is wrong today." }
  ] })";

Reply text_reply(std::string_view text) {
  std::string json;
  json::Writer(json)
      .begin_object()
      .member("text", text)
      .member("finish", "stop")
      .key("usage")
      .raw(R"({"input_tokens":100,"output_tokens":50})")
      .end_object();
  Reply reply;
  reply.value = Data::written(json);
  return reply;
}

Reply failed_reply() {
  Reply reply;
  reply.status = run::Status::failed;
  reply.error = "the provider is down";
  return reply;
}

std::string rejection(std::string_view id, std::string_view rule, std::string_view reason) {
  std::string out;
  json::Writer(out)
      .begin_object()
      .member("item_id", id)
      .member("rule", rule)
      .member("rejection_reason", reason)
      .member("suggested_improvement", "name it")
      .end_object();
  return out;
}

std::string rejects(const std::vector<std::string>& rejections) {
  std::string out = R"({"accepted_items":[],"rejected_items":[)";
  for (const std::string& one : rejections) {
    out += (out.back() == '[' ? "" : ",") + one;
  }
  return out + "]}";
}

// A boundary with a scripted model: `answer` is asked for each call, by phase and the number of it.
struct Crossed {
  using Answer = std::function<Reply(std::string_view phase, std::size_t number, const Want& want)>;
  std::string view;
  std::string result;
  run::State state = run::State::waiting;
  std::string error;
  std::vector<std::string> prompts;    // of validations
  std::vector<std::string> revisions;  // prompts
  std::vector<std::string> notes;      // INPUT_VALIDATION, as JSON
  Data kept;

  Crossed(const std::string& items, const Answer& answer, std::string_view more = "",
          std::string_view contract = brief_contract) {
    const std::string request =
        R"({"contract":)" + std::string(contract) + R"(,"items":)" + items + std::string(more) + "}";
    json::Arena arena;
    const Result<Value> parsed = json::parse(request, arena);
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().message));
    const pipelines::Known& known = *pipelines::known_pipeline("boundary");
    Result<pipelines::Prepared> prepared = known.prepare(parsed.value(), {});
    REQUIRE_MESSAGE(prepared, (prepared ? "" : prepared.error().where + ": " + prepared.error().message));
    std::uint64_t now = 1'000;
    run::Machine machine =
        run::Machine::start(known.pipeline, "r1", prepared.value().input, prepared.value().pins, {}, now);
    while (machine.step(now += 10) == run::State::waiting) {
      (void)machine.take();
      const std::vector<Want> wanted = machine.wanted();
      REQUIRE(!wanted.empty());
      for (const Want& want : wanted) {
        const std::string phase(want.request.value().find("phase")->str());
        std::vector<std::string>& calls = phase == "validate" ? prompts : revisions;
        const std::size_t number = calls.size();
        std::string text;
        for (const Value& message : want.request.value().find("messages")->array()) {
          text += message.find("content")->str();
        }
        calls.push_back(text);
        REQUIRE(machine.attempt(want.key, now += 10));
        REQUIRE(machine.reply(want.key, answer(phase, number, want), now += 10));
      }
    }
    state = machine.state();
    view = known.view(machine.journal());
    kept = Data::written(view);
    if (state == run::State::done) {
      result = machine.result().text();
    } else {
      error = machine.error().message;
    }
    for (const run::Entry& entry : machine.journal().entries()) {
      if (entry.kind == run::EntryKind::note && entry.name == "INPUT_VALIDATION") {
        notes.emplace_back(entry.data.text());
      }
    }
  }

  const Value& out() const { return *kept.value().find("result"); }
  std::string text_at(std::string_view member) const { return std::string(out().find(member)->str()); }
  // "1+ 3! 2x": accepted, warned, held back, in their order; ? for unverified.
  std::string order() const {
    std::string all;
    for (const Value& item : everything()) {
      const std::string_view passed = item.find("passed")->str();
      all += (all.empty() ? "" : " ") + std::string(item.find("id")->str()) +
             (passed == "accepted" ? "+"
              : passed == "warned" ? "!"
                                   : "x");
      all += item.find("unverified")->boolean ? "?" : "";
    }
    return all;
  }
  Value item(std::size_t i) const { return everything().at(i); }
  // The result's items, and behind them what is held back.
  std::vector<Value> everything() const {
    std::vector<Value> all;
    for (const std::string_view list : {"items", "held_back"}) {
      const auto items = out().find(list)->array();
      all.insert(all.end(), items.begin(), items.end());
    }
    return all;
  }
};

std::string briefs(std::size_t count) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ",") + std::string(R"({"area":"screen )") + json::uint_text(i) + R"(","problem":"slow"})";
  }
  return out + "]";
}

const Crossed::Answer takes_all = [](std::string_view, std::size_t, const Want&) { return text_reply(rejects({})); };

std::string flags(const Crossed& one) { return json::value_text(*one.out().find("quality_flags")); }

}  // namespace

TEST_CASE("boundary: nothing to judge makes no call") {
  const Crossed none("[]", takes_all);
  CHECK(none.prompts.empty());
  CHECK(none.text_at("decision") == "accept");
  CHECK(flags(none) == R"({"items_produced":0,"validation_rejections":0,"validation_retries":0})");
}

TEST_CASE("boundary: all items go into one validation call, and the rules that need no model are decided before it") {
  const Crossed one(
      R"([{"area":"a","problem":"p"},{"area":"b"},{"area":"c","problem":"p","kind":"wish"}])",
      [](std::string_view phase, std::size_t, const Want&) {
        return text_reply(phase == "validate" ? rejects({}) : R"({"items":[{"area":"x","problem":"p"}]})");
      });
  CHECK(one.prompts.size() == 2);  // one for each cycle
  CHECK(one.prompts[0].find(R"({"id":"1","name":"a")") != std::string::npos);
  CHECK(one.prompts[0].find(R"("id":"2")") == std::string::npos);
  CHECK(one.prompts[0].find(R"("id":"3")") == std::string::npos);
  CHECK(one.prompts[1].find(R"("id":"1")") == std::string::npos);
  CHECK(one.prompts[1].find(R"("id":"2")") != std::string::npos);
  CHECK(one.revisions.size() == 2);
  CHECK(one.order() == "1+ 2+ 3+");
  CHECK(flags(one) == R"({"items_produced":3,"validation_rejections":2,"validation_retries":1})");
}

TEST_CASE("boundary: what stays rejected passes behind the accepted with its warning, and nothing is dropped") {
  const Crossed one(briefs(3), [](std::string_view phase, std::size_t, const Want&) {
    return text_reply(phase == "validate" ? rejects({rejection("2", "actionable", "no surface is named")})
                                          : R"({"items":[{"area":"still vague","problem":"p"}]})");
  });
  CHECK(one.order() == "1+ 3+ 2!");
  CHECK(json::value_text(*one.item(2).find("validation_warnings")) ==
        R"(["Rejected after 2 retries: no surface is named"])");
  CHECK(json::value_text(*one.item(2).find("value")->find("validation_warnings")) ==
        R"(["Rejected after 2 retries: no surface is named"])");
  CHECK(one.prompts.size() == 3);
  CHECK(one.revisions.size() == 2);
  CHECK(one.text_at("decision") == "accept_with_warnings");
  CHECK(flags(one) == R"({"items_produced":3,"validation_rejections":1,"validation_retries":2})");
}

TEST_CASE(
    "boundary: a revision gets its item, id, reason, suggestion, action and what it was made from, and no other") {
  const Crossed one(
      briefs(2),
      [](std::string_view phase, std::size_t number, const Want&) {
        return text_reply(phase != "validate" ? R"({"items":[{"area":"cart page","problem":"p"}]})"
                          : number == 0       ? rejects({rejection("2", "actionable", "no surface is named")})
                                              : rejects({}));
      },
      R"(,"upstream":[{"finding":"first"},{"finding":"second"}])");
  REQUIRE(one.revisions.size() == 1);
  for (const std::string_view part :
       {"screen 1", "no surface is named", "name it", "Name the screen.", "second", "actionable"}) {
    CHECK_MESSAGE(one.revisions[0].find(part) != std::string::npos, std::string(part));
  }
  CHECK(one.revisions[0].find("screen 0") == std::string::npos);
  CHECK(one.revisions[0].find("first") == std::string::npos);
  CHECK(one.order() == "1+ 2+");
}

TEST_CASE("boundary: an answer that is none, or a failed call, accepts what it was asked of, visibly unverified") {
  for (const Reply& reply : {text_reply("They all look good to me."), text_reply("{}"), failed_reply()}) {
    const Crossed one(R"([{"area":"a","problem":"p"},{"area":"b","problem":"p","kind":"wish"}])",
                      [&](std::string_view phase, std::size_t, const Want&) {
                        return phase == "validate" ? reply : text_reply("no");
                      });
    // The item that a rule rejected is not accepted with the others.
    CHECK(one.order() == "1+? 2!");
    CHECK(one.text_at("decision") == "accept_unverified");
    CHECK(one.text_at("unverified") == "1");
    CHECK(one.notes[0].find(R"("unverified_item_ids":["1"])") != std::string::npos);
    CHECK(one.notes[0].find(R"("calls_failed":1)") != std::string::npos);
  }
}

TEST_CASE(
    "boundary: unmentioned items are accepted, unknown ids ignored, rejections without rule or reason unverified") {
  const Crossed one(briefs(4), [](std::string_view, std::size_t, const Want&) {
    return text_reply(rejects({rejection("screen 0", "actionable", "vague"), rejection("7", "actionable", "vague"),
                               rejection("2", "made-up", "vague"), rejection("3", "actionable", " ")}));
  });
  CHECK(one.order() == "1+ 2+? 3+? 4+");
  CHECK(one.notes[0].find(R"("unknown_ids":2)") != std::string::npos);
  CHECK(one.notes[0].find(R"("unfounded":2)") != std::string::npos);
  CHECK(one.notes[0].find(R"("unmentioned":2)") != std::string::npos);
}

TEST_CASE("boundary: one item ten times is ten items, each paired by an id of its own") {
  std::string items = "[";
  for (int i = 0; i < 10; ++i) {
    items += std::string(i == 0 ? "" : ",") + R"({"area":"cart","problem":"p"})";
  }
  const Crossed one(items + "]", [](std::string_view phase, std::size_t number, const Want&) {
    return text_reply(phase != "validate" ? R"({"items":[{"area":"cart","problem":"revised"}]})"
                      : number == 0       ? rejects({rejection("7", "coherent", "two issues")})
                                          : rejects({}));
  });
  CHECK(one.order() == "1+ 2+ 3+ 4+ 5+ 6+ 7+ 8+ 9+ 10+");
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(one.item(i).find("value")->find("problem")->str() == (i == 6 ? "revised" : "p"));
  }
}

TEST_CASE("boundary: a revision that is no JSON leaves its item rejected, is tried again, and costs its tokens") {
  const Crossed one(briefs(1), [](std::string_view phase, std::size_t number, const Want&) {
    return text_reply(phase == "validate"
                          ? (number == 0 ? rejects({rejection("1", "actionable", "vague")}) : rejects({}))
                      : number == 0 ? "I have improved it."
                                    : R"({"area":"cart page","problem":"p"})");
  });
  CHECK(one.order() == "1+");
  CHECK(one.revisions.size() == 2);
  CHECK(one.prompts.size() == 2);  // nothing was judged in the cycle without a revision
  CHECK(one.text_at("tokens") == "600");
}

TEST_CASE("boundary: a revision may split an item, its parts stand in its place and are not split again") {
  const Crossed one(briefs(3), [](std::string_view phase, std::size_t number, const Want&) {
    return text_reply(phase != "validate"
                          ? R"({"items":[{"area":"cart","problem":"p"},{"area":"login","problem":"p"}]})"
                      : number == 0 ? rejects({rejection("2", "coherent", "two issues")})
                      : number == 1 ? rejects({rejection("2.1", "coherent", "two issues still")})
                                    : rejects({}));
  });
  CHECK(one.order() == "1+ 2.2+ 3+ 2.1!");
  CHECK(one.item(1).find("revised_from")->str() == "2");
  CHECK(one.notes[2].find(R"("skipped":1)") != std::string::npos);
}

TEST_CASE("boundary: a revision in more than five parts is not taken, and nothing of it is") {
  const Crossed one(briefs(1), [](std::string_view phase, std::size_t, const Want&) {
    return text_reply(phase == "validate" ? rejects({rejection("1", "coherent", "six issues")})
                                          : R"({"items":[)" + briefs(6).substr(1, briefs(6).size() - 2) + "]}");
  });
  CHECK(one.order() == "1!");
  CHECK(one.item(0).find("value")->find("area")->str() == "screen 0");
}

TEST_CASE("boundary: an item whose structure never held is kept as failed with its findings") {
  const Crossed one(R"([{"area":"a","problem":"p"},{"area":"b"}])",
                    [](std::string_view phase, std::size_t, const Want&) {
                      return text_reply(phase == "validate" ? rejects({}) : R"({"items":[{"area":"b","problem":""}]})");
                    });
  CHECK(one.order() == "1+ 2x");
  CHECK(one.text_at("decision") == "revise");
  CHECK(one.item(1).find("why")->find("rule")->str() == "minLength");
}

TEST_CASE("boundary: a revision that breaks a valid item is not taken, and the item goes on with its warning") {
  const Crossed one(briefs(2), [](std::string_view phase, std::size_t, const Want&) {
    return text_reply(phase == "validate" ? rejects({rejection("2", "actionable", "vague")})
                                          : R"({"items":[{"area":"cart","problem":5}]})");
  });
  CHECK(one.order() == "1+ 2!");
  CHECK(one.item(1).find("value")->find("area")->str() == "screen 1");
  CHECK(one.item(1).find("value")->find("problem")->str() == "slow");
  CHECK(json::value_text(*one.item(1).find("validation_warnings")) == R"(["Rejected after 2 retries: vague"])");
  CHECK(one.revisions.size() == 2);
  // The second try is told what was wrong with the first.
  CHECK(one.revisions[0].find("could not be used") == std::string::npos);
  CHECK(one.revisions[1].find("the revision breaks its contract: /problem") != std::string::npos);
}

TEST_CASE("boundary: where one part of a split is broken the whole item stays") {
  const Crossed one(briefs(1), [](std::string_view phase, std::size_t, const Want&) {
    return text_reply(phase == "validate" ? rejects({rejection("1", "coherent", "two issues")})
                                          : R"({"items":[{"area":"cart","problem":"p"},{"area":"login"}]})");
  });
  CHECK(one.order() == "1!");
  CHECK(one.item(0).find("value")->find("area")->str() == "screen 0");
}

TEST_CASE("boundary: a part keeps its last valid version as an item does") {
  const Crossed one(briefs(1), [](std::string_view phase, std::size_t number, const Want&) {
    if (phase == "validate") {
      return text_reply(number == 0 ? rejects({rejection("1", "coherent", "two issues")})
                                    : rejects({rejection("1.2", "actionable", "vague still")}));
    }
    return text_reply(number == 0 ? R"({"items":[{"area":"cart","problem":"p"},{"area":"login","problem":"q"}]})"
                                  : R"({"items":[{"area":"login"}]})");
  });
  CHECK(one.order() == "1.1+ 1.2!");
  CHECK(one.item(1).find("value")->find("problem")->str() == "q");
}

TEST_CASE("boundary: what became valid in a revision stays so, and what never was is held back with its findings") {
  const Crossed one(R"([{"area":"a"},{"area":"b"}])", [](std::string_view phase, std::size_t number, const Want& want) {
    if (phase == "validate") {
      return text_reply(rejects({rejection("1", "actionable", "vague")}));
    }
    const bool first = want.request.text().find("\\\"area\\\":\\\"a") != std::string::npos;
    return text_reply(first && number < 2 ? R"({"items":[{"area":"a","problem":"p"}]})" : R"({"items":[{"area":""}]})");
  });
  CHECK(one.order() == "1! 2x");
  CHECK(one.item(0).find("value")->find("problem")->str() == "p");
  CHECK(json::value_text(*one.out().find("held_back")).find(R"("id":"2")") != std::string::npos);
  CHECK(json::value_text(*one.out().find("warnings")).find("Rejected after 2 retries: vague") != std::string::npos);
}

TEST_CASE("boundary: a revision is asked for by the item's own contract, and members without a name are taken over") {
  std::string pin;
  const Crossed one(R"([{"area":"a","problem":"p","ticket":17,"by":{"name":"Ada"}}])",
                    [&](std::string_view phase, std::size_t number, const Want& want) {
                      pin = phase == "validate" ? pin : std::string(want.request.value().find("contract")->str());
                      return text_reply(phase != "validate" ? R"({"items":[{"area":"cart","problem":"q"}]})"
                                        : number == 0       ? rejects({rejection("1", "actionable", "vague")})
                                                            : rejects({}));
                    });
  CHECK(pin == "contract-revise-of-contract");
  CHECK(one.order() == "1+");
  CHECK(json::value_text(*one.item(0).find("value")) ==
        R"({"area":"cart","problem":"q","ticket":17,"by":{"name":"Ada"}})");
}

TEST_CASE("boundary: a document inside of a string is taken for what it is, with and without a type in the contract") {
  for (const std::string_view contract : {brief_contract, std::string_view(R"({"required":["area"],
      "rules":[{"id":"actionable","ask":"?"}]})")}) {
    const Crossed one(
        briefs(1),
        [](std::string_view phase, std::size_t number, const Want&) {
          return text_reply(phase != "validate" ? R"({"items":["{\"area\":\"cart\",\"problem\":\"q\"}"]})"
                            : number == 0       ? rejects({rejection("1", "actionable", "vague")})
                                                : rejects({}));
        },
        "", contract);
    CHECK(one.order() == "1+");
    CHECK(one.item(0).find("value")->find("area")->str() == "cart");
  }
}

TEST_CASE("boundary: a warning stands beside items that cannot hold it, and what is handed over keeps its contract") {
  const auto stubborn = [](std::string_view phase, std::size_t, const Want&) {
    return text_reply(phase == "validate" ? rejects({rejection("1", "clear", "too broad")}) : "no");
  };
  const Crossed closed(R"([{"area":"a"}])", stubborn, "",
                       R"({"type":"object","properties":{"area":{"type":"string"}},"additionalProperties":false,
                           "rules":[{"id":"clear","ask":"?"}]})");
  const Crossed text(R"(["a"])", stubborn, "", R"({"type":"string","rules":[{"id":"clear","ask":"?"}]})");
  const Crossed taken(R"([{"validation_warnings":"none"}])", stubborn, "",
                      R"({"type":"object","properties":{"validation_warnings":{"type":"string"}},
                          "rules":[{"id":"clear","ask":"?"}]})");
  for (const Crossed* one : {&closed, &text, &taken}) {
    CHECK(one->order() == "1!");
    CHECK(json::value_text(*one->out().find("warnings")) ==
          R"([{"id":"1","index":0,"warning":"Rejected after 2 retries: too broad"}])");
  }
  CHECK(json::value_text(*closed.item(0).find("value")) == R"({"area":"a"})");
  CHECK(json::value_text(*text.item(0).find("value")) == R"("a")");
  CHECK(json::value_text(*taken.item(0).find("value")) == R"({"validation_warnings":"none"})");
}

TEST_CASE("boundary: items beyond the window go in the fewest batches, and one too large alone is told") {
  std::string items = "[";
  const auto words = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += "slow ";
    }
    return text;
  };
  for (int i = 0; i < 40; ++i) {
    items += std::string(i == 0 ? "" : ",") + R"({"area":"s","problem":")" + words(i == 5 ? 20'000 : 300) + "\"}";
  }
  const Crossed one(items + "]", takes_all, R"(,"window_tokens":8000)");
  CHECK(one.prompts.size() > 1);
  CHECK(one.notes[0].find("\"validation_calls\":" + json::uint_text(one.prompts.size())) != std::string::npos);
  CHECK(one.notes[0].find(R"("too_large":1)") != std::string::npos);
  CHECK(one.text_at("unverified") == "1");
  CHECK(one.out().find("items")->array()[5].find("unverified")->boolean);
}

TEST_CASE("boundary: batches are the fewest that hold the items in their order") {
  const std::vector<std::string_view> texts(10, "one two three four five six seven eight nine ten");
  const run::Batches all = run::batches_of(texts, 100'000);
  CHECK(all.sizes == std::vector<std::size_t>{10});
  const run::Batches some = run::batches_of(texts, 160);
  CHECK(some.sizes == std::vector<std::size_t>{2, 2, 2, 2, 2});
  CHECK(run::batches_of(texts, 50).too_large.size() == 10);
}

TEST_CASE("boundary: prose and a fence around an answer are taken away, as everywhere") {
  const Crossed one(briefs(2), [](std::string_view phase, std::size_t number, const Want&) {
    return text_reply(phase != "validate" ? "Here it is:\n```json\n{\"area\":\"cart\",\"problem\":\"p\"}\n```"
                      : number == 0       ? "```json\n" + rejects({rejection("1", "actionable", "vague")}) + "\n```"
                                          : rejects({}));
  });
  CHECK(one.order() == "1+ 2+");
  CHECK(one.item(0).find("value")->find("area")->str() == "cart");
}

TEST_CASE("boundary: an item's name is the field of itemId, or of the request's own pointer") {
  const Crossed one(R"([{"area":"a","problem":"p"}])", takes_all, R"(,"id":"/problem")");
  CHECK(one.prompts[0].find(R"("name":"p")") != std::string::npos);
}

TEST_CASE("boundary: the judge is told who it is, and what it will do with the items") {
  const Crossed one(
      briefs(1), takes_all,
      R"(,"consumer":{"agent":"SolutionDesigner","role":"You design solutions.","work":"You design one for each."})");
  CHECK(one.prompts[0].find("You are SolutionDesigner. You design solutions. You design one for each.") !=
        std::string::npos);
  CHECK(one.prompts[0].find("- actionable (Actionable): Can a developer find the surface?") != std::string::npos);
  CHECK(one.prompts[0].find("not-a-wish") == std::string::npos);
  CHECK(one.notes[0].find(R"("agent":"SolutionDesigner","producer":"the producer","cycle":0,"accepted":1,)"
                          R"("rejected":0,"rejected_item_ids":[])") != std::string::npos);
}

TEST_CASE("boundary: a request that cannot work is refused with the place and what to do") {
  const auto refused = [](const std::string& text) {
    json::Arena arena;
    const Result<Value> request = json::parse(text, arena);
    REQUIRE(request);
    const Result<pipelines::Prepared> prepared = pipelines::known_pipeline("boundary")->prepare(request.value(), {});
    return prepared ? std::string() : prepared.error().where + ": " + prepared.error().message;
  };
  CHECK(refused("[]") == ": a request is a JSON object");
  CHECK(refused(R"({"contract":"quiz"})") == "/items: `items` is missing: a list of JSON values");
  CHECK(refused(R"({"items":[]})") ==
        "/contract: `contract` is missing: the name of a contract, or the contract itself");
  CHECK(refused(R"({"items":[],"contract":"quizz"})") == "/contract: there is no contract 'quizz'");
  CHECK(refused(R"({"items":[1],"contract":"quiz","upstream":[]})").substr(0, 9) == "/upstream");
  CHECK(refused(R"({"items":[],"contract":"quiz","itemz":1})") ==
        "/itemz: there is no member 'itemz'; did you mean 'items'?");
  CHECK(refused(R"({"items":[],"contract":{"type":7}})").empty() == false);
  CHECK(refused(R"({"items":[],"contract":"quiz","consumer":{"name":"x"}})").substr(0, 15) == "/consumer/name:");
}

TEST_CASE("boundary: the law checker finds each law broken") {
  std::vector<run::BoundaryItem> input(2);
  input[0].value = Data::written("1");
  input[1].value = Data::written("2");
  run::give_ids(input);
  run::Crossing good;
  good.cycles.push_back({.judged = 2, .accepted = 2, .open = 2, .batches = 1});
  good.calls = 1;
  good.calls_max = 13;
  for (std::size_t i = 0; i < 2; ++i) {
    run::Crossed& item = good.items.emplace_back();
    item.id = input[i].id;
    item.input = i;
    item.value = input[i].value;
  }
  CHECK(run::broken_laws(input, good).empty());
  const auto breaks = [&](const std::function<void(run::Crossing&)>& change) {
    run::Crossing bad = good;
    change(bad);
    return !run::broken_laws(input, bad).empty();
  };
  CHECK(breaks([](run::Crossing& c) { c.items.pop_back(); }));
  CHECK(breaks([](run::Crossing& c) { std::swap(c.items[0], c.items[1]); }));
  CHECK(breaks([](run::Crossing& c) { c.items[1].id = "1"; }));
  CHECK(breaks([](run::Crossing& c) { c.items[0].value = Data::written("7"); }));
  CHECK(breaks([](run::Crossing& c) { c.items[0].warning = "Rejected after 2 retries: x"; }));
  CHECK(breaks([](run::Crossing& c) { c.items[0].passed = run::Passed::warned; }));
  CHECK(breaks([](run::Crossing& c) { c.items[0].revisions = 3; }));
  CHECK(breaks([](run::Crossing& c) { c.calls = 2; }));
  CHECK(breaks([](run::Crossing& c) {
    c.cycles[0].batches = 3;
    c.calls = 3;
  }));
  CHECK(breaks([](run::Crossing& c) { c.rejections = 1; }));
  CHECK(breaks([](run::Crossing& c) { c.retries = 1; }));
  CHECK(breaks([](run::Crossing& c) {
    c.cycles[0].judged = 1;
    c.cycles[0].accepted = 1;
  }));
  CHECK(breaks([](run::Crossing& c) {
    c.cycles.push_back({.judged = 1, .accepted = 1});
    c.retries = 1;
  }));
}

TEST_CASE("boundary: the laws hold with models that do their worst, over 3,000 seeds") {
  test::HostileCounts counts;
  std::uint64_t broken = 0;
  for (std::uint64_t seed = test::law_step; seed <= 3'000; seed += test::law_step) {
    const std::string wrong = test::play_hostile(seed, counts);
    if (!wrong.empty() && broken++ < 5) {
      FAIL_CHECK("seed ", seed, ": ", wrong);
    }
  }
  CHECK(broken == 0);
  // The models were hostile indeed.
  CHECK(counts.warned > 100 / test::law_step);
  CHECK(counts.failed > 100 / test::law_step);
  CHECK(counts.parts > 100 / test::law_step);
  CHECK(counts.skipped > 100 / test::law_step);
  CHECK(counts.unknown_ids > 100 / test::law_step);
  CHECK(counts.unfounded > 100 / test::law_step);
  CHECK(counts.calls_failed > 100 / test::law_step);
}
