// What a workflow's run is told as: subjects and payloads of the seed, one by one. (tests/native tells a whole one.)
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/pipelines/workflow/telling.hpp"

using namespace plumb;
using pipelines::workflow::Telling;
using pipelines::workflow::ToldEvent;
using run::Entry;
using run::EntryKind;

namespace {

Entry entry(EntryKind kind, const std::string& key, const std::string& name, const std::string& data) {
  Entry out;
  out.kind = kind;
  out.key = key;
  out.name = name;
  out.at_ms = 1'700'000'000'000;
  out.data = run::Data::written(data);
  return out;
}

Entry note(const std::string& key, const std::string& name, const std::string& data) {
  return entry(EntryKind::note, key, name, data);
}

Entry state(const std::string& task, const std::string& from, const std::string& to) {
  return note("task-" + task + ":1", "task_state",
              R"({"task":")" + task + R"(","from":")" + from + R"(","to":")" + to + R"(","why":"so it is"})");
}

// Of a plan with one task, after its developer's first run.
Telling begun() {
  Telling telling("r1");
  telling.next(entry(EntryKind::begin, "", "workflow", R"({"run":"r1","input":{"repositories":["here"]}})"));
  telling.next(note(":0", "plan",
                    R"({"plan":{"slug":"lines","title":"Lines","tasks":[{"id":"T.1","files":[)"
                    R"({"path":"a.c","access":"write"},{"path":"b.c","access":"read"}]}]}})"));
  telling.next(state("T.1", "draft", "ready"));
  telling.next(entry(EntryKind::scope, "task-T_1/develop", "",
                     R"({"task":"T.1","changed":["a.c"],"findings":[],"failed":"","unusable":""})"));
  return telling;
}

std::vector<std::string> subjects(const std::vector<ToldEvent>& events) {
  std::vector<std::string> out;
  for (const ToldEvent& one : events) {
    out.push_back(one.subject);
  }
  return out;
}

using Subjects = std::vector<std::string>;

constexpr const char* head = R"({"run_id":"r1","entry":4,"at":1700000000000,"slug":"lines","task_id":"T.1",)";

}  // namespace

TEST_CASE("telling: every state of a task has the subject of the seed, and the plan is approved before the first") {
  Telling telling("r1");
  const auto first = telling.next(entry(EntryKind::begin, "", "workflow", R"({"run":"r1","input":{}})"));
  REQUIRE(subjects(first) == Subjects{"workflow.events.run.begun"});
  CHECK(first[0].id == "r1.0");
  CHECK(subjects(telling.next(state("T1", "draft", "ready"))) ==
        Subjects{"workflow.events.plan.approved", "workflow.events.task.ready"});
  CHECK(subjects(telling.next(state("T1", "ready", "developing"))) == Subjects{"agent.task.development"});
  CHECK(subjects(telling.next(state("T1", "developing", "gating"))) == Subjects{"workflow.gate.structural"});
  CHECK(subjects(telling.next(state("T1", "gating", "reviewing"))) == Subjects{"agent.task.review"});
  CHECK(subjects(telling.next(state("T1", "reviewing", "approved"))) == Subjects{"workflow.task.complete"});
  CHECK(subjects(telling.next(state("T1", "approved", "landed"))) ==
        Subjects{"workflow.events.task.execution_complete"});
  CHECK(telling.next(entry(EntryKind::reply, "x:0", "", "{}")).empty());

  Telling other("r2");
  const auto both = other.next(state("T1", "draft", "rejected"));
  CHECK(subjects(both) == Subjects{"workflow.events.plan.rejected", "workflow.events.task.execution_complete"});
  CHECK(both[0].id == "r2.0");
  CHECK(both[1].id == "r2.0.2");
}

TEST_CASE("telling: an escalation carries what 004-25 names, with the findings of the last gates or review") {
  Telling telling = begun();
  CHECK(telling
            .next(entry(EntryKind::scope, "task-T_1/gate", "",
                        R"({"tree_hash":"t","results":[{"gate":"build","required":true,"outcome":"failed",)"
                        R"("exit_code":1,"words":"it failed"},)"
                        R"({"gate":"lint","required":false,"outcome":"failed","words":"w"}]})"))
            .empty());
  const auto failed = telling.next(state("T.1", "gating", "escalated"));
  REQUIRE(subjects(failed) == Subjects{"workflow.events.task.validation_failed", "workflow.events.task.escalated"});
  CHECK(failed[0].body ==
        R"({"run_id":"r1","entry":5,"at":1700000000000,"slug":"lines","task_id":"T.1","iteration":1,"tree_hash":"t",)"
        R"("reason":"so it is","gates":[{"gate":"build","required":true,"outcome":"failed","exit_code":1},)"
        R"({"gate":"lint","required":false,"outcome":"failed"}]})");
  const auto told = telling.next(
      note("task-T_1:2", "escalation",
           R"({"slug":"lines","task_id":"T.1","reason":"Max retries exceeded after 4 attempts","last_verdict":"gates",)"
           R"("last_feedback":"mend it","iteration":4})"));
  REQUIRE(subjects(told) == Subjects{"user.signal.escalate"});
  CHECK(told[0].body ==
        R"({"run_id":"r1","entry":6,"at":1700000000000,"slug":"lines","task_id":"T.1","reason":"Max retries exceeded )"
        R"(after 4 attempts","last_verdict":"gates","last_findings":[{"gate":"build","outcome":"failed","message":)"
        R"("it failed"}],"last_feedback":"mend it","iteration":4})");
}

