#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/workflow/contracts.hpp"
#include "core/workflow/review.hpp"

using namespace plumb::workflow;
using Texts = std::vector<std::string>;

namespace {

// A task of two criteria and two scenarios (one decided by the gate 'test'), three SOPs, a diff and a gate.
struct Case {
  Task task;
  std::vector<Sop> sops;
  Changes changes;
  std::vector<GateResult> gates;
  std::vector<FileFinding> patterns;
  Review review;

  Case() {
    task.id = "T1";
    task.acceptance = {{"A1", "says the version", ""}, {"A2", "ends with 0", ""}};
    task.scenarios = {{"S1", "g", "w", "t", "test"}, {"S2", "g", "w", "t", ""}};
    for (const auto& [name, severity] :
         {std::pair{"errors", "error"}, std::pair{"names", "warning"}, std::pair{"notes", "info"}}) {
      const SopReading read =
          read_sop({"sops/" + std::string(name) + ".md", "# " + std::string(name) + "\n\nText of it.\n",
                    R"({"severity": ")" + std::string(severity) + "\"}", 1, ""});
      sops.push_back(*read.sop);
    }
    changes = read_changes(
                  "--- a/src/main.cpp\n+++ b/src/main.cpp\n@@ -1,2 +1,4 @@\n int main(int argc, char** argv) {\n"
                  "-  return 1;\n+  std::puts(version_text);\n+  return 0;\n+}\n")
                  .value();
    GateResult gate;
    gate.gate = "test";
    gate.words = "gate 'test' passed after 1.2 s";
    gate.output = "[doctest] test cases: 12 | 12 passed\n";
    gates = {gate};
    review.approved = true;
    review.confidence_hundredths = 90;
    review.sop_review = {{"source.doc.sops.errors", "passed", "nothing can fail", "", {}, false},
                         {"names", "passed", "version_text", "", {}, false},
                         {"source.doc.sops.notes", "not_applicable", "", "no notes are touched", {}, false}};
    review.criteria = {{"A1", true, "std::puts(version_text);", false},
                       {"A2", true, "It returns: `return 0;`", false},
                       {"S2", true, "+  std::puts(version_text);\n+  return 0;\n+}", false}};
  }

  ReviewVerdict judged() const {
    std::vector<const Sop*> given;
    for (const Sop& one : sops) {
      given.push_back(&one);
    }
    const Texts evidence = evidence_of(changes, gates);
    return judge_review(review, {&task, given, patterns, evidence, gates, true});
  }
  Texts faults() const {
    std::vector<const Sop*> given;
    for (const Sop& one : sops) {
      given.push_back(&one);
    }
    const Texts evidence = evidence_of(changes, gates);
    return own_faults(review, {&task, given, patterns, evidence, gates, true});
  }
  Review without_model() const {
    std::vector<const Sop*> given;
    for (const Sop& one : sops) {
      given.push_back(&one);
    }
    return review_without_model({&task, given, patterns, {}, gates, true});
  }
};

FileFinding broken(const std::string& item, plumb::contract::Severity severity = plumb::contract::Severity::error) {
  return in_file("src/main.cpp", 2,
                 make_finding("sop-check", severity, plumb::contract::FindingClass::meaning, "", item, "no puts"));
}

}  // namespace

TEST_CASE("workflow review: one that proves all it says is approved") {
  const ReviewVerdict verdict = Case().judged();
  CHECK_MESSAGE(verdict.outcome == ReviewOutcome::approved, verdict.reason);
  CHECK(verdict.findings.empty());
  CHECK(verdict.unverified.empty());
  CHECK(verdict.feedback.empty());
}

