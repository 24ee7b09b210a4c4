// Each signal of the risk monitor on each rung of the ladder, in a run (004-21): log is a line, warn is also in the
// view and before the reviewer, pause asks and goes on, halt ends the task concerned and no other, escalate asks a
// person.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/workflow/task_state.hpp"
#include "tests/runs/workflow_world.hpp"

using namespace plumb;
using namespace plumb::test;
using json::text_of;
using json::Value;

namespace {

// A run of two tasks, T1 and T2, of which T1 makes the signal and ends well when it is let go on.
struct Watched {
  std::string log, view, reviewed;  // `reviewed`: what the reviewer of T1 was sent
  std::vector<std::string> asked;   // the questions, with what they are a response to
  std::map<std::string, std::string> states;
};

std::string edit_of(const std::string& path, const std::string& text) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("result", "done").member("changes_summary", "written").key("edits").begin_array();
  json.begin_object().member("path", path).member("text", text).end_object().end_array().end_object();
  return out;
}

std::string quote(const std::string& text) { return "\"" + text + "\""; }

using Developer = std::function<std::string(int run)>;  // of T1

Watched watch(const std::string& monitor, const Developer& developer, const std::string& person = "go on",
              const std::string& models = {}) {
  FileTexts texts;
  texts["src/a.c"] = "the first line\n";
  texts["src/b.c"] = "the other line\n";
  texts["src/long.c"] = [] {
    std::string out;
    for (int i = 0; i < 500; ++i) {
      out += "line " + std::to_string(i) + " of a long text that is read\n";
    }
    return out;
  }();
  texts["readme.md"] = "# All of it\n";
  MemoryWorld world(texts);
  const std::string file = R"({"path":"src/long.c","access":"read"},)";
  const std::string plan = R"({"title":"Two","tasks":[{"id":"T1","description":"The first","files":[)" +
                           std::string(models.empty() ? "" : file) +
                           R"({"path":"src/a.c"}],"acceptance":["it is there"]},)"
                           R"({"id":"T2","description":"The second","files":[{"path":"src/b.c"}],)"
                           R"("acceptance":["it is there"]}]})";
  WorkflowRun run(prepared_workflow(
      R"({"repository":"here","promoted":true,"developer":"model","reviewer":"model",)"
      R"("providers":{"develop":"scripted/d","review":"scripted/r"},"plan":)" +
          plan + "}",
      R"({"isolation":"partial","protected":[],"gates":[{"name":"build","command":"build"}]})", monitor, {}, models));
  Watched out;
  int runs = 0;
  std::string line;
  for (int steps = 0; run.step() == run::State::waiting && steps < 400; ++steps) {
    const run::Want want = *run.begin();
    const Value& request = want.request.value();
    run::Reply reply;
    if (want.kind == run::EffectKind::claim) {
      reply.value = run::Data::written(R"({"granted":true})");
    } else if (want.kind == run::EffectKind::person) {
      out.asked.push_back(std::string(text_of(request, "response")) + "|" + std::string(text_of(request, "task")) +
                          "|" + std::string(text_of(request, "reason")));
      reply.value = run::Data::written(R"({"decision":")" + person + R"(","words":"as you like","by":"Ada"})");
    } else if (want.kind == run::EffectKind::model) {
      const std::string_view asked = text_of(json::list_of(request, "messages").back(), "content");
      const bool first = asked.find("# Task T1") != std::string_view::npos;
      if (text_of(request, "phase") == "develop") {
        reply = model_reply(first ? developer(++runs) : edit_of("src/b.c", "another line of b\n"));
      } else {
        out.reviewed = first ? std::string(asked) : out.reviewed;
        const std::string evidence = first ? "a good line of a" : "another line of b";
        reply = model_reply(R"({"verdict":"approved","rejection_type":null,"sop_review":[],"criteria":[)"
                            R"({"criterion":"A1","met":true,"evidence":")" +
                            evidence + R"("}],"confidence":0.9,"feedback":"","patterns":[]})");
      }
    } else {
      reply = world.work(want, run.machine());
    }
    run.reply(want, std::move(reply));
  }
  REQUIRE_MESSAGE(run.machine().state() == run::State::done, run.machine().error().message);
  const pipelines::Known& known = *pipelines::known_pipeline("workflow");
  for (const pipelines::LogLine& one : known.log(run.journal(), 0)) {
    out.log += one.text + "\n";
  }
  out.view = known.view(run.journal());
  for (const Value& task : json::list_of(run.machine().result().value(), "tasks")) {
    out.states[std::string(text_of(task, "id"))] = text_of(task, "state");
  }
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The five rungs of one signal. `words`: that are in its explanation.
void every_rung(const std::string& signal, const std::string& over, const std::string& words,
                const Developer& developer, const std::string& models = {}) {
  CAPTURE(signal);
  // Others are off, so that only this one speaks.
  const auto monitor = [&](const std::string& response) {
    std::string out = R"({"policy":{)";
    for (const std::string other : {"retries", "utilization", "scope_creep", "conflict", "loop"}) {
      out += (out.back() == '{' ? "" : ",") + quote(other) + ":" +
             (other == signal ? R"([{"over":)" + over + R"(,"response":")" + response + R"("}])" : "[]");
    }
    return out + "}}";
  };
  const Watched observed = watch(monitor("observe"), developer, "go on", models);
  CHECK_FALSE(has(observed.log, words));
  CHECK(observed.asked.empty());
  CHECK(observed.states.at("T1") == "landed");

  const Watched logged = watch(monitor("log"), developer, "go on", models);
  CHECK(has(logged.log, "log: "));
  CHECK(has(logged.log, words));
  CHECK_FALSE(has(logged.reviewed, words));
  CHECK(logged.asked.empty());
  CHECK(logged.states.at("T1") == "landed");

  const Watched warned = watch(monitor("warn"), developer, "go on", models);
  CHECK(has(warned.log, "warn: "));
  CHECK(has(warned.view, words));
  CHECK(has(warned.reviewed, words));
  CHECK(warned.asked.empty());
  CHECK(warned.states.at("T1") == "landed");

  const Watched paused = watch(monitor("pause"), developer, "go on", models);
  REQUIRE_FALSE(paused.asked.empty());
  CHECK(paused.asked.front().rfind("pause|T1|", 0) == 0);
  CHECK(has(paused.asked.front(), words));
  CHECK(has(paused.reviewed, words));
  CHECK(paused.states.at("T1") == "landed");
  const Watched stopped = watch(monitor("pause"), developer, "stop", models);
  CHECK(stopped.asked.size() == 1);
  CHECK(stopped.states.at("T1") == "halted");
  CHECK(stopped.states.at("T2") == "landed");

  const Watched halted = watch(monitor("halt"), developer, "go on", models);
  CHECK(halted.asked.empty());
  CHECK(halted.states.at("T1") == "halted");
  CHECK(has(halted.view, words));
  CHECK(halted.states.at("T2") == "landed");

  const Watched escalated = watch(monitor("escalate"), developer, "reject", models);
  REQUIRE(escalated.asked.size() == 1);
  CHECK(escalated.asked.front().rfind("|T1|", 0) == 0);
  CHECK(has(escalated.log, "escalate: "));
  CHECK(escalated.states.at("T1") == "rejected");
  CHECK(escalated.states.at("T2") == "landed");
}

}  // namespace

