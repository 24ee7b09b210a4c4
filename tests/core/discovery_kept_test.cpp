#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/scripted_discovery.hpp"

using namespace plumb;
using namespace plumb::pipelines;
using namespace plumb::pipelines::discovery;

namespace {

std::string decide(std::string_view id, std::string_view decision, std::string_view more = {}) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("kind", "decide").member("opportunity_id", id).member("decision", decision);
  json.member("reasoning", "because").member("by", "Ada");
  if (decision == "sent_back") {
    json.member("send_back_to_stage", more);
  } else if (decision == "priority_adjusted") {
    json.key("adjusted_priority").raw(more);
  }
  json.end_object();
  return out;
}

std::string ids(const Found& found) {
  std::string out;
  for (const Value& one : found.view().find("opportunities")->array()) {
    out += std::string(out.empty() ? "" : " ") + std::string(one.find("opportunity_id")->str());
  }
  return out;
}

std::size_t count_from(const Found& found, std::size_t from, std::string_view task) {
  std::size_t out = 0;
  for (std::size_t i = from; i < found.tasks.size(); ++i) {
    out += found.tasks[i] == task ? 1 : 0;
  }
  return out;
}

constexpr std::string_view third_finding =
    R"({"pattern_name":"Search is slow","description":"It takes ten seconds.","severity_assessment":"high",)"
    R"("affected_users_estimate":"one","evidence":["c6"],"confidence":"low"})";

// Finds one thing more each time it looks again, and frames what it is given, a brief for each finding.
struct Looking {
  std::size_t looks = 0, frames = 0;
  std::vector<std::string> framed;
  bool down = false;

  Model model() {
    return [this](std::string_view task, std::string_view prompt) -> std::string {
      if (task == "discovery.explore") {
        if (++looks == 1) {
          return able(task, prompt);
        }
        if (down) {
          return "DOWN";
        }
        return R"({"findings":[{"pattern_name":"The invoice export","description":"It stops at row 500.",)"
               R"("severity_assessment":"high","affected_users_estimate":"two","evidence":["c4","c5"],)"
               R"("confidence":"high"},)" +
               std::string(third_finding) + "]}";
      }
      if (task != "discovery.frame" || ++frames == 1) {
        return able(task, prompt);
      }
      framed.emplace_back(prompt);
      return R"({"briefs":[{"problem_statement":"Export stops at row 500.","counterfactual":"Whole exports.",)"
             R"("affected_area":"invoice export","source_findings":["F2"]},)"
             R"({"problem_statement":"Search takes ten seconds.","counterfactual":"One second.",)"
             R"("affected_area":"search","source_findings":["F3"]}]})";
    };
  }
};

}  // namespace

TEST_CASE("discovery: the order that people gave holds when something is sent back, and so do their decisions") {
  Found found(std::string(with_model), exports, able);
  REQUIRE(ids(found) == "O2 O1");
  found.review(R"({"kind":"rank","order":["O1","O2"],"by":"Ada"})");
  found.review(decide("O1", "accepted"));
  found.review(decide("O2", "sent_back", "feasibility_risk"), exports, able);
  REQUIRE(found.at("/current_stage") == "human_review");
  CHECK(ids(found) == "O1 O2");
  CHECK(found.at("/opportunities/0/decision/by") == "Ada");
  CHECK(found.at("/opportunities/1/decision") == "null");
  found.review(R"({"kind":"complete","by":"Ada"})");
  CHECK(found.at("/result/order") == R"(["O1","O2"])");
  CHECK(found.at("/result/decisions/0/opportunity_id") == "O1");
}

TEST_CASE("discovery: a priority that was given stays that number, also of what is sent back itself") {
  Found found(std::string(with_model), exports, able);
  found.review(decide("O1", "priority_adjusted", "1"));
  REQUIRE(ids(found) == "O1 O2");
  const std::string again = decide("O1", "sent_back", "solution_validation");
  found.review(again.substr(0, again.size() - 1) + R"(,"revises":true})", exports, able);
  CHECK(ids(found) == "O1 O2");
  CHECK(found.at("/opportunities/0/rank") == "1");
  found.review(decide("O2", "sent_back", "prioritization"), exports, able);
  CHECK(ids(found) == "O1 O2");
}

TEST_CASE("discovery: what is framed anew takes the place that people gave to what it was") {
  Found found(std::string(with_model), exports, able);
  found.review(R"({"kind":"rank","order":["O1","O2"],"by":"Ada"})");
  found.review(decide("O1", "sent_back", "opportunity_framing"), exports, able);
  CHECK(ids(found) == "O3 O4 O2");
  CHECK(found.at("/opportunities/0/revised_from") == "O1");
}

