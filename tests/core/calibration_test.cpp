#include "core/pipelines/artifact/calibration.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/members.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/artifact.hpp"
#include "core/pipelines/outcomes.hpp"
#include "core/run/replay.hpp"

using namespace plumb;
using namespace plumb::pipelines;
using run::Data;
using run::Machine;
using run::Reply;
using run::State;
using run::Want;

namespace {

// What a scripted judge says of the claim: nothing is a quote that the source does not have.
using Judge = std::function<std::optional<bool>(std::size_t kind, std::string_view rule)>;

std::string source_of_kinds(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += "Photosynthesis of kind " + std::to_string(100 + i) + " occurs in chloroplasts. ";
  }
  return out;
}

std::string quiz_of_kind(std::size_t kind) {
  const std::string name = "photosynthesis of kind " + std::to_string(100 + kind);
  return R"({"questions":[{"question":"Where does )" + name +
         R"( occur?","options":["Mitochondria","Chloroplasts","Nucleus","Cell wall"],)"
         R"("correct_answer":"Chloroplasts","explanation":"The )" +
         name + R"( occurs in chloroplasts."}]})";
}

std::string request_of(const std::vector<std::string>& labels, std::string_view more = "") {
  std::string out;
  json::Writer json(out);
  const std::string source = source_of_kinds(labels.size());
  json.begin_object().member("contract", "quiz").key("artifacts").begin_array();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    json.begin_object().member("content", source).key("artifact").raw(quiz_of_kind(i));
    json.key("labels").raw(labels[i]).member("name", "labels:" + std::to_string(i + 1)).end_object();
  }
  json.end_array().end_object();
  out.insert(out.size() - 1, more);
  return out;
}

Reply reply_with(std::string_view text) {
  std::string json;
  json::Writer(json).begin_object().member("text", text).member("finish", "stop").end_object();
  Reply reply;
  reply.value = Data::written(json);
  return reply;
}

// The claims of one artifact, whose number is in the request.
Reply judged_by(const Judge& judge, const Want& want) {
  const std::string_view text = want.request.text();
  const std::size_t at = text.find("Where does photosynthesis of kind ");
  REQUIRE(at != std::string_view::npos);
  const std::size_t kind = std::stoul(std::string(text.substr(at + 34, 3))) - 100;
  std::string claims;
  json::Writer json(claims);
  json.begin_object().key("claims").begin_array();
  for (const std::string_view rule : {"answerable", "no-invention", "answer-correct"}) {
    const std::optional<bool> holds = judge(kind, rule);
    json.begin_object().member("rule", rule).member("at", "/questions/0").member_boolean("holds", holds.value_or(true));
    json.member("quote", !holds   ? std::string("words that are nowhere in it")
                         : *holds ? "Photosynthesis of kind " + std::to_string(100 + kind) + " occurs in chloroplasts"
                                  : std::string());
    json.member("reason", holds.value_or(true) ? "" : "The source does not say so.").end_object();
  }
  json.end_array().end_object();
  return reply_with(claims);
}

Texts asked_of_model() {
  Texts texts;
  for (const std::string_view phase : artifact::phase_names) {
    texts.providers.emplace_back(std::string(phase), "openai/test");
  }
  return texts;
}

struct Ended {
  State state = State::waiting;
  std::string view;
  std::vector<std::string> lines;
  run::Outcome outcome;
  std::size_t calls = 0;
  std::vector<Want> asked;

  std::string at(std::string_view pointer) const {
    const Data seen = Data::written(view);
    const json::Value* found = json::resolve(seen.value(), pointer);
    return found == nullptr                ? "(nothing)"
           : found->is(json::Kind::string) ? std::string(found->str())
                                           : json::value_text(*found);
  }
};

Ended run_of(std::string_view pipeline, const Prepared& prepared, const std::function<Reply(const Want&)>& answer) {
  const Known& known = *known_pipeline(pipeline);
  Machine machine = Machine::start(known.pipeline, "r1", prepared.input, prepared.pins, {}, 1'770'546'600'000);
  Ended out;
  std::uint64_t now = 1'770'546'600'000;
  for (int step = 0; step < 2'000 && out.state == State::waiting; ++step) {
    out.state = machine.step(++now);
    for (const Want& want : out.state == State::waiting ? machine.wanted() : std::vector<Want>()) {
      REQUIRE(machine.attempt(want.key, ++now));
      out.asked.push_back(want);
      ++out.calls;
      REQUIRE(machine.reply(want.key, answer(want), ++now));
    }
  }
  out.view = known.view(machine.journal());
  for (const LogLine& line : known.log(machine.journal(), 0)) {
    out.lines.push_back(line.text);
  }
  out.outcome = outcome_of(machine.journal());
  return out;
}

Prepared prepared(std::string_view pipeline, const std::string& request, const Texts& texts) {
  const Data read = Data::written(request);
  Result<Prepared> made = known_pipeline(pipeline)->prepare(read.value(), texts);
  REQUIRE_MESSAGE(made, (made ? "" : made.error().where + ": " + made.error().message));
  return std::move(made).value();
}

