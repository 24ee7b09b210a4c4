// What rules leave to a judge, asked before an answer is given: the judge is scripted, everything else is real.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/guard/guard.hpp"
#include "core/guard/guard_answer.hpp"

using namespace plumb;
using namespace plumb::guard;

namespace {

constexpr std::string_view schema = R"({
  "type": "object", "required": ["answer"], "properties": {"answer": {"type": "string"}, "more": {"type": "string"}},
  "rules": [{"id": "known", "title": "Known", "ask": "The answer stands in what was given."},
            {"id": "polite", "title": "Polite", "ask": "The answer is polite.", "severity": "warning"}]})";

GuardOptions options_of(Mode mode) {
  Result<contract::Contract> read = contract::Contract::read(schema);
  REQUIRE(read);
  GuardOptions options;
  options.text = {std::make_shared<const contract::Contract>(std::move(read).value()), "test", "", mode};
  options.judge.there = true;
  return options;
}

struct Talk {
  std::string got;
  std::string got_before_judge;
  std::vector<wire::ModelRequest> judged;
  std::vector<wire::ModelRequest> repairs;
  GuardOutcome outcome;
};

// A text is what is answered; one that begins with "!" is a failure of whoever is asked.
Talk talk(GuardOptions options, const std::vector<std::string>& answers) {
  Guard guard(std::move(options));
  wire::ModelRequest original;
  original.messages.push_back(wire::text_message(wire::Role::user, "Water boils at 100 degrees. What does it do?"));
  Talk out;
  GuardStep step;
  const auto take = [&] {
    for (const ReleasedDelta& one : step.released) {
      out.got += one.text;
    }
  };
  for (std::size_t i = 0; step.want != Want::finished; ++i) {
    REQUIRE(i < answers.size());
    const std::string& answer = answers[i];
    step.clear();
    if (answer.front() == '!') {
      guard.fail(wire::make_failure(wire::FailureClass::timed_out, answer.substr(1)), step);
      take();
    } else {
      for (std::size_t at = 0; at < answer.size() && step.want == Want::more; at += 5) {
        step.clear();
        guard.take({wire::DeltaKind::text, 0, std::string_view(answer).substr(at, 5), {}, {}}, step);
        take();
      }
      if (step.want == Want::more) {
        wire::ModelReply reply;
        reply.text = answer;
        reply.finish = wire::Finish::stop;
        step.clear();
        guard.end(reply, step);
        take();
      }
    }
    if (step.want == Want::judge) {
      out.got_before_judge = out.got;
      out.judged.push_back(guard.judge_request(original));
    } else if (step.want == Want::repair) {
      out.repairs.push_back(guard.repair_request(original));
    }
  }
  out.outcome = guard.outcome();
  return out;
}

const std::string answer = R"({"answer": "It boils."})";
const std::string holds =
    R"({"claims": [{"rule": "known", "at": "", "holds": true, "quote": "Water boils", "chunk": 1},
                   {"rule": "polite", "at": "", "holds": true, "quote": "Water boils"}]})";
const std::string denied =
    R"({"claims": [{"rule": "known", "at": "/answer", "holds": false, "reason": "Nothing says so."},
                   {"rule": "polite", "at": "", "holds": true, "quote": "Water boils"}]})";

const contract::Verdict& verdict_of(const Talk& talk) { return talk.outcome.parts.at(0).verdict; }

}  // namespace

TEST_CASE("guard judge: in enforce nothing is released before the judge has said that the rules hold") {
  const Talk seen = talk(options_of(Mode::enforce), {answer, holds});
  CHECK(seen.got == answer);
  CHECK(seen.got_before_judge.empty());
  CHECK(seen.outcome.decision == contract::Decision::accept);
  CHECK(seen.outcome.valid);
  CHECK(verdict_of(seen).undecided.empty());
  CHECK(verdict_of(seen).scorecard.at(0).outcome == contract::Outcome::holds);
  CHECK(seen.outcome.judge.calls == 1);
  CHECK(seen.outcome.judge.holds == 2);
  REQUIRE(seen.judged.size() == 1);
  const std::string& asked = seen.judged[0].messages.back().content[0].text;
  CHECK(asked.find("known: The answer stands in what was given.") != std::string::npos);
  CHECK(asked.find("Water boils at 100 degrees.") != std::string::npos);
  CHECK(asked.find("It boils.") != std::string::npos);
  CHECK(plumb_json(seen.outcome).find(R"("judge":{"calls":1,"holds":2,"broken":0,"undecided":0})") !=
        std::string::npos);
}