TEST_CASE("discovery: without an order of people only what was sent back is ranked anew") {
  std::size_t ranks = 0;
  const Model model = [&](std::string_view task, std::string_view prompt) -> std::string {
    if (task != "discovery.rank") {
      return able(task, prompt);
    }
    // The second ranking turns all round.
    return ++ranks == 1
               ? R"({"rankings":[{"opportunity_id":"O1","rationale":"a"},{"opportunity_id":"O3","rationale":"b"},)"
                 R"({"opportunity_id":"O2","rationale":"c"}]})"
               : R"({"rankings":[{"opportunity_id":"O2","rationale":"c"},{"opportunity_id":"O3","rationale":"b"},)"
                 R"({"opportunity_id":"O1","rationale":"a"}]})";
  };
  const Model three = [&](std::string_view task, std::string_view prompt) -> std::string {
    if (task == "discovery.frame") {
      std::string briefs = able(task, prompt);
      briefs.insert(briefs.size() - 2, R"(,{"problem_statement":"Help is hidden.","counterfactual":"Found.",)"
                                       R"("affected_area":"help","source_findings":["F2"]})");
      return briefs;
    }
    return model(task, prompt);
  };
  Found found(std::string(with_model), exports, three);
  REQUIRE(ids(found) == "O1 O3 O2");
  found.review(decide("O2", "sent_back", "feasibility_risk"), exports, three);
  CHECK(ids(found) == "O2 O1 O3");
}

TEST_CASE("discovery: a second look keeps what it is not about, with ids, decisions and evidence") {
  Looking looking;
  const Model model = looking.model();
  Found found(std::string(with_model), exports, model);
  found.review(decide("O1", "accepted"));
  const std::string evidence = found.at("/findings/0/evidence");
  const std::size_t before = found.tasks.size();
  found.review(decide("O2", "sent_back", "exploration"), exports, model);
  REQUIRE(found.at("/current_stage") == "human_review");
  // The known pattern has new evidence under its id, what is new has new ids.
  REQUIRE(found.view().find("findings")->size == 3);
  CHECK(found.at("/findings/0/evidence") == evidence);
  CHECK(found.at("/findings/1/id") == "F2");
  CHECK(json::resolve(found.view(), "/findings/1/evidence")->size == 2);
  CHECK(found.at("/findings/2/id") == "F3");
  CHECK(found.at("/coverage/findings_count") == "3");
  CHECK(found.at("/evidence/c1/text").find("checkout button") != std::string::npos);
  // Only what was sent back is framed anew, from its findings and the new ones.
  REQUIRE(looking.framed.size() == 1);
  CHECK(looking.framed[0].find("\"F1\"") == std::string::npos);
  CHECK(looking.framed[0].find("\"F2\"") != std::string::npos);
  CHECK(looking.framed[0].find("\"F3\"") != std::string::npos);
  CHECK(count_from(found, before, "discovery.propose") == 2);
  CHECK(ids(found) == "O1 O3 O4");
  CHECK(found.at("/opportunities/0/decision/decision") == "accepted");
  CHECK(found.at("/opportunities/1/revised_from") == "O2");
  CHECK(found.at("/opportunities/2/revised_from") == "-");
  for (const Value& one : found.view().find("opportunities")->array()) {
    CHECK(one.find("spec") != nullptr);
    for (const Value& piece : one.find("brief")->find("evidence")->array()) {
      CHECK(found.view().find("evidence")->find(piece.find("source_id")->str()) != nullptr);
    }
  }
}

TEST_CASE("discovery: a second look that fails takes nothing away, and is told") {
  Looking looking;
  looking.down = true;
  const Model model = looking.model();
  Found found(std::string(with_model), exports, model);
  found.review(decide("O1", "accepted"));
  found.review(decide("O2", "sent_back", "exploration"), exports, model);
  CHECK(found.at("/status") == "running");
  CHECK(found.at("/current_stage") == "human_review");
  CHECK(found.at("/findings/1/id") == "F2");
  CHECK(found.at("/stages/6/status") == "failed");
  CHECK(found.at("/failures/0/agent") == "customer_voice");
  CHECK(found.at("/opportunities/0/decision/by") == "Ada");
}