Ended calibrated(const std::vector<std::string>& labels, const Judge& judge, const Texts& texts = asked_of_model()) {
  return run_of("calibration", prepared("calibration", request_of(labels), texts),
                [&](const Want& want) { return judged_by(judge, want); });
}

std::string error_of(const std::string& labels) {
  const Data read = Data::written(request_of({labels}));
  const Result<Prepared> made = known_pipeline("calibration")->prepare(read.value(), asked_of_model());
  return made ? "" : made.error().where + ": " + made.error().message;
}

}  // namespace

TEST_CASE("calibration: a judge that lies in 20 of 100 claims is measured as one") {
  // 50 artifacts with two labels each: one false, one true; each fifth of both is judged wrongly.
  std::vector<std::string> labels(50, R"({"questions[0]":{"answerable":false,"answer-correct":true}})");
  const Ended run = calibrated(labels, [](std::size_t kind, std::string_view rule) {
    return std::optional((rule != "answerable") == (kind % 5 != 0));
  });
  CHECK(run.state == State::done);
  CHECK(run.calls == 50);
  CHECK(run.at("/result/true_positive_rate") == R"({"rate":0.8,"count":40,"of":50,"low":0.6628,"high":0.8997})");
  CHECK(run.at("/result/false_positive_rate") == R"({"rate":0.2,"count":10,"of":50,"low":0.1003,"high":0.3372})");
  CHECK(run.at("/result/labels") == "100");
  CHECK(run.at("/result/differences/0/name") == "labels:1");
  CHECK(run.at("/result/differences/0/judged") == "accepted");
  CHECK(run.at("/result/differences/1/judged") == "rejected");
  CHECK(run.at("/result/differences/1/reason") == "Question 1: The source does not say so.");
  CHECK(run.at("/result/differences/20") == "(nothing)");
  CHECK(run.at("/judge") == "openai/test");
  CHECK(run.outcome.came_to == run::CameTo::accepted);
  CHECK(run.lines.at(0) == "⚙️ Measuring the judge openai/test with 50 labelled artifacts (type=quiz)");
  CHECK(run.lines.at(1) == "  ✗ labels:1: differs from 2 of 2 labels");
  CHECK(run.lines.at(2) == "  ✓ labels:2: agrees with 2 labels");
}

TEST_CASE("calibration: the judge is asked word for word as a job asks it, and once more about what it left open") {
  const Judge open = [](std::size_t, std::string_view rule) {
    return rule == "answerable" ? std::nullopt : std::optional(true);
  };
  const Ended measured = calibrated({R"({"questions[0]":true})"}, open);
  CHECK(measured.calls == 2);
  CHECK(measured.at("/result/undecided") == R"({"false_claims":0,"true_claims":1})");
  CHECK(measured.at("/result/false_positive_rate/of") == "2");

  std::string request;
  json::Writer(request)
      .begin_object()
      .member("artifact_type", "quiz")
      .member("content", source_of_kinds(1))
      .end_object();
  const Ended job = run_of("artifact", prepared("artifact", request, asked_of_model()), [&](const Want& want) {
    const std::string_view phase = json::text_of(want.request.value(), "phase");
    return phase == "plan"       ? reply_with(R"({"concepts":["photosynthesis"]})")
           : phase == "generate" ? reply_with(quiz_of_kind(0))
                                 : judged_by(open, want);
  });
  REQUIRE(job.asked.size() == 4);
  for (const std::size_t call : {0U, 1U}) {
    const auto messages = [&](const Want& want) { return json::value_text(*want.request.value().find("messages")); };
    // Fences are unique to a run's part.
    const auto without_fences = [](std::string text) {
      for (std::size_t at = 0; (at = text.find("<<<", at)) != std::string::npos;) {
        const std::size_t name = text.find(' ', at) + 1;
        const std::string fence = text.substr(name, text.find("\\n", name) - name);
        for (std::size_t i = 0; !fence.empty() && (i = text.find(fence)) != std::string::npos;) {
          text.erase(i, fence.size());
        }
        at += 3;
      }
      return text;
    };
    CHECK(without_fences(messages(job.asked[call + 2])) == without_fences(messages(measured.asked[call])));
  }
}

TEST_CASE("calibration: labels are written as people name places, and mistakes say where") {
  const std::string where = "/artifacts/0/labels/";
  CHECK(error_of(R"({"questions[0]":true})").empty());
  CHECK(error_of(R"({"Question 1":{"answerable":true},"/questions/0":{"answer-correct":false}})").empty());
  CHECK(error_of(R"({"questions[7]":true})") ==
        where + "questions[7]: nothing is judged at 'questions[7]'; places are /questions/0");
  CHECK(error_of(R"({"questions[0]":{"answer-corect":true}})") ==
        where +
            "questions[0]/answer-corect: the judge is not asked about a rule 'answer-corect' at /questions/0; did "
            "you mean 'answer-correct'?; rules there are answerable, no-invention, answer-correct");
  CHECK(error_of(R"({"questions[0]":true,"/questions/0":{"answerable":true}})") ==
        where + "~1questions~10/answerable: the rule 'answerable' is labelled twice at /questions/0");
  CHECK(error_of(R"({"questions[0]":"yes"})").starts_with(where + "questions[0]: a label is true"));
  CHECK(error_of("{}").starts_with("/artifacts/0: the labels are missing"));
}