TEST_CASE("guard judge: what the judge denies is repaired, and the repair is judged in turn") {
  const std::string better = R"({"answer": "It boils at 100 degrees."})";
  const Talk seen = talk(options_of(Mode::enforce), {answer, denied, better, holds});
  CHECK(seen.got == better);
  CHECK(seen.outcome.decision == contract::Decision::accept);
  CHECK(seen.outcome.attempts == 1);
  CHECK(seen.outcome.judge.calls == 2);
  REQUIRE(seen.repairs.size() == 1);
  CHECK(seen.repairs[0].messages.back().content[0].text.find("Nothing says so.") != std::string::npos);
}

TEST_CASE("guard judge: an answer that the judge goes on denying is an error that carries the judge's findings") {
  const Talk seen =
      talk(options_of(Mode::enforce), {answer, denied, R"({"answer": "a"})", denied, R"({"answer": "b"})", denied});
  CHECK_FALSE(seen.outcome.ok);
  CHECK(seen.got.empty());
  REQUIRE(seen.outcome.failure);
  CHECK(seen.outcome.failure->code == "contract_not_kept");
  CHECK(seen.outcome.failure->message.find("Nothing says so.") != std::string::npos);
  REQUIRE(verdict_of(seen).findings.size() == 1);
  const contract::Finding& finding = verdict_of(seen).findings[0];
  CHECK(finding.rule == "known");
  CHECK(finding.at == "/answer");
  CHECK(finding.finding_class == contract::FindingClass::meaning);
  CHECK(verdict_of(seen).decision == contract::Decision::revise);
  CHECK(verdict_of(seen).scorecard.at(0).outcome == contract::Outcome::broken);
}

TEST_CASE("guard judge: a repair that says what was there is not judged again, and the model is told so") {
  const std::string better = R"({"answer": "It boils at 100 degrees."})";
  const Talk seen = talk(options_of(Mode::enforce), {answer, denied, answer, better, holds});
  CHECK(seen.got == better);
  CHECK(seen.outcome.judge.calls == 2);
  REQUIRE(seen.repairs.size() == 2);
  CHECK(seen.repairs[1].messages.back().content[0].text.find("changed nothing") != std::string::npos);
}

TEST_CASE("guard judge: in hold-back what was released stays, and what the judge denies ends the stream as a failure") {
  const Talk good = talk(options_of(Mode::hold_back), {answer, holds});
  CHECK(good.got == answer);
  CHECK_FALSE(good.got_before_judge.empty());
  CHECK(good.outcome.decision == contract::Decision::accept);
  const Talk bad = talk(options_of(Mode::hold_back), {answer, denied});
  CHECK_FALSE(bad.outcome.ok);
  CHECK(answer.starts_with(bad.got));
  CHECK(bad.repairs.empty());
  CHECK(bad.outcome.failure->code == "contract_not_kept");
  CHECK(bad.outcome.note.find("not taken back") != std::string::npos);
  GuardOptions passes = options_of(Mode::hold_back);
  passes.on_error = OnError::pass;
  const Talk passed = talk(std::move(passes), {answer, denied});
  CHECK(passed.outcome.ok);
  CHECK(passed.got == answer);
  CHECK(passed.outcome.decision != contract::Decision::accept);
  CHECK_FALSE(passed.outcome.valid);
}