TEST_CASE("workflow review: the seed's rules, in their words and their order") {
  Case one;
  one.review.sop_review.erase(one.review.sop_review.begin());
  CHECK(one.judged().outcome == ReviewOutcome::escalate);
  CHECK(one.judged().reason == "SOP source.doc.sops.errors not reviewed");

  Case reason;
  reason.review.sop_review[2].reason = " ";
  CHECK(reason.judged().reason == "SOP source.doc.sops.notes not reviewed");
  CHECK(reason.judged().outcome == ReviewOutcome::escalate);

  Case evidence;
  evidence.review.sop_review[1].evidence = "";
  CHECK(evidence.judged().reason == "SOP source.doc.sops.names has no evidence");
  CHECK(evidence.judged().outcome == ReviewOutcome::escalate);

  Case violated;
  violated.review.sop_review[0].status = "violated";
  CHECK(violated.judged().reason == "Cannot approve with error-level violations");
  CHECK(violated.judged().outcome == ReviewOutcome::developer);

  Case warning;
  warning.review.sop_review[1].status = "violated";
  CHECK(warning.judged().outcome == ReviewOutcome::approved);

  Case unsure;
  unsure.review.confidence_hundredths = 69;
  CHECK(unsure.judged().reason == "Low confidence review");
  CHECK(unsure.judged().outcome == ReviewOutcome::escalate);
  unsure.review.confidence_hundredths = 70;
  CHECK(unsure.judged().outcome == ReviewOutcome::approved);

  // Of several the first decides, and all are told.
  Case several;
  several.review.confidence_hundredths = 10;
  several.review.sop_review[0].status = "violated";
  several.review.sop_review.pop_back();
  CHECK(several.judged().reason == "SOP source.doc.sops.notes not reviewed");
  CHECK(several.judged().findings.size() == 3);

  CHECK(retries_exceeded(4) == "Max retries exceeded after 4 attempts");
}

TEST_CASE("workflow review: no criterion is met by a word, a bracket, a file's name or what stands nowhere") {
  for (const std::string evidence :
       {"", "  ", "return", "}\n}\n}\n}\n}\n}\n}", "src/main.cpp", "It is all there and works well.",
        "std::puts(other_text);", "`}`", "+  std::puts(version_text);\n+  return 7777;\n"}) {
    Case one;
    one.review.criteria[0].evidence = evidence;
    const ReviewVerdict verdict = one.judged();
    CHECK_MESSAGE(verdict.outcome == ReviewOutcome::developer, evidence);
    CHECK(verdict.open == Texts{"A1"});
    CHECK(!verdict.feedback.empty());
  }
  for (const std::string evidence :
       {"std::puts(version_text)", "src/main.cpp:2: std::puts(version_text);", "+  std::puts(version_text);",
        "12 | 12 passed", "gate 'test' passed", "the line \"std::puts(version_text);\" does it", "return 0;\n}",
        "int main(int argc, char** argv) {\n  std::puts(version_text);"}) {
    Case one;
    one.review.criteria[0].evidence = evidence;
    CHECK_MESSAGE(one.judged().outcome == ReviewOutcome::approved, evidence);
  }
}

TEST_CASE(
    "workflow review: a criterion without an entry or not met cannot be approved, and its gate decides a scenario") {
  Case missing;
  missing.review.criteria.pop_back();
  CHECK(missing.judged().outcome == ReviewOutcome::developer);
  CHECK(missing.judged().reason == "S2 has no entry");
  Case unmet;
  unmet.review.criteria[1].met = false;
  CHECK(unmet.judged().reason == "A2 is not met");
  Case gate;
  gate.gates[0].outcome = GateOutcome::failed;
  gate.gates[0].required = false;
  gate.gates[0].words = "gate 'test' failed with exit code 1 after 1 s";
  gate.review.criteria.push_back({"S1", true, "12 | 12 passed", false});
  CHECK(gate.judged().reason == "S1 is decided by gate 'test', and gate 'test' failed with exit code 1 after 1 s");
  gate.gates[0].required = true;
  CHECK(gate.judged().reason == "Cannot approve: gate 'test' failed with exit code 1 after 1 s");
}

