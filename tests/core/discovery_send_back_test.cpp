#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/discovery/reentry.hpp"
#include "tests/core/scripted_discovery.hpp"

using namespace plumb;
using namespace plumb::pipelines;
using namespace plumb::pipelines::discovery;

namespace {

// "stage attempt<from" of each stage that was done.
std::string course(const Found& found) {
  std::string out;
  for (const Value& one : found.view().find("stages")->array()) {
    const std::string_view from = one.find("sent_back_from")->str();
    out += std::string(out.empty() ? "" : " ") + std::string(one.find("stage")->str().substr(0, 4)) +
           json::value_text(*one.find("attempt")) + (from.empty() ? "" : "<" + std::string(from.substr(0, 4)));
  }
  return out;
}

std::size_t count(const Found& found, std::string_view task) {
  std::size_t out = 0;
  for (const std::string& one : found.tasks) {
    out += one == task ? 1 : 0;
  }
  return out;
}

bool is_about_button(std::string_view prompt) { return prompt.find("does not react") != std::string_view::npos; }

std::string result_of(std::string_view id) {
  return R"({"opportunity_id":")" + std::string(id) +
         R"(","experiment_plan_executed":"A larger button for a week.","success_criteria":"95% of taps work",)"
         R"("measured_outcome":"97%","observations":"Nobody complained.","outcome_vs_criteria":"met",)"
         R"("recommendation":"scale_up"})";
}

}  // namespace

TEST_CASE("discovery: a solution that needs a revision goes back to its designer with the reason, once") {
  std::vector<std::string> proposals;
  const Model model = [&](std::string_view task, std::string_view prompt) -> std::string {
    if (task == "discovery.propose" && is_about_button(prompt)) {
      proposals.emplace_back(prompt);
    }
    return task == "discovery.assess" && is_about_button(prompt)
               ? R"({"feasibility_assessment":"needs_revision","revision_reason":"Say which screen."})"
               : able(task, prompt);
  };
  const Found found(std::string(with_model), exports, model);
  CHECK(course(found) == "expl1 oppo1 solu1 feas1 solu2<feas feas2 prio1 huma1");
  CHECK(found.at("/stages/3/status") == "sent_back");
  CHECK(found.at("/stages/4/send_back_reason") == "O1: Say which screen.");
  CHECK(found.at("/stages/4/sent_back_by") == "TechLead");
  CHECK(found.at("/stages/4/opportunities") == R"(["O1"])");
  REQUIRE(proposals.size() == 2);
  CHECK(proposals[0].find("Say which screen.") == std::string::npos);
  CHECK(proposals[1].find("Say which screen.") != std::string::npos);
  // What was not sent back is not done again, and a second time nothing is sent back: it counts as not feasible.
  CHECK(count(found, "discovery.challenge") == 3);
  CHECK(found.at("/opportunities/0/opportunity_id") == "O2");
  CHECK(found.at("/opportunities/1/infeasible/infeasibility_reason").find("not feasible after 3 rounds") == 0);
}

TEST_CASE("discovery: a brief that no solution can be right for is framed anew from its findings") {
  std::vector<std::string> frames;
  const Model model = [&](std::string_view task, std::string_view prompt) -> std::string {
    if (task == "discovery.frame") {
      frames.emplace_back(prompt);
      if (frames.size() == 2) {
        return R"({"briefs":[{"problem_statement":"The banner covers the button.","counterfactual":"Taps work.",)"
               R"("affected_area":"checkout banner","source_findings":["F1"]}]})";
      }
    }
    return task == "discovery.challenge" && is_about_button(prompt)
               ? R"({"assessment":"challenge","critique":"no","send_back_reason":"The brief names no surface."})"
               : able(task, prompt);
  };
  const Found found(std::string(with_model), exports, model);
  CHECK(course(found) == "expl1 oppo1 solu1 oppo2<solu solu2 feas1 prio1 huma1");
  REQUIRE(frames.size() == 2);
  CHECK(frames[1].find("The brief names no surface.") != std::string::npos);
  CHECK(frames[1].find("The button does not react.") != std::string::npos);
  CHECK(frames[1].find("Invoice export") == std::string::npos);
  std::vector<std::string> ids;
  for (const Value& one : found.view().find("opportunities")->array()) {
    ids.emplace_back(one.find("opportunity_id")->str());
    CHECK(one.find("spec") != nullptr);
  }
  CHECK(ids == std::vector<std::string>{"O2", "O3"});
  CHECK(found.at("/opportunities/1/revised_from") == "O1");
  CHECK(found.at("/opportunities/1/brief/evidence/0/source_id") == "c1");
}