TEST_CASE("guard judge: what nobody settled passes visibly unverified, and never silently") {
  struct Case {
    const char* name;
    bool there;
    std::vector<std::string> answers;
    const char* why;
  };
  const std::string unproven = R"({"claims": [{"rule": "known", "at": "", "holds": true, "quote": "It freezes."},
                                             {"rule": "polite", "at": "", "holds": true, "quote": "Water boils"}]})";
  for (const Case& one : {Case{"no judge", false, {answer}, "no judge is configured"},
                          Case{"the judge fails", true, {answer, "!it took too long"}, "it took too long"},
                          Case{"no JSON, twice", true, {answer, "Sure!", "Of course!"}, "cannot be used"},
                          Case{"a quote that stands nowhere", true, {answer, unproven}, "is not in the source"}}) {
    CAPTURE(one.name);
    GuardOptions options = options_of(Mode::enforce);
    options.judge.there = one.there;
    const Talk seen = talk(std::move(options), one.answers);
    CHECK(seen.outcome.ok);
    CHECK(seen.got == answer);
    CHECK(seen.outcome.decision == contract::Decision::accept_unverified);
    CHECK(seen.outcome.valid);
    CHECK(seen.outcome.judge.open >= 1);
    CHECK(seen.outcome.judge.why.find(one.why) != std::string::npos);
    REQUIRE_FALSE(verdict_of(seen).undecided.empty());
    CHECK(verdict_of(seen).undecided[0].reason.find(one.why) != std::string::npos);
    CHECK(plumb_json(seen.outcome).find("accept_unverified") != std::string::npos);
  }
}

TEST_CASE("guard judge: where nothing unverified may pass, what the judge leaves open is an undecided answer") {
  GuardOptions options = options_of(Mode::enforce);
  options.judge.open_passes = false;
  const Talk seen = talk(std::move(options), {answer, "!the judge is away"});
  CHECK_FALSE(seen.outcome.ok);
  CHECK(seen.got.empty());
  CHECK(seen.outcome.failure->code == "contract_undecided");
  CHECK(seen.outcome.failure->message.find("the judge is away") != std::string::npos);
}

TEST_CASE("guard judge: an answer of no JSON is asked for once more, and the judge is told what was wrong") {
  const Talk seen = talk(options_of(Mode::enforce), {answer, R"({"claims": []})", holds});
  CHECK(seen.outcome.decision == contract::Decision::accept);
  CHECK(seen.outcome.judge.calls == 2);
  CHECK(seen.outcome.judge.failed == 1);
  REQUIRE(seen.judged.size() == 2);
  CHECK(seen.judged[0].messages.back().content[0].text.find("could not be used") == std::string::npos);
  CHECK(seen.judged[1].messages.back().content[0].text.find("could not be used") != std::string::npos);
}

TEST_CASE("guard judge: calls and tokens of a judge are bounded, and the bound is told") {
  GuardOptions few = options_of(Mode::enforce);
  few.judge.calls_max = 1;
  const Talk once = talk(std::move(few), {answer, denied, R"({"answer": "It boils at 100 degrees."})"});
  CHECK(once.outcome.ok);
  CHECK(once.outcome.decision == contract::Decision::accept_unverified);
  CHECK(once.outcome.judge.calls == 1);
  CHECK(once.outcome.judge.why.find("as often as one answer may") != std::string::npos);
  GuardOptions poor = options_of(Mode::enforce);
  poor.tokens_max = 1;
  const Talk none = talk(std::move(poor), {answer});
  CHECK(none.outcome.decision == contract::Decision::accept_unverified);
  CHECK(none.outcome.judge.calls == 0);
  CHECK(none.outcome.judge.why.find("tokens_max") != std::string::npos);
}

TEST_CASE("guard judge: quotes of the answer itself prove something only where the host says so") {
  const std::string own = R"({"claims": [{"rule": "known", "at": "", "holds": true, "quote": "It boils."},
                                        {"rule": "polite", "at": "", "holds": true, "quote": "It boils."}]})";
  CHECK(talk(options_of(Mode::enforce), {answer, own}).outcome.decision == contract::Decision::accept_unverified);
  GuardOptions any = options_of(Mode::enforce);
  any.judge.answer_is_evidence = true;
  CHECK(talk(std::move(any), {answer, own}).outcome.decision == contract::Decision::accept);
}

TEST_CASE("guard judge: observe asks nobody, and a broken warning does not hold an answer back") {
  const Talk observed = talk(options_of(Mode::observe), {answer});
  CHECK(observed.outcome.decision == contract::Decision::accept);
  CHECK(verdict_of(observed).undecided.size() == 2);
  const std::string rude =
      R"({"claims": [{"rule": "known", "at": "", "holds": true, "quote": "Water boils"},
                     {"rule": "polite", "at": "", "holds": false, "reason": "It is short."}]})";
  const Talk warned = talk(options_of(Mode::enforce), {answer, rude});
  CHECK(warned.got == answer);
  CHECK(warned.outcome.decision == contract::Decision::accept_with_warnings);
}