TEST_CASE("discovery: where nothing is framed anew for people, all goes on as it was and nothing is asked again") {
  std::size_t frames = 0;
  const Model model = [&](std::string_view task, std::string_view prompt) -> std::string {
    return task == "discovery.frame" && ++frames > 1 ? "DOWN" : able(task, prompt);
  };
  Found found(std::string(with_model), exports, model);
  const std::size_t before = found.tasks.size();
  const std::string spec = found.at("/opportunities/0/spec");
  found.review(decide("O2", "sent_back", "opportunity_framing"), exports, model);
  REQUIRE(found.at("/current_stage") == "human_review");
  CHECK(ids(found) == "O2 O1");
  CHECK(found.at("/opportunities/0/spec") == spec);
  CHECK(count_from(found, before, "discovery.frame") == found.tasks.size() - before);
  CHECK(found.at("/failures/0/agent") == "OpportunityPM");
  found.review(R"({"kind":"complete","by":"Ada"})");
  CHECK(found.at("/status") == "completed");
}

TEST_CASE("discovery: an outage while something is done again takes nothing away that was there") {
  bool down = false;
  const Model model = [&](std::string_view task, std::string_view prompt) -> std::string {
    return down ? "DOWN" : able(task, prompt);
  };
  Found found(std::string(with_model), exports, model);
  const std::string rationale = found.at("/opportunities/0/rationale");
  const std::string spec = found.at("/opportunities/0/spec");
  down = true;
  found.review(decide("O2", "sent_back", "solution_validation"), exports, model);
  REQUIRE(found.at("/current_stage") == "human_review");
  CHECK(ids(found) == "O2 O1");
  CHECK(found.at("/opportunities/0/rationale") == rationale);
  CHECK(found.at("/opportunities/0/spec") == spec);
  CHECK(found.at("/opportunities/0/failures/0/agent") == "OpportunityPM");
  CHECK(found.at("/failures").find("TPMAgent") != std::string::npos);
}

TEST_CASE("discovery: a ranking that failed, a judge and an explorer are told in the view and in the log") {
  const auto fails = [](std::string_view which) {
    return [which](std::string_view task, std::string_view prompt) -> std::string {
      return task == which ? "DOWN" : able(task, prompt);
    };
  };
  const auto log_of = [](const Found& found) {
    std::string out;
    for (const LogLine& line : known_pipeline("discovery")->log(found.machine.journal(), 0)) {
      out += line.text + "\n";
    }
    return out;
  };
  const Found good(std::string(with_model), exports, able);
  CHECK(good.at("/failures") == "[]");
  CHECK(Found(std::string(by_rule), exports).at("/failures") == "[]");

  const Found unranked(std::string(with_model), exports, fails("discovery.rank"));
  CHECK(unranked.at("/failures") ==
        R"([{"stage":"prioritization","agent":"TPMAgent","why":"provider failed - the provider is down",)"
        R"("opportunities":[]}])");
  CHECK(log_of(unranked).find("❌ TPMAgent failed: provider failed - the provider is down") != std::string::npos);

  const Found unjudged(std::string(with_model), exports, fails("boundary.validate"));
  CHECK(unjudged.at("/failures/0/agent") == "SolutionDesigner");
  CHECK(unjudged.at("/failures/0/opportunities") == R"(["O1","O2"])");
  CHECK(unjudged.at("/boundaries/0/cycles/0/call_error") == "the provider is down");
  CHECK(log_of(unjudged).find("❌ 1 call of SolutionDesigner failed: the provider is down") != std::string::npos);

  const Found unchallenged(std::string(with_model), exports, fails("discovery.challenge"));
  CHECK(unchallenged.at("/failures/0/agent") == "Validation");
  CHECK(log_of(unchallenged).find("❌ Validation failed (O1, O2): provider failed - the provider is down") !=
        std::string::npos);

  // One of two explorers.
  const Files both = {{"talks/a.ndjson", conversations()}, {"figures/a.csv", "day,orders\n1,5\n2,6\n"}};
  std::string request(with_model);
  request.replace(request.find(R"({"conversations":"talks"})"), 25,
                  R"({"conversations":"talks","analytics":"figures"})");
  const Found half(request, both, [](std::string_view task, std::string_view prompt) -> std::string {
    return task == "discovery.explore" && prompt.find("analytics") != std::string_view::npos ? "DOWN"
                                                                                             : able(task, prompt);
  });
  CHECK(half.at("/failures/0/agent") == "analytics");
  CHECK(log_of(half).find("❌ analytics failed: provider failed - the provider is down") != std::string::npos);
}