TEST_CASE("discovery: where framing anew fails the opportunity goes on as it was, and that is told") {
  std::size_t frames = 0;
  const Model model = [&](std::string_view task, std::string_view prompt) -> std::string {
    if (task == "discovery.frame" && ++frames > 1) {
      return "I have no better idea.";
    }
    return task == "discovery.challenge" && is_about_button(prompt)
               ? R"({"assessment":"challenge","critique":"no","send_back_reason":"Too vague."})"
               : able(task, prompt);
  };
  const Found found(std::string(with_model), exports, model);
  CHECK(found.at("/stages/3/warnings").find("O1 was not framed anew") != std::string::npos);
  CHECK(found.view().find("opportunities")->size == 2);
  CHECK(found.at("/opportunities/1/opportunity_id") == "O1");
  CHECK(found.at("/opportunities/1/solution/convergence_forced") == "true");
}

TEST_CASE("discovery: a package that cannot be ranked is assessed again, and ranked then") {
  const Model model = [](std::string_view task, std::string_view prompt) -> std::string {
    return task == "discovery.rank" ? R"({"rankings":[{"opportunity_id":"O1","rationale":"a"}],"send_back":[)"
                                      R"({"opportunity_id":"O1","reason":"No effort is stated."},)"
                                      R"({"opportunity_id":"O9","reason":"made up"}]})"
                                    : able(task, prompt);
  };
  const Found found(std::string(with_model), exports, model);
  CHECK(course(found) == "expl1 oppo1 solu1 feas1 prio1 feas2<prio prio2 huma1");
  CHECK(found.at("/stages/5/send_back_reason") == "O1: No effort is stated.");
  CHECK(count(found, "discovery.assess") == 3);
  CHECK(found.view().find("opportunities")->size == 2);
}

TEST_CASE("discovery: agents that send back for ever are bounded") {
  const Model model = [](std::string_view task, std::string_view prompt) -> std::string {
    if (task == "discovery.assess") {
      return R"({"feasibility_assessment":"needs_revision","revision_reason":"again"})";
    }
    if (task == "discovery.challenge") {
      return R"({"assessment":"challenge","critique":"no","send_back_reason":"again"})";
    }
    return able(task, prompt);
  };
  const Found found(std::string(with_model), exports, model);
  CHECK(found.at("/current_stage") == "human_review");
  for (const Value& one : found.view().find("stages")->array()) {
    CHECK(json::value_text(*one.find("attempt")) <= "5");
  }
  for (const Value& one : found.view().find("opportunities")->array()) {
    CHECK(one.find("infeasible") != nullptr);
  }
}

TEST_CASE("discovery: a run goes on from a completed one with what an experiment has shown") {
  Found parent(std::string(with_model), exports, able);
  json::Arena arena;
  const Result<Value> results = json::parse("[" + result_of("O1") + "]", arena);
  CHECK(reentry_request(parent.machine.journal(), results.value()).error().message.find("only a completed run") == 0);
  parent.review(R"({"kind":"complete","by":"Ada"})");
  REQUIRE(parent.at("/status") == "completed");
  const Result<std::string> request = reentry_request(parent.machine.journal(), results.value());
  REQUIRE(request);
  std::string body = request.value();
  body.insert(1, R"("providers":{"explore":"m/m","frame":"m/m","design":"m/m","assess":"m/m","rank":"m/m",)"
                 R"("validate":"m/m","revise":"m/m"},)");
  const Found found(body, {}, able);
  CHECK(course(found) == "solu1 feas1 prio1 huma1");
  CHECK(found.at("/parent_run_id") == "r1");
  CHECK(found.at("/experiment_results/0/recommendation") == "scale_up");
  CHECK(found.at("/findings/0/id") == "F1");
  CHECK(found.view().find("opportunities")->size == 2);
  CHECK(count(found, "discovery.explore") == 0);
  CHECK(count(found, "discovery.propose") == 1);
  CHECK(count(found, "discovery.assess") == 1);
  CHECK(found.prompts[0].find("measured_outcome: 97%") != std::string::npos);
  for (const Value& one : found.view().find("opportunities")->array()) {
    CHECK(one.find("spec") != nullptr);
  }
}

TEST_CASE("discovery: results that are none, or of no opportunity of the run, are refused with their place") {
  Found parent(std::string(with_model), exports, able);
  parent.review(R"({"kind":"complete","by":"Ada"})");
  const auto refused = [&](const std::string& text) {
    json::Arena arena;
    const Result<Value> results = json::parse(text, arena);
    const Result<std::string> request = reentry_request(parent.machine.journal(), results.value());
    const Result<Value> read = json::parse(request.value(), arena);
    const Result<Prepared> prepared = known_pipeline("discovery")->prepare(read.value(), {});
    return prepared ? std::string() : prepared.error().where + ": " + prepared.error().message;
  };
  CHECK(refused(result_of("O1")).empty());
  CHECK(refused("[]").find("/experiment/results: ") == 0);
  CHECK(refused("[" + result_of("O7") + "]") ==
        "/experiment/results/0/opportunity_id: there is no opportunity 'O7'; there are: O1, O2");
  CHECK(refused("[" + result_of("O1") + "," + result_of("O1") + "]").find("/experiment/results/1/opportunity_id") == 0);
  CHECK(refused(R"([{"opportunity_id":"O1"}])").find("/experiment/results/0: ") == 0);
}
