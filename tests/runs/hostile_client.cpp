#include "tests/runs/hostile_client.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/boundary/client_question.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/usage.hpp"

namespace plumb::test {

namespace {

using json::Value;

constexpr std::string_view contract = R"({"$id":"plumb:soak","itemId":"/name","type":"object","required":["n"],
  "properties":{"n":{"type":"integer"},"name":{"type":"string"},"text":{"type":"string","minLength":1}},
  "rules":[{"id":"clear","ask":"Is it clear?","action":"Say more."},{"id":"single","ask":"Is it one thing?"}]})";

struct Numbers {
  std::uint64_t state;
  std::size_t below(std::uint64_t n) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return static_cast<std::size_t>(state % n);
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
};

std::string item(Numbers& any) {
  static constexpr std::array<std::string_view, 4> names = {"cart", "cart", "search", ""};
  static constexpr std::array<std::string_view, 4> texts = {"slow", "slow", "wrong", ""};
  const bool broken = any.one_in(8);
  return "{\"n\":" + std::string(broken ? "\"x\"" : "1") + R"(,"name":")" + std::string(names[any.below(4)]) +
         R"(","text":")" + std::string(texts[any.below(4)]) + "\"}";
}

std::string some_request(Numbers& any) {
  std::string out = R"({"judge":"client","revise":"client","window_tokens":)";
  out += any.one_in(3) ? "1000" : "100000";
  out += ",\"contract\":" + std::string(contract);
  out += any.one_in(5) ? R"(,"observe":["clear"])" : any.one_in(9) ? R"(,"observe":["*"])" : "";
  out += ",\"items\":[";
  const std::uint64_t items = any.below(9);
  for (std::uint64_t i = 0; i < items; ++i) {
    out += (i == 0 ? "" : ",") + item(any);
  }
  return out + "]}";
}

std::string judgement(Numbers& any, const Value& question) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("rejected").begin_array();
  for (const Value& one : json::list_of(question, "items")) {
    if (any.one_in(2)) {
      continue;
    }
    json.begin_object();
    const std::string_view name = json::text_of(one, "name");
    switch (any.below(6)) {
      case 0:
        json.member("id", "nobody");
        break;
      case 1:
        json.member("id", name);
        break;
      case 2:
        json.key("id").raw("{}");
        break;
      default:
        json.member("id", json::text_of(one, "id"));
    }
    json.member("rule", any.one_in(6) ? "none" : any.one_in(2) ? "clear" : "single");
    json.member("reason", any.one_in(6) ? " " : "it is vague").end_object();
  }
  json.end_array().key("usage").raw(R"({"input_tokens":3,"output_tokens":2})").end_object();
  return out;
}

std::string revision(Numbers& any) {
  if (any.one_in(2)) {
    return R"({"usage":{"input_tokens":4,"output_tokens":1},"item":)" + item(any) + "}";
  }
  std::string out = R"({"items":[)";
  const std::uint64_t parts = any.below(8);
  for (std::uint64_t i = 0; i < parts; ++i) {
    out += (i == 0 ? "" : ",") + item(any);
  }
  return out + "]}";
}

std::string some_answer(Numbers& any, const Value& question) {
  static constexpr std::array<std::string_view, 10> odd = {"null",
                                                           "[]",
                                                           "{}",
                                                           R"({"rejected":"none"})",
                                                           R"({"item":7})",
                                                           R"({"items":"none"})",
                                                           R"({"items":[]})",
                                                           R"({"error":7})",
                                                           R"({"rejected":[null]})",
                                                           R"({"rejected":[],"other":1})"};
  if (any.one_in(6)) {
    return std::string(odd[any.below(odd.size())]);
  }
  if (any.one_in(12)) {
    return R"({"error":"it threw"})";
  }
  const bool judges = (json::text_of(question, "what") == "judge") != any.one_in(20);
  return judges ? judgement(any, question) : revision(any);
}

run::Reply timed_out() {
  run::Reply reply;
  reply.status = run::Status::timed_out;
  reply.error = "no answer within 90000 ms";
  return reply;
}

// Everything that came in goes out, in order, and every token is counted.
std::string check_result(const run::Machine& machine, std::size_t items, std::uint64_t tokens) {
  const Value& result = machine.result().value();
  std::vector<bool> there(items);
  std::uint64_t before = 0;
  std::string_view passed;
  for (const Value& one : json::list_of(result, "items")) {
    const std::uint64_t index = json::number_of(one, "index", items);
    const std::string_view now = json::text_of(one, "passed");
    if (index >= items) {
      return "an item comes from nowhere";
    }
    if (now == passed && index < before) {
      return "the order is not that of the input";
    }
    there[static_cast<std::size_t>(index)] = true;
    before = index;
    passed = now;
  }
  for (std::size_t i = 0; i < items; ++i) {
    if (!there[i]) {
      return "item " + json::uint_text(i + 1) + " is lost";
    }
  }
  return json::number_of(result, "tokens") == tokens ? std::string() : "tokens of some answer are not counted";
}

}  // namespace

std::string play_client(std::uint64_t seed, ClientCounts& counts) {
  Numbers any{seed * 0x9E3779B97F4A7C15U + 7};
  const run::Data request = run::Data::written(some_request(any));
  const pipelines::Known& known = *pipelines::known_pipeline("boundary");
  const Result<pipelines::Prepared> prepared = known.prepare(request.value(), {});
  if (!prepared) {
    return "the request is refused: " + prepared.error().message;
  }
  std::uint64_t now = 1;
  std::uint64_t tokens = 0;
  run::Machine machine = run::Machine::start(known.pipeline, "r" + json::uint_text(seed), prepared.value().input,
                                             prepared.value().pins, {}, now);
  std::vector<std::string> answered;
  for (int steps = 0; machine.step(++now) == run::State::waiting; ++steps) {
    (void)machine.take();
    for (const run::Want& want : machine.wanted()) {
      ++counts.asks;
      (void)machine.attempt(want.key, ++now);
    }
    const std::vector<run::Want> open = machine.under_way();
    if (steps > 300 || open.empty()) {
      return "the run does not end";
    }
    const run::Want& want = open[any.below(open.size())];
    const Value* question = want.request.value().find("question");
    if (question == nullptr || want.request.text().find("Answer with") != std::string_view::npos) {
      return "a client is asked with something else than a question";
    }
    json::Arena arena;
    const std::string text = some_answer(any, *question);
    const Result<Value> answer = json::parse(text, arena);
    Result<run::Reply> reply = pipelines::client_reply(want.request.value(), answer.value());
    if (any.one_in(15)) {
      reply = timed_out();
      ++counts.timed_out;
    } else if (!reply) {
      ++counts.refused;
      if (any.one_in(2)) {
        continue;  // it is still open
      }
      reply = timed_out();
    }
    counts.failed += reply.value().ok() ? 0 : 1;
    tokens += run::usage_of(reply.value().value.value()).tokens();
    if (!machine.reply(want.key, reply.value(), ++now)) {
      return "an open question does not take its answer";
    }
    answered.push_back(want.key);
    if (any.one_in(3)) {
      ++(reply.value().ok() ? counts.twice : counts.late);
      if (machine.reply(answered[any.below(answered.size())], reply.value(), ++now)) {
        return "a question takes a second answer";
      }
    }
  }
  if (machine.state() != run::State::done) {
    return "the run failed: " + machine.error().message;
  }
  ++counts.runs;
  return check_result(machine, request.value().find("items")->size, tokens);
}

}  // namespace plumb::test
