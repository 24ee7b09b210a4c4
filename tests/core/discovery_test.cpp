#include "core/pipelines/discovery/discovery.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/discovery.hpp"
#include "core/extract/task.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/discovery/csv.hpp"
#include "core/pipelines/discovery/parts.hpp"
#include "core/pipelines/discovery/sources.hpp"
#include "core/pipelines/discovery/stages.hpp"
#include "core/pipelines/pipeline_contracts.hpp"
#include "tests/core/scripted_discovery.hpp"

using namespace plumb;
using namespace plumb::pipelines;
using namespace plumb::pipelines::discovery;

TEST_CASE("discovery: states and stages go only where the state machine lets them") {
  const auto runs = {RunStatus::pending, RunStatus::running, RunStatus::completed, RunStatus::failed,
                     RunStatus::stopped};
  std::string ways;
  for (const RunStatus from : runs) {
    for (const RunStatus to : runs) {
      ways += may_become(from, to) ? std::string(status_name(from)) + ">" + std::string(status_name(to)) + " " : "";
    }
  }
  CHECK(ways == "pending>running pending>failed pending>stopped running>completed running>failed running>stopped ");
  ways.clear();
  const auto stages = {StageStatus::pending,   StageStatus::in_progress, StageStatus::checkpoint_reached,
                       StageStatus::completed, StageStatus::failed,      StageStatus::sent_back};
  for (const StageStatus from : stages) {
    for (const StageStatus to : stages) {
      ways += may_become(from, to) ? std::string(status_name(from)) + ">" + std::string(status_name(to)) + " " : "";
    }
  }
  CHECK(ways ==
        "pending>in_progress pending>failed in_progress>checkpoint_reached in_progress>completed in_progress>failed "
        "in_progress>sent_back checkpoint_reached>completed checkpoint_reached>failed checkpoint_reached>sent_back ");
  ways.clear();
  for (std::size_t from = 0; from < 6; ++from) {
    for (std::size_t to = 0; to < 6; ++to) {
      ways += may_go_back(static_cast<Stage>(from), static_cast<Stage>(to))
                  ? json::uint_text(from) + ">" + json::uint_text(to) + " "
                  : "";
    }
  }
  CHECK(ways == "2>1 3>2 4>3 5>0 5>1 5>2 5>3 5>4 ");
}

TEST_CASE("discovery: without a model patterns have quotes and evidence, and say that no model looked") {
  const Found found(std::string(by_rule), exports);
  CHECK(found.at("/status") == "completed");
  CHECK(found.at("/opportunities/0/brief/affected_area") == "checkout button");
  CHECK(found.at("/findings/0/affected_users_estimate") == "3 of 6 conversations");
  for (const Value& finding : found.view().find("findings")->array()) {
    for (const Value& one : finding.find("evidence")->array()) {
      CHECK(found.view().find("evidence")->find(one.find("source_id")->str()) != nullptr);
    }
  }
  CHECK(found.at("/opportunities/0/unverified") == R"(["briefs","solutions","specs"])");
  CHECK(found.at("/opportunities/0/solution/convergence_note") == "no model challenged this solution");
}

TEST_CASE("discovery: broken lines, files of 2 GB and binary ones are skipped and told, and coverage adds up") {
  const Found found(std::string(by_rule), exports);
  CHECK(found.at("/coverage/conversations_available") == "9");
  CHECK(found.at("/coverage/conversations_reviewed") == "6");
  CHECK(found.at("/coverage/conversations_skipped") == "3");
  const std::string skipped = found.at("/coverage/explorers/0/skipped_why");
  for (const std::string_view one : {"is no JSON", "a.ndjson:7", "is a file of more than 8 MB", "is not UTF-8 text"}) {
    CHECK_MESSAGE(skipped.find(one) != std::string::npos, std::string(one));
  }
}