TEST_CASE("workflow review: a broken pattern is a violation, whatever the reviewer says") {
  Case one;
  one.patterns = {broken("source.doc.sops.errors")};
  CHECK(one.judged().reason == "Cannot approve with error-level violations");
  CHECK(one.judged().feedback.find("src/main.cpp:2: no puts") != std::string::npos);
  one.patterns = {broken("source.doc.sops.names", plumb::contract::Severity::warning)};
  CHECK(one.judged().outcome == ReviewOutcome::approved);
}

TEST_CASE("workflow review: a rejection leads where its type says") {
  const std::pair<const char*, ReviewOutcome> types[] = {
      {"fixable", ReviewOutcome::developer},
      {"misscoped", ReviewOutcome::planner},
      {"architectural", ReviewOutcome::planner},
      {"too_big", ReviewOutcome::decompose},
      {"", ReviewOutcome::escalate},
      {"whatever", ReviewOutcome::escalate},
  };
  for (const auto& [type, outcome] : types) {
    Case one;
    one.review.approved = false;
    one.review.rejection_type = type;
    one.review.feedback = "Mend it.";
    one.review.criteria[0].met = false;
    const ReviewVerdict verdict = one.judged();
    CHECK(verdict.outcome == outcome);
    CHECK(verdict.open == Texts{"A1"});
    CHECK(verdict.feedback.find("Mend it.") == 0);
  }
}

TEST_CASE("workflow review: what was not asked for is told and changes nothing") {
  Case one;
  one.review.sop_review.push_back({"source.doc.sops.other", "violated", "x", "", {}, false});
  CHECK(one.judged().outcome == ReviewOutcome::approved);
  CHECK(one.judged().findings[0].finding.rule == "unknown-sop");
}

TEST_CASE("workflow review: no gates leave an approval unverified") {
  Case one;
  one.task.scenarios[0].check.clear();
  one.review.criteria.push_back({"S1", true, "std::puts(version_text);", false});
  std::vector<const Sop*> given;
  for (const Sop& sop : one.sops) {
    given.push_back(&sop);
  }
  const Texts evidence = evidence_of(one.changes, {});
  const ReviewVerdict verdict = judge_review(one.review, {&one.task, given, {}, evidence, {}, false});
  CHECK(verdict.outcome == ReviewOutcome::approved_unverified);
  CHECK(verdict.unverified == Texts{"gates"});
}

TEST_CASE("workflow review: without a model checks decide, and all else is marked unverified") {
  Case one;
  one.review = one.without_model();
  ReviewVerdict verdict = one.judged();
  CHECK(verdict.outcome == ReviewOutcome::approved_unverified);
  CHECK(verdict.unverified ==
        Texts{"source.doc.sops.errors", "source.doc.sops.names", "source.doc.sops.notes", "A1", "A2", "S2"});
  // What the journal keeps of it says the same.
  std::string text;
  plumb::json::Writer json(text);
  write_review(json, one.review);
  plumb::json::Arena arena;
  one.review = read_review(plumb::json::parse(text, arena).value());
  CHECK(one.judged().unverified == verdict.unverified);

  Case proven;
  proven.sops.clear();
  for (Criterion& criterion : proven.task.acceptance) {
    criterion.check = "test";
  }
  proven.task.scenarios[1].check = "test";
  proven.review = proven.without_model();
  CHECK(proven.judged().outcome == ReviewOutcome::approved);

  Case pattern;
  pattern.patterns = {broken("source.doc.sops.errors")};
  pattern.review = pattern.without_model();
  CHECK(!pattern.review.approved);
  CHECK(pattern.judged().outcome == ReviewOutcome::developer);
}

