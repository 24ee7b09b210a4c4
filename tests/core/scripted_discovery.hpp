// A discovery run that a test drives, without a model or with a scripted one.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/task.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/discovery/discovery.hpp"

namespace plumb::pipelines::discovery {

using json::Value;
using run::Data;
using run::Reply;
using run::State;
using run::Want;

using Files = std::map<std::string, std::string>;  // "root/path" -> text

inline std::string conversations() {
  std::string out;
  std::uint64_t number = 0;
  for (const std::string_view text :
       {"The checkout button does nothing. My cart is lost.", "I cannot hit the checkout button on my phone.",
        "The checkout button is broken on Safari.", "Export of invoices fails with an error.",
        "Invoices cannot be exported: the export fails.", "How do I change my address?"}) {
    const std::string n = json::uint_text(++number);
    json::Writer json(out);
    json.begin_object().member("id", "c" + n).member("text", text).member("created_at", "2026-01-0" + n).end_object();
    out += "\n";
  }
  return out + "{broken\n";
}

inline Reply value_reply(std::string json) {
  Reply out;
  out.value = Data::written(std::move(json));
  return out;
}

// "USAGE {...}" in front of what is said is what the provider reports.
inline Reply text_reply(std::string_view text) {
  std::string usage = R"({"input_tokens":10,"output_tokens":5})";
  if (text.substr(0, 6) == "USAGE ") {
    usage = text.substr(6, text.find('\n') - 6);
    text.remove_prefix(text.find('\n') + 1);
  }
  std::string json;
  json::Writer(json).begin_object().member("text", text).member("finish", "stop").key("usage").raw(usage).end_object();
  return value_reply(json);
}

inline Reply read_reply(const Files& files, const Value& request) {
  const std::string root(request.find("root")->str());
  std::string json;
  json::Writer writer(json);
  if (const Value* tree = request.find("tree"); tree != nullptr && tree->boolean) {
    writer.begin_object().key("entries").begin_array();
    for (const auto& [path, text] : files) {
      if (path.substr(0, root.size() + 1) == root + "/") {
        writer.begin_object().member("path", path.substr(root.size() + 1)).member("kind", "file");
        writer.member_uint("bytes", text == "HUGE" ? std::uint64_t{2} << 30U : text.size()).end_object();
      }
    }
    writer.end_array().end_object();
    return value_reply(json);
  }
  const std::string& text = files.at(root + "/" + std::string(request.find("path")->str()));
  if (text == "BINARY") {
    Reply out;
    out.status = run::Status::failed;
    out.error = "'x' is no UTF-8 text";
    return out;
  }
  // A line "BAD" is one that is no UTF-8.
  std::string good = text;
  const std::size_t bad = good.find("\nBAD\n");
  if (bad != std::string::npos) {
    good.erase(bad + 1, 3);
  }
  writer.begin_object().member("text", good).member_uint("bytes", text.size());
  if (bad != std::string::npos) {
    const auto line =
        static_cast<std::uint64_t>(std::count(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(bad), '\n'));
    writer.key("bad_lines").begin_object().member_uint("count", 1).member_uint("first", line + 2).end_object();
  }
  writer.end_object();
  return value_reply(json);
}

// What a model says to a prompt of discovery, by the name of the task.
using Model = std::function<std::string(std::string_view task, std::string_view prompt)>;

// A run that a test drives: without a model, or with a scripted one.
struct Found {
  run::Machine machine;
  std::uint64_t now = 1'770'000'000'000;
  std::vector<std::string> tasks;
  std::vector<std::string> prompts;
  std::vector<std::pair<std::string, Data>> questions;  // to people, by key
  std::string text;
  Data kept;