TEST_CASE("discovery: parts of a split say what they were split from") {
  std::size_t validations = 0;
  const Found found(
      std::string(with_model), exports, [&](std::string_view task, std::string_view prompt) -> std::string {
        if (task == "boundary.validate" && validations++ == 0) {
          return R"({"rejected_items":[{"item_id":"O1","rule":"coherent","rejection_reason":"two issues"}]})";
        }
        if (task == "boundary.revise") {
          const std::string one = R"({"problem_statement":"p","counterfactual":"c","affected_area":"A",)"
                                  R"("explorer_coverage":"x","evidence":[{"source_type":"other","source_id":"c1"}]})";
          return R"({"items":[)" + one + "," + one + "]}";
        }
        return able(task, prompt);
      });
  REQUIRE(ids(found) == "O2 O1.1 O1.2");
  CHECK(found.at("/opportunities/0/revised_from") == "-");
  CHECK(found.at("/opportunities/1/revised_from") == "O1");
  CHECK(found.at("/opportunities/2/revised_from") == "O1");
}

TEST_CASE("discovery: the name of a brief follows its revision") {
  std::size_t validations = 0;
  std::vector<std::string> judged;
  const Found found(std::string(with_model), exports,
                    [&](std::string_view task, std::string_view prompt) -> std::string {
                      if (task == "boundary.validate") {
                        judged.emplace_back(prompt);
                        if (validations++ < 2) {
                          return R"({"rejected_items":[{"item_id":"O1","rule":"coherent","rejection_reason":"no"}]})";
                        }
                      }
                      if (task == "boundary.revise") {
                        return R"({"problem_statement":"p","counterfactual":"c","affected_area":"Pay button",)"
                               R"("explorer_coverage":"x","evidence":[{"source_type":"other","source_id":"c1"}]})";
                      }
                      return able(task, prompt);
                    });
  REQUIRE(judged.size() > 2);
  CHECK(judged[1].find(R"("name":"Pay button")") != std::string::npos);
  CHECK(found.at("/boundaries/0/cycles/0/rejections/0/name") == "checkout");
  CHECK(found.at("/boundaries/0/cycles/1/rejections/0/name") == "Pay button");
}

TEST_CASE("discovery: what is split at a later boundary has the id of its part in its artifacts") {
  for (const std::string_view boundary : {"solution", "specification"}) {
    std::size_t times = 0;
    const Found found(
        std::string(with_model), exports, [&](std::string_view task, std::string_view prompt) -> std::string {
          const bool here = prompt.find("of the kind \"" + std::string(boundary) + "\"") != std::string_view::npos;
          if (task == "boundary.validate" && here && times++ == 0) {
            const std::string rule = boundary == "solution" ? "measurable-success" : "risks-explicit";
            return R"({"rejected_items":[{"item_id":"O1","rule":")" + rule + R"(","rejection_reason":"two in one"}]})";
          }
          if (task == "boundary.revise") {
            const std::string one = boundary == "solution"
                                        ? R"({"opportunity_id":"O1","proposed_solution":"p",)"
                                          R"("success_metrics":"1 to 2","evidence":[{"source_type":"other",)"
                                          R"("source_id":"c1"}]})"
                                        : R"({"opportunity_id":"O1","approach":"a","effort_estimate":"1 to 2 days",)"
                                          R"("dependencies":"none","acceptance_criteria":"x",)"
                                          R"("constraints":"c","risks":[{"description":"d",)"
                                          R"("severity":"low","mitigation":"m"}]})";
            return R"({"items":[)" + one + "," + one + "]}";
          }
          return able(task, prompt);
        });
    INFO(boundary);
    REQUIRE(ids(found) == "O2 O1.1 O1.2");
    for (const std::string_view at : {"/opportunities/1", "/opportunities/2"}) {
      const std::string id = found.at(std::string(at) + "/opportunity_id");
      CHECK(found.at(std::string(at) + "/revised_from") == "O1");
      CHECK(found.at(std::string(at) + "/solution/opportunity_id") == id);
      CHECK(found.at(std::string(at) + "/spec/opportunity_id") == id);
    }
  }
}

TEST_CASE("discovery: a reviser that is down is told with the items that it left as they were") {
  const Found found(
      std::string(with_model), exports, [](std::string_view task, std::string_view prompt) -> std::string {
        if (task == "boundary.validate" && prompt.find("of the kind \"brief\"") != std::string_view::npos) {
          return R"({"rejected_items":[{"item_id":"O1","rule":"coherent","rejection_reason":"no"}]})";
        }
        return task == "boundary.revise" ? "DOWN" : able(task, prompt);
      });
  CHECK(found.at("/failures/0/agent") == "OpportunityPM");
  CHECK(found.at("/failures/0/opportunities") == R"(["O1"])");
  CHECK(found.at("/failures/0/why") == "the call failed: the provider is down");
}