TEST_CASE("workflow risks: retries on each rung") {
  every_rung("retries", "0", "1 retry, more than 0",
             [](int run) { return edit_of("src/a.c", run == 1 ? "BROKEN\n" : "a good line of a\n"); });
}

TEST_CASE("workflow risks: files beyond the task on each rung") {
  every_rung("scope_creep", "0", "written beyond the task's files", [](int) {
    return R"({"result":"done","changes_summary":"written","edits":[{"path":"src/a.c","text":"a good line of a\n"},)"
           R"({"path":"readme.md","text":"and more of this\n"}]})";
  });
}

TEST_CASE("workflow risks: the same failure on different trees, on each rung") {
  every_rung("loop", "1", "fail in the same way on 2 different trees", [](int run) {
    return edit_of("src/a.c", run < 3 ? "BROKEN\nnumber " + std::to_string(run) + "\n" : "a good line of a\n");
  });
}

TEST_CASE("workflow risks: a full window on each rung") {
  every_rung(
      "utilization", "20", "more than 20", [](int) { return edit_of("src/a.c", "a good line of a\n"); },
      R"([{"name":"scripted/d","context_window":12000}])");
}

// One task is worked on after the other, so nothing is written by two at once; what meets is told where it is merged.
TEST_CASE("workflow risks: tasks one after the other have no conflict") {
  const Watched run = watch(R"({"policy":{"conflict":[{"over":0,"response":"halt"}]}})", [](int) {
    return R"({"result":"done","changes_summary":"written","edits":[{"path":"src/a.c","text":"a good line of a\n"},)"
           R"({"path":"src/b.c","text":"of the other task\n"}]})";
  });
  CHECK(run.states.at("T1") == "landed");
  CHECK(run.states.at("T2") == "landed");
  CHECK_FALSE(has(run.log, "conflict"));
}