  static run::Machine begin(const std::string& request, const Texts& texts = {}) {
    json::Arena arena;
    const Result<Value> parsed = json::parse(request, arena);
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().message));
    const Known& known = *known_pipeline("discovery");
    Result<Prepared> prepared = known.prepare(parsed.value(), texts);
    REQUIRE_MESSAGE(prepared, (prepared ? "" : prepared.error().where + ": " + prepared.error().message));
    return run::Machine::start(known.pipeline, "r1", prepared.value().input, prepared.value().pins, {},
                               1'770'000'000'000);
  }
  Found(const std::string& request, const Files& files, const Model& model = {}, const Texts& texts = {})
      : machine(begin(request, texts)) {
    go(files, model);
  }

  void go(const Files& files, const Model& model) {
    for (int steps = 0; steps < 2'000 && machine.step(now += 10) == State::waiting; ++steps) {
      (void)machine.take();
      std::vector<Want> wanted = machine.wanted();
      for (Want& want : machine.under_way()) {
        wanted.push_back(std::move(want));
      }
      // People are asked, and not answered for, until a test does it.
      wanted.erase(std::remove_if(wanted.begin(), wanted.end(), [&](const Want& want) { return asks(want); }),
                   wanted.end());
      if (wanted.empty()) {
        break;
      }
      for (const Want& want : wanted) {
        REQUIRE(machine.attempt(want.key, now += 10));
        REQUIRE(machine.reply(want.key, reply_to(want, files, model), now += 10));
      }
    }
    text = known_pipeline("discovery")->view(machine.journal());
    kept = Data::written(text);
  }

  bool asks(const Want& want) {
    if (want.kind != run::EffectKind::person) {
      return false;
    }
    if (want.attempts == 0) {
      REQUIRE(machine.attempt(want.key, now += 10));
      questions.emplace_back(want.key, want.request);
    }
    return true;
  }

  // A person's answer to the oldest question.
  void answer(std::string_view decision, const Files& files, const Model& model) {
    REQUIRE(!questions.empty());
    std::string value;
    json::Writer(value).begin_object().member("decision", decision).end_object();
    REQUIRE(machine.reply(questions.front().first, value_reply(value), now += 10));
    questions.erase(questions.begin());
    go(files, model);
  }

  Reply reply_to(const Want& want, const Files& files, const Model& model) {
    const Value& request = want.request.value();
    if (want.kind == run::EffectKind::read) {
      return read_reply(files, request);
    }
    tasks.emplace_back(request.find("task")->find("name")->str());
    std::string prompt;
    for (const Value& message : request.find("messages")->array()) {
      prompt += message.find("content")->str();
    }
    prompts.push_back(prompt);
    if (model) {
      const std::string said = model(tasks.back(), prompt);
      if (said == "DOWN") {
        Reply out;
        out.status = run::Status::failed;
        out.error = "the provider is down";
        return out;
      }
      return text_reply(said);
    }
    const Result<std::string> answer = extract::reply_to(request);
    if (!answer) {
      Reply out;
      out.status = run::Status::failed;
      out.error = answer.error().message;
      out.value = Data::written(R"({"retryable":false})");
      return out;
    }
    return value_reply(answer.value());
  }

  void review(const std::string& signal, const Files& files = {}, const Model& model = {}) {
    REQUIRE(machine.signal("review", Data::written(signal), now += 10));
    go(files, model);
  }

  const Value& view() const { return kept.value(); }
  std::string at(std::string_view pointer) const {
    const Value* found = json::resolve(view(), pointer);
    return found == nullptr                ? "-"
           : found->is(json::Kind::string) ? std::string(found->str())
                                           : json::value_text(*found);
  }
};

inline const Files exports = {
    {"talks/a.ndjson", conversations()}, {"talks/big.csv", "HUGE"}, {"talks/cat.txt", "BINARY"}};
inline constexpr std::string_view by_rule = R"({"sources":{"conversations":"talks"}})";
inline constexpr std::string_view with_model =
    R"({"sources":{"conversations":"talks"},"review":true,"providers":{"explore":"m/m",)"
    R"("frame":"m/m","design":"m/m","assess":"m/m","rank":"m/m","validate":"m/m","revise":"m/m"}})";

// A model that does its work.
inline std::string able(std::string_view task, std::string_view prompt) {
  (void)prompt;
  if (task == "discovery.explore") {
    return R"({"findings":[{"pattern_name":"Checkout button","description":"It does not react.",)"
           R"("severity_assessment":"high","affected_users_estimate":"half","evidence":["c1","c2",)"
           R"("c99"],"confidence":"HIGH"},
      {"pattern_name":"Invoice export","description":{"what":"fails"},
    "severity_assessment":"high","affected_users_estimate":"some","evidence":["c4"],"confidence":"sure"}]})";
  }
  if (task == "discovery.frame") {
    return R"({"briefs":[{"problem_statement":"The button does not react.",)"
           R"("counterfactual":"Fewer lost carts.","affected_area":"checkout","source_findings":["F1"]},
      {"problem_statement":"Export fails.","counterfactual":"Exports work.",
    "affected_area":"checkout","source_findings":["F2"],"opportunity_nature":"internal tooling"}]})";
  }
  if (task == "discovery.propose") {
    return R"({"proposed_solution":"Make it larger.",)"
           R"("success_metrics":"Taps that work: 60% to 95%.","build_experiment_decision":"build_direct"})";
  }
  if (task == "discovery.challenge") {
    return R"({"assessment":"approve","critique":"Good enough to try."})";
  }
  if (task == "discovery.experience") {
    return R"({"user_impact_level":"high","notes":"They notice it at once."})";
  }
  if (task == "discovery.assess") {
    return R"({"feasibility_assessment":"feasible","approach":"Change the style.",)"
           R"("effort_estimate":"1 to 2 days, sure","dependencies":"none",)"
           R"("acceptance_criteria":"44 px","constraints":"Keeps the grid."})";
  }
  if (task == "discovery.risk") {
    return R"({"overall_risk_level":"low","risks":[{"description":"Layout shifts.",)"
           R"("severity":"low","mitigation":"Test it."}],"notes":"fine"})";
  }
  if (task == "discovery.rank") {
    return R"({"rankings":[{"opportunity_id":"O2","rationale":"quick"},{"opportunity_id":"O2",)"
           R"("rationale":"again"},{"opportunity_id":"O9","rationale":"made up"}]})";
  }
  return R"({"accepted_items":[],"rejected_items":[]})";
}

}  // namespace plumb::pipelines::discovery