TEST_CASE("discovery: a whole run with a model, from conversations to decisions") {
  Found found(std::string(with_model), exports, able);
  CHECK(found.at("/status") == "running");
  CHECK(found.at("/current_stage") == "human_review");
  // Evidence that is not in the source is left out and told; a string that came as an object is text; a word that is
  // none of the list is the middle one.
  CHECK(found.at("/findings/0/evidence").find("c99") == std::string::npos);
  CHECK(found.at("/stages/0/warnings").find("c99") != std::string::npos);
  CHECK(found.at("/findings/1/description") == "what: fails");
  CHECK(found.at("/findings/0/confidence") == "high");
  CHECK(found.at("/findings/1/confidence") == "medium");
  // The ranking is repaired: duplicates and unknown ids go, what is missing comes last.
  CHECK(found.at("/opportunities/0/opportunity_id") == "O2");
  CHECK(found.at("/opportunities/0/rationale") == "quick");
  CHECK(found.at("/opportunities/1/opportunity_id") == "O1");
  CHECK(found.at("/opportunities/1/rationale") == "Not ranked by agent");
  CHECK(found.at("/opportunities/1/flags") == R"(["not_ranked"])");
  // The same affected_area twice: each has its own chain.
  CHECK(found.at("/opportunities/0/brief/problem_statement") == "Export fails.");
  CHECK(found.at("/opportunities/0/brief/evidence/0/source_id") == "c4");
  // Work that users do not notice has no experience.
  CHECK(found.at("/opportunities/0/solution/skip_rationale") == "users do not notice this work");
  CHECK(found.at("/opportunities/1/solution/experience_direction/user_impact_level") == "high");
  CHECK(found.at("/opportunities/1/solution/convergence_forced") == "false");
  CHECK(found.at("/opportunities/1/spec/risks/0/description") == "Layout shifts.");
  CHECK(found.at("/opportunities/0/unverified") == "[]");
  CHECK(found.at("/boundaries/0/boundary") == "briefs");
  CHECK(found.at("/boundaries/2/agent") == "TPMAgent");
  CHECK(found.at("/stages/1/quality_flags") ==
        R"({"briefs_produced":2,"validation_rejections":0,"validation_retries":0})");
  CHECK(found.at("/stages/3/quality_flags") ==
        R"({"specs_produced":2,"validation_rejections":0,"validation_retries":0})");

  found.review(R"({"kind":"decide","opportunity_id":"O2","decision":"accepted","reasoning":"yes","by":"Ada"})");
  CHECK(found.at("/opportunities/0/decision/by") == "Ada");
  // Two at once: the first counts, the second is told.
  found.review(R"({"kind":"decide","opportunity_id":"O2","decision":"rejected","reasoning":"no","by":"Bob"})");
  CHECK(found.at("/opportunities/0/decision/by") == "Ada");
  CHECK(found.at("/signals/1/accepted") == "false");
  CHECK(found.at("/signals/1/why") == "Ada has decided already: accepted");
  CHECK(found.at("/signals/1/reason") == "decided");
  found.review(R"({"kind":"decide","opportunity_id":"O2","decision":"deferred","reasoning":"later",)"
               R"("by":"Bob","revises":true})");
  CHECK(found.at("/opportunities/0/decision/decision") == "deferred");
  // What a decision needs is asked for, and what it does not is refused.
  found.review(R"({"kind":"decide","opportunity_id":"O1","decision":"priority_adjusted",)"
               R"("reasoning":"up","by":"Ada"})");
  CHECK(found.at("/signals/3/accepted") == "false");
  found.review(R"({"kind":"decide","opportunity_id":"O1","decision":"accepted","adjusted_priority":1,)"
               R"("reasoning":"up","by":"Ada"})");
  CHECK(found.at("/signals/4/accepted") == "false");
  found.review(R"({"kind":"decide","opportunity_id":"O1","decision":"priority_adjusted",)"
               R"("adjusted_priority":1,"reasoning":"up","by":"Ada"})");
  CHECK(found.at("/opportunities/0/opportunity_id") == "O1");
  found.review(R"({"kind":"rank","order":["O2"],"by":"Ada"})");
  CHECK(found.at("/signals/6/why") == "`order` names every ranked opportunity once: O1, O2");
  found.review(R"({"kind":"rank","order":["O2","O1"],"by":"Ada"})");
  CHECK(found.at("/opportunities/0/opportunity_id") == "O2");
  found.review(R"({"kind":"complete","by":"Ada"})");
  CHECK(found.at("/status") == "completed");
  CHECK(found.at("/result/order") == R"(["O2","O1"])");
}