TEST_CASE("workflow review: an answer under the contract is read as it was written") {
  const Case one;
  std::string text;
  plumb::json::Writer json(text);
  Review review = one.review;
  review.patterns = {{"Puts", "Texts are printed by puts", {"*.cpp"}}};
  write_review(json, review);
  const auto verdict = plumb::contract::check_text(workflow_contract("review"), text);
  CHECK_MESSAGE(verdict.valid, (verdict.findings.empty() ? "" : verdict.findings[0].message));
  plumb::json::Arena arena;
  const Review again = read_review(plumb::json::parse(text, arena).value());
  std::string second;
  plumb::json::Writer writer(second);
  write_review(writer, again);
  CHECK(second == text);
  for (const auto& [number, hundredths] : {std::pair{"0.7", 70U}, std::pair{"7e-1", 70U}, std::pair{"0.699999", 69U},
                                           std::pair{"1", 100U}, std::pair{"0", 0U}, std::pair{"0.705", 70U}}) {
    plumb::json::Arena more;
    const std::string object = R"({"confidence": )" + std::string(number) + "}";
    CHECK(read_review(plumb::json::parse(object, more).value()).confidence_hundredths == hundredths);
  }
  // Rejected without a type or a word to the developer is off contract; so is a flag that only we set.
  const auto valid = [](const std::string& json_text) {
    return plumb::contract::check_text(workflow_contract("review"), json_text).valid;
  };
  const std::string rest = R"("sop_review":[],"criteria":[],"confidence":1,"patterns":[])";
  CHECK(valid(R"({"verdict":"rejected","rejection_type":"fixable","feedback":"x",)" + rest + "}"));
  CHECK(!valid(R"({"verdict":"rejected","rejection_type":null,"feedback":"x",)" + rest + "}"));
  CHECK(!valid(R"({"verdict":"rejected","rejection_type":"fixable","feedback":" ",)" + rest + "}"));
  const std::string claimed =
      R"({"verdict":"approved","rejection_type":null,"feedback":"","sop_review":[],)"
      R"("criteria":[{"criterion":"A1","met":true,"evidence":""}],"confidence":1,"patterns":[]})";
  CHECK(valid(claimed));
  CHECK(!valid(std::string(claimed).insert(claimed.find("}]"), ",\"unverified\":true")));
}

TEST_CASE("workflow plan review: every SOP has a finding, and no violated error is approved") {
  const Case one;
  const std::vector<const Sop*> sops = {&one.sops[0], &one.sops[1]};
  PlanReview review;
  review.approved = true;
  review.findings = {{"errors", "compliant", "tasks name their errors"}, {"names", "not_applicable", "no names"}};
  CHECK(judge_plan_review(review, sops).outcome == ReviewOutcome::approved);
  review.findings[1].reason = "";
  CHECK(judge_plan_review(review, sops).reason == "SOP source.doc.sops.names not reviewed");
  review.findings[1] = {"names", "violation", "bad names"};
  CHECK(judge_plan_review(review, sops).outcome == ReviewOutcome::approved);
  review.findings[0].status = "violation";
  CHECK(judge_plan_review(review, sops).outcome == ReviewOutcome::planner);
  CHECK(judge_plan_review(review, sops).reason == "Cannot approve with error-level violations");
  review.approved = false;
  review.feedback = "Change it.";
  CHECK(judge_plan_review(review, sops).outcome == ReviewOutcome::planner);
  CHECK(judge_plan_review(review, sops).feedback.find("Change it.\n- errors: tasks name") == 0);
}

TEST_CASE("workflow review: what only its reviewer can mend") {
  CHECK(Case().faults().empty());
  Case lazy;
  lazy.review.criteria[0].evidence = "I looked at it";
  lazy.review.sop_review.pop_back();
  CHECK(lazy.faults() == Texts{"SOP source.doc.sops.notes not reviewed",
                               "the evidence of A1 is in neither the diff nor the gates' output"});
  Case torn;
  torn.review.criteria[1].met = false;
  torn.review.sop_review[0].status = "violated";
  CHECK(torn.faults() == Texts{"Cannot approve with error-level violations", "A2 is not met"});
  torn.review.approved = false;
  torn.review.rejection_type = "fixable";
  CHECK(torn.faults().empty());
  Case gate;  // S1 is decided by it, and not by the reviewer
  gate.gates[0].outcome = GateOutcome::failed;
  CHECK(gate.faults().empty());
  Case unsure;
  unsure.review.confidence_hundredths = 10;
  CHECK(unsure.faults().empty());
}