TEST_CASE("calibration: a judge that answers nothing of use is not measured") {
  const Ended run =
      run_of("calibration", prepared("calibration", request_of({R"({"questions[0]":true})"}), asked_of_model()),
             [](const Want&) { return reply_with(R"({"no":"claims"})"); });
  CHECK(run.state == State::failed);
  CHECK(run.at("/error").starts_with("not measured - labels:1: the judge's answer breaks its contract"));
}

TEST_CASE("calibration: a source that the judge would not see as a whole is refused") {
  std::string long_source;
  for (int i = 0; i < 4'000; ++i) {
    long_source += "Chloroplasts of plant " + std::to_string(i) + " contain chlorophyll, a green pigment.\n\n";
  }
  std::string request;
  json::Writer json(request);
  json.begin_object().member("contract", "quiz").key("artifacts").begin_array().begin_object();
  json.member("content", long_source).key("artifact").raw(quiz_of_kind(0));
  json.key("labels").raw(R"({"questions[0]":true})").end_object().end_array().end_object();
  const Data read = Data::written(request);
  const Result<Prepared> made = known_pipeline("calibration")->prepare(read.value(), asked_of_model());
  REQUIRE(!made);
  CHECK(made.error().message.starts_with("the source is too long for the judge: "));
}

TEST_CASE("calibration: a job shows what was measured of its judge, and a worse one does not verify alone") {
  std::string request;
  json::Writer(request)
      .begin_object()
      .member("artifact_type", "quiz")
      .member("content", source_of_kinds(1))
      .end_object();
  const auto job = [&](const Texts& texts) {
    return run_of("artifact", prepared("artifact", request, texts), [&](const Want& want) {
      const std::string_view phase = json::text_of(want.request.value(), "phase");
      return phase == "plan"       ? reply_with(R"({"concepts":["photosynthesis"]})")
             : phase == "generate" ? reply_with(quiz_of_kind(0))
                                   : judged_by([](std::size_t, std::string_view) { return std::optional(true); }, want);
    });
  };
  Texts texts = asked_of_model();
  const Ended unknown = job(texts);
  CHECK(unknown.at("/decision") == "accept");
  CHECK(unknown.at("/judge") == "(nothing)");

  std::vector<judge::JudgeKey> asked;
  texts.measured = [&](const judge::JudgeKey& key) {
    asked.push_back(key);
    return std::optional(judge::Measured{"r0", 1'770'000'000'000, {45, 5, 1, 49, 0, 0}});
  };
  const Ended known = job(texts);
  CHECK(known.at("/decision") == "accept");
  CHECK(known.at("/judge/name") == "openai/test");
  CHECK(known.at("/judge/true_positive_rate/count") == "45");
  CHECK(known.at("/judge/measured_at") == "2026-02-02T02:40:00Z");
  CHECK(
      known.lines.at(known.lines.size() - 2) ==
      "  → Judge openai/test: catches 90 % (45 of 50; 95 % interval 78.1 % to 96.7 %) of false claims, rejects 2 % (1 "
      "of 50; 95 % interval 0 % to 10.7 %) of true ones");

  texts.judge.missed_max = 1'000;
  const Ended worse = job(texts);
  CHECK(worse.at("/decision") == "accept_unverified");
  CHECK(worse.at("/unverified_reason").starts_with("the judge openai/test may accept too many false claims: "));
  CHECK(worse.at("/result/questions/0/correct_answer") == "Chloroplasts");
  CHECK(worse.outcome.came_to == run::CameTo::undecided);
  CHECK(worse.outcome.reasons.at(0).code == "judge_not_trusted");

  texts.measured = [](const judge::JudgeKey&) { return std::optional<judge::Measured>(); };
  CHECK(job(texts).at("/decision") == "accept");
  texts.judge.must_be_measured = true;
  CHECK(job(texts).at("/decision") == "accept_unverified");

  // The key of a calibration is that under which a job looks.
  const Prepared measures = prepared("calibration", request_of({R"({"questions[0]":true})"}), asked_of_model());
  CHECK(calibration::key_of(measures.input.value()) == asked.at(0));
}

TEST_CASE("calibration: one that is worse than the host demands came to a failure") {
  Texts texts = asked_of_model();
  texts.judge.missed_max = 100;
  const Ended run = calibrated(
      {R"({"questions[0]":false})"}, [](std::size_t, std::string_view) { return std::optional(true); }, texts);
  CHECK(run.at("/result/distrust").starts_with("the judge openai/test may accept too many false claims"));
  CHECK(run.outcome.came_to == run::CameTo::failed);
}