TEST_CASE("discovery: what is sent back is done again with the reason, for its opportunity alone") {
  Found found(std::string(with_model), exports, able);
  const std::size_t before = found.tasks.size();
  found.review(R"({"kind":"decide","opportunity_id":"O1","decision":"sent_back",)"
               R"("send_back_to_stage":"solution_validation","reasoning":"think bigger","by":"Ada"})",
               exports, able);
  CHECK(found.at("/current_stage") == "human_review");
  std::size_t proposals = 0;
  for (std::size_t i = before; i < found.tasks.size(); ++i) {
    proposals += found.tasks[i] == "discovery.propose" ? 1 : 0;
    CHECK(found.tasks[i] != "discovery.explore");
    CHECK(found.tasks[i] != "discovery.frame");
    CHECK((found.tasks[i] != "discovery.propose" || found.prompts[i].find("think bigger") != std::string::npos));
    CHECK((found.tasks[i] != "discovery.assess" || found.prompts[i].find("think bigger") == std::string::npos));
  }
  CHECK(proposals == 1);
  const std::span<const Value> stages = found.view().find("stages")->array();
  CHECK(stages[6].find("stage")->str() == "solution_validation");
  CHECK(json::value_text(*stages[6].find("attempt")) == "2");
  CHECK(stages[6].find("sent_back_from")->str() == "human_review");
  CHECK(stages[6].find("send_back_reason")->str() == "think bigger");
  CHECK(found.view().find("opportunities")->size == 2);
  // It is framed anew, and has new opportunities in its place: ids are never used again. The others stay.
  found.review(R"({"kind":"decide","opportunity_id":"O1","decision":"sent_back",)"
               R"("send_back_to_stage":"opportunity_framing","reasoning":"anew","by":"Ada"})",
               exports, able);
  std::vector<std::string> ids;
  for (const Value& one : found.view().find("opportunities")->array()) {
    ids.emplace_back(one.find("opportunity_id")->str());
    const Value* from = one.find("revised_from");
    CHECK((from == nullptr ? "" : from->str()) == (ids.back() == "O2" ? "" : "O1"));
  }
  CHECK(ids == std::vector<std::string>{"O2", "O3", "O4"});
}

TEST_CASE("discovery: what was unverified or warned before it was sent back is not told twice") {
  const Model silent = [](std::string_view task, std::string_view prompt) -> std::string {
    return task == "boundary.validate" ? "They look fine." : able(task, prompt);
  };
  Found found(std::string(with_model), exports, silent);
  CHECK(found.at("/opportunities/0/unverified") == R"(["briefs","solutions","specs"])");
  const std::string id = found.at("/opportunities/0/opportunity_id");
  const std::string back = R"({"kind":"decide","decision":"sent_back","send_back_to_stage":"solution_validation",)"
                           R"("reasoning":"again","by":"Ada","opportunity_id":")" +
                           id + "\"}";
  found.review(back, exports, silent);
  CHECK(found.at("/opportunities/0/unverified") == R"(["briefs","solutions","specs"])");
  CHECK(found.at("/opportunities/0/warnings") == "[]");
}

TEST_CASE("discovery: a brief that is sent back at its boundary is split, and each part has its own chain") {
  std::size_t validations = 0;
  const Found found(
      std::string(with_model), exports, [&](std::string_view task, std::string_view prompt) -> std::string {
        if (task == "boundary.validate" && validations++ == 0) {
          return R"({"rejected_items":[{"item_id":"O1","rule":"coherent","rejection_reason":"two issues"}]})";
        }
        if (task == "boundary.revise") {
          const std::string one =
              R"({"problem_statement":"p","counterfactual":"c","affected_area":"A",)"
              R"("explorer_coverage":"x","evidence":[{"source_type":"intercom","source_id":"c1"}]})";
          return R"({"items":[)" + one + "," + one + "]}";
        }
        return able(task, prompt);
      });
  std::vector<std::string> ids;
  for (const Value& one : found.view().find("opportunities")->array()) {
    ids.emplace_back(one.find("opportunity_id")->str());
    CHECK(one.find("spec")->find("opportunity_id")->str() == ids.back());
  }
  CHECK(ids == std::vector<std::string>{"O2", "O1.1", "O1.2"});
  CHECK(found.at("/stages/1/quality_flags") ==
        R"({"briefs_produced":2,"validation_rejections":1,"validation_retries":1})");
}

TEST_CASE("discovery: a dialogue that does not converge ends after 3 rounds and says so; infeasible ends at once") {
  const Found found(
      std::string(with_model), exports, [&](std::string_view task, std::string_view prompt) -> std::string {
        if (task == "discovery.challenge") {
          return R"({"assessment":"challenge","critique":"too small","challenge_reason":"no effect"})";
        }
        if (task == "discovery.assess" && prompt.find("Export fails.") != std::string::npos) {
          return R"({"feasibility_assessment":"infeasible","infeasibility_reason":" ","approach":"none"})";
        }
        if (task == "discovery.risk") {
          return R"({"overall_risk_level":"critical","risks":[]})";
        }
        return able(task, prompt);
      });
  CHECK(found.at("/opportunities/0/opportunity_id") == "O1");
  CHECK(found.at("/opportunities/0/solution/convergence_forced") == "true");
  CHECK(found.at("/opportunities/0/solution/convergence_note") ==
        "not approved after 3 rounds; last: challenge: no effect");
  CHECK(json::resolve(found.view(), "/opportunities/0/solution/validation_challenges")->size == 3);
  CHECK(found.at("/opportunities/0/spec/convergence_forced") == "true");
  CHECK(found.at("/opportunities/0/spec/risks/0/severity") == "low");
  CHECK(found.at("/opportunities/1/infeasible/feasibility_assessment") == "infeasible");
  CHECK(found.at("/opportunities/1/rank") == "-");
}