TEST_CASE("telling: an agent that fails is an error of the seed: developer, reviewer, the run itself") {
  Telling telling = begun();
  const auto developer =
      telling.next(entry(EntryKind::scope, "task-T_1/develop~2", "", R"({"task":"T.1","failed":"no answer in time"})"));
  REQUIRE(subjects(developer) == Subjects{"user.signal.error"});
  CHECK(developer[0].body ==
        std::string(head) + R"("error":"Developer agent failed: no answer in time","iteration":2})");
  const auto reviewer = telling.next(note(
      "task-T_1:3", "review", R"({"task":"T.1","outcome":"escalate","reason":"the review keeps not to its form"})"));
  CHECK(subjects(reviewer) == Subjects{"workflow.review.validate", "user.signal.error"});
  CHECK(reviewer[1].body.find("Reviewer agent failed: the review keeps not to its form") != std::string::npos);
  Entry end = entry(EntryKind::end, "", "", "null");
  end.status = run::Status::failed;
  end.error = "the repository is gone";
  const auto run = telling.next(end);
  CHECK(subjects(run) == Subjects{"workflow.events.plan.execution_complete", "user.signal.error"});
  CHECK(run[1].body.find(R"("error":"the repository is gone")") != std::string::npos);
}

TEST_CASE("telling: a review that rejects is categorized") {
  Telling telling = begun();
  const auto told =
      telling.next(note("task-T_1:3", "review",
                        R"({"task":"T.1","outcome":"developer","reason":"r","feedback":"f","open":["A1"],)"
                        R"("broken":[],"review":{"verdict":"rejected","rejection_type":"fixable",)"
                        R"("sop_review":[{"sop_id":"s","status":"violated","violations":["v"]}],)"
                        R"("confidence":0.9}})"));
  REQUIRE(subjects(told) == Subjects{"workflow.review.validate", "workflow.events.task.rejection_categorized"});
  CHECK(told[1].body == std::string(head) + R"("event":"rejection_categorized","type":"fixable","feedback":"f"})");
  CHECK(told[0].body.find(R"("findings":[{"sop":"s","message":"v"},{"criterion":"A1","message":"is not met"}])") !=
        std::string::npos);
}

TEST_CASE("telling: calls of models are told on agent.monitor with the members that foreign loops tell") {
  Telling telling = begun();
  const auto told =
      telling.next(note("task-T_1/develop~2:0", "model_call",
                        R"({"phase":"develop","prompt":"prompt-develop","window":1000,"context_tokens_used":710,)"
                        R"("context_utilization":71,"color":"orange","response":"pause","reason":"full","risks":[],)"
                        R"("request":"secret"})"));
  REQUIRE(subjects(told) == Subjects{"agent.monitor.r1"});
  CHECK(told[0].body ==
        std::string(head) +
            R"("loop_id":"r1/T.1","iteration":2,"retries":1,"context_tokens_used":710,"window":1000,)"
            R"("context_utilization":71,"files_written":["a.c"],"task_files":["a.c"],"phase":"develop",)"
            R"("prompt":"prompt-develop","color":"orange","response":"pause","reason":"full","signals":[]})");
  CHECK(telling.next(note("task-T_1:4", "risk", R"({"task":"T.1","response":"observe","signals":[]})")).empty());
  CHECK(subjects(telling.next(note("task-T_1:4", "risk", R"({"task":"T.1","response":"warn","signals":[]})"))) ==
        Subjects{"agent.monitor.r1"});
}

TEST_CASE("telling: a payload has a bound, whatever the journal holds, and is JSON") {
  Telling telling = begun();
  std::string findings;
  for (int i = 0; i < 200; ++i) {
    findings +=
        (i == 0 ? "" : ",") + (R"({"path":")" + std::string(20'000, 'p') + R"(","sop":")" + std::string(20'000, 's') +
                               R"(","message":")" + std::string(20'000, 'm') + R"("})");
  }
  const auto told = telling.next(note("task-T_1:3", "review",
                                      R"({"task":"T.1","outcome":"developer","reason":")" + std::string(50'000, 'r') +
                                          R"(","feedback":"\u0001\u0001","broken":[)" + findings + "]}"));
  REQUIRE(told.size() == 1);
  CHECK(told[0].body.size() < 512'000);
  json::Arena arena;
  CHECK(static_cast<bool>(json::parse(told[0].body, arena)));
}
