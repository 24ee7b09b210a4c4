// A developer that converses, in a workflow in memory: where its window fills, where the run is cancelled in it, and
// where its edits cannot be taken.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/workflow/laws.hpp"
#include "tests/runs/workflow_world.hpp"

using namespace plumb;
using namespace plumb::test;
using json::text_of;
using json::Value;

namespace {

std::string call(const std::string& name, const std::string& arguments) {
  return R"({"id":"c","name":")" + name + R"(","arguments":)" + arguments + "}";
}
std::string edit(const std::string& path, const std::string& text) {
  return call("edit_files", R"({"edits":[{"path":")" + path + R"(","text":")" + text + R"("}]})");
}

struct Talked {
  std::vector<std::string> requests;  // of turns
  std::vector<const Value*> checkpoints;
  std::vector<std::string> asked, broken;
};

// Each turn is `said(number)`, a call that uses so many tokens of a window of 32,000; `before` sees each effect.
Talked converse(WorkflowRun& run, MemoryWorld& world, const std::function<std::string(std::size_t)>& said,
                std::uint64_t tokens, const std::function<void(const run::Want&)>& before = {}) {
  Talked out;
  for (int steps = 0; run.step() == run::State::waiting && steps < 300; ++steps) {
    const run::Want* first = run.begin();
    if (first == nullptr) {
      continue;
    }
    const run::Want want = *first;
    if (before) {
      before(want);
    }
    run::Reply reply;
    if (want.kind == run::EffectKind::claim) {
      reply.value = run::Data::written(R"({"granted":true})");
    } else if (want.kind == run::EffectKind::person) {
      out.asked.emplace_back(text_of(want.request.value(), "reason"));
      reply.value = run::Data::written(R"({"decision":"stop"})");
    } else if (want.kind == run::EffectKind::model) {
      out.requests.emplace_back(want.request.text());
      reply.value =
          run::Data::written(R"({"text":"","finish":"tool_calls","usage":{"input_tokens":)" + json::uint_text(tokens) +
                             R"(,"output_tokens":1},"calls":[)" + said(out.requests.size()) + "]}");
    } else {
      reply = world.work(want, run.machine());
    }
    run.reply(want, std::move(reply));
  }
  for (const run::Entry& entry : run.journal().entries()) {
    if (entry.kind == run::EntryKind::note && entry.name == "checkpoint") {
      out.checkpoints.push_back(&entry.data.value());
    }
  }
  out.broken = workflow::broken_laws(pipelines::workflow::record_of(run.journal()));
  return out;
}

pipelines::Prepared prepared(const std::string& tasks =
                                 R"({"id":"T1","description":"The first","files":[{"path":"src/**"}],)"
                                 R"("acceptance":["it is there"]})") {
  return prepared_workflow(R"({"repository":"here","promoted":true,"developer":"conversation","reviewer":"extract",)"
                           R"("providers":{"develop":"scripted/d"},"plan":{"title":"One","tasks":[)" +
                               tasks + "]}}",
                           R"({"isolation":"partial","gates":[{"name":"build","command":"build"}]})", {}, {},
                           R"([{"name":"scripted/d","context_window":32000}])");
}
FileTexts texts() { return {{"readme.md", "# All of it\n"}, {"src/a.c", "a line of a\n"}}; }

}  // namespace

TEST_CASE("workflow converse: a fourth conversation that fills asks a person, and is no fourth checkpoint") {
  MemoryWorld world(texts());
  WorkflowRun run(prepared());
  const Talked out = converse(
      run, world, [](std::size_t n) { return edit("src/a.c", "line number " + std::to_string(n) + " of it\\n"); },
      23'000);
  CHECK(out.requests.size() == 4);
  REQUIRE(out.checkpoints.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(json::number_of(*out.checkpoints[i], "number") == i + 1);
  }
  REQUIRE(out.asked.size() == 1);
  CHECK(out.asked[0] == "the task has filled 4 conversations, and is not done");
  CHECK(out.broken == std::vector<std::string>());
  // What the fourth has done is the task's, and the person has stopped it.
  const Value& task = json::list_of(run.machine().result().value(), "tasks")[0];
  CHECK(text_of(task, "state") == "halted");
  CHECK(world.at(std::string(text_of(task, "commit"))).at("src/a.c") == "line number 4 of it\n");
}

TEST_CASE(
    "workflow converse: a run that is cancelled in a conversation is cancelled wherever it is, and did not fail") {
  // Before each effect in turn: the turn of the model, the edits, what is taken, the checkpoint, the gates, the proof.
  std::size_t effects = 0;
  for (std::size_t at = 1; at == 1 || at <= effects; ++at) {
    MemoryWorld world(texts());
    WorkflowRun run(prepared());
    effects = 0;
    const Talked out = converse(
        run, world,
        [](std::size_t n) {
          return n == 1   ? edit("src/a.c", "one line of it that is new\\n")
                 : n == 2 ? call("run_gates", "{}") + "," +
                                call("note_met", R"({"criterion":"A1","evidence":"one line of it that is new"})")
                          : call("submit", R"({"result":"done","changes_summary":"it is there"})");
        },
        23'000,
        [&](const run::Want& want) {
          const bool develops = want.key.find("/develop") != std::string::npos;
          effects += develops ? 1 : 0;
          if (develops && effects == at) {
            run.cancel();
          }
        });
    CAPTURE(at);
    CHECK(run.machine().error().message == "");
    CHECK(out.broken == std::vector<std::string>());
    if (at <= effects) {
      CHECK(run.machine().state() == run::State::cancelled);
    }
  }
  CHECK(effects > 0);
}

TEST_CASE("workflow converse: edits that cannot be taken are gone when the conversation is checkpointed") {
  MemoryWorld world(texts());
  WorkflowRun run(prepared());
  std::string deep = "src";
  for (int i = 0; i < 140; ++i) {
    deep += "/d";
  }
  const Talked out = converse(
      run, world,
      [&](std::size_t n) {
        return n == 1   ? edit("src/a.c", "a line that is new\\n") + "," + edit(deep, "nobody takes it\\n")
               : n == 2 ? call("submit", R"({"result":"done","changes_summary":"it is there"})")
                        : std::string();
      },
      23'000);
  REQUIRE(out.checkpoints.size() >= 1);
  const std::string commit(text_of(*out.checkpoints[0], "commit"));
  REQUIRE(commit != "");
  CHECK(world.at(commit).at("src/a.c") == "a line that is new\n");
  CHECK(world.at(commit).count(deep) == 0);
  CHECK(out.broken == std::vector<std::string>());
}

TEST_CASE("workflow converse: gates before a change are those of the work that was approved before it") {
  FileTexts broken = texts();
  broken["src/a.c"] = "BROKEN is this\n";
  MemoryWorld world(broken);
  WorkflowRun run(
      prepared(R"({"id":"T1","description":"Mend it","files":[{"path":"src/a.c"}],"fixes":["build"],)"
               R"("acceptance":["it builds"]},{"id":"T2","description":"Go on","after":["T1"],"fixes":["build"],)"
               R"("files":[{"path":"src/b.c"}],"acceptance":["it is there"]})"));
  const Talked out = converse(
      run, world,
      [](std::size_t n) {
        return n == 1   ? call("run_gates", "{}") + "," + edit("src/a.c", "it is mended\\n")
               : n == 3 ? call("run_gates", "{}") + "," + edit("src/b.c", "it is there\\n")
                        : call("submit", R"({"result":"done","changes_summary":"it is there"})");
      },
      100);
  CHECK(out.asked == std::vector<std::string>());
  REQUIRE(out.requests.size() == 4);
  CHECK(out.requests[1].find(R"(\"passed\":false)") != std::string::npos);
  CHECK(out.requests[3].find(R"(\"passed\":true)") != std::string::npos);
  CHECK(out.requests[3].find(R"(\"passed\":false)") == std::string::npos);
  CHECK(out.broken == std::vector<std::string>());
}

TEST_CASE("workflow converse: a search gives paths and lines of the files as they are now") {
  MemoryWorld world(texts());
  WorkflowRun run(prepared());
  const Talked out = converse(
      run, world,
      [](std::size_t n) {
        return n == 1   ? edit("src/b.c", "nothing\\na line of b\\n")
               : n == 2 ? call("search", R"({"text":"a line of"})") + "," + call("search", R"({"text":"ZEBRA"})") +
                              "," + call("search", R"({"text":"a\nb"})")
                        : call("submit", R"({"result":"done","changes_summary":"it is there"})");
      },
      10);
  REQUIRE(out.requests.size() >= 3);
  CHECK(out.requests[0].find(R"("name":"search")") != std::string::npos);
  const std::string& after = out.requests[2];
  CHECK(after.find(R"(\"path\":\"src/a.c\",\"line\":1,\"text\":\"a line of a\")") != std::string::npos);
  CHECK(after.find(R"(\"path\":\"src/b.c\",\"line\":2,\"text\":\"a line of b\")") != std::string::npos);
  CHECK(after.find("No line of a text file has it") != std::string::npos);
  CHECK(after.find("the text has a line break") != std::string::npos);
  CHECK(out.broken == std::vector<std::string>());
}