TEST_CASE("discovery: an item whose answer cannot be used is left out, and no other is paired with its place") {
  const Found found(std::string(with_model), exports,
                    [&](std::string_view task, std::string_view prompt) -> std::string {
                      if (task == "discovery.propose" && prompt.find("does not react") != std::string::npos) {
                        return "I would rather not.";
                      }
                      return able(task, prompt);
                    });
  CHECK(found.at("/opportunities/0/opportunity_id") == "O2");
  CHECK(found.at("/opportunities/0/solution/opportunity_id") == "O2");
  CHECK(found.at("/left_out/0/id") == "O1");
  CHECK(found.at("/left_out/0/why").find("no solution was proposed") == 0);
}

TEST_CASE("discovery: a provider that is down fails the run with the reason, not with an empty result") {
  const Found found(std::string(with_model), exports,
                    [](std::string_view, std::string_view) { return std::string("DOWN"); });
  CHECK(found.at("/status") == "failed");
  CHECK(found.at("/error").find("the provider is down") != std::string::npos);
}

TEST_CASE("discovery: a request that cannot work is refused with the place and what to do") {
  const auto refused = [](const std::string& text) {
    json::Arena arena;
    const Result<Value> request = json::parse(text, arena);
    const Result<Prepared> prepared = known_pipeline("discovery")->prepare(request.value(), {});
    return prepared ? std::string() : prepared.error().where + ": " + prepared.error().message;
  };
  CHECK(refused("{}").substr(0, 9) == "/sources:");
  CHECK(refused(R"({"sources":{"tickets":"x"}})").substr(0, 17) == "/sources/tickets:");
  CHECK(refused(R"({"sources":{"docs":7}})").substr(0, 14) == "/sources/docs:");
  CHECK(refused(R"({"sources":{"docs":"d"},"time_window_days":0})") ==
        "/time_window_days: is a whole number from 1 on");
  CHECK(refused(R"({"sources":{"docs":"d"},"revew":true})") ==
        "/revew: there is no member 'revew'; did you mean 'review'?");
}

TEST_CASE("discovery: every artifact of the pipeline has a contract that reads") {
  CHECK(pipeline_contracts().size() == 9);
  for (const contract::BuiltIn& one : pipeline_contracts()) {
    CHECK_MESSAGE(contract::Contract::read(one.text), std::string(one.name));
    CHECK(known_contract(one.name) == &one);
  }
}

TEST_CASE("discovery: tables are read with their quotes, separators and lines") {
  const Table table = read_csv("\xEF\xBB\xBFid;text\r\n1;\"a; \"\"b\"\"\nc\"\r\n\r\n2;d\n");
  CHECK(table.header == std::vector<std::string>{"id", "text"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].cells == std::vector<std::string>{"1", "a; \"b\"\nc"});
  CHECK(table.rows[1].line == 5);
}

TEST_CASE("discovery: turns of one conversation are one unit, wherever they stand") {
  const Read read =
      read_file(SourceKind::conversations, "t.ndjson",
                "{\"conversation_id\":\"x\",\"text\":\"one\"}\n{\"conversation_id\":\"y\",\"text\":\"two\"}\n"
                "{\"conversation_id\":\"x\",\"text\":\"three\"}\n[1]\n");
  REQUIRE(read.units.size() == 2);
  CHECK(read.units[0].text == "one\nthree");
  CHECK(read.skipped_count() == 1);
  CHECK(read.available() == 3);
}

TEST_CASE("discovery: marks in code count where they stand in a comment as a word") {
  const Read read = read_file(SourceKind::repo, "a.cpp", "int a;  // TODO: b\nauto s = \"TODO\";\n// XXXX\n");
  REQUIRE(read.units.size() == 1);
  CHECK(read.units[0].id == "a.cpp:1");
}

TEST_CASE("discovery: figures that fall are found by rule, and steady ones are not") {
  std::string units = "[";
  for (int i = 0; i < 8; ++i) {
    units += std::string(i == 0 ? "" : ",") + R"({"id":"f:)" + json::uint_text(static_cast<std::uint64_t>(i)) +
             R"(","path":"f","text":"day: 2026; signups: )" + (i < 4 ? "100" : "40") + R"(; visits: 10.5"})";
  }
  const Data all = Data::written(units + "]");
  const std::string found = extract::patterns_in("analytics", all.value());
  CHECK(found.find("signups falls by 60%") != std::string::npos);
  CHECK(found.find("visits") == std::string::npos);
}
