// What a run may do, driven by a host: names taken and released, what a host must be able to do, a pipeline that works
// on a repository, and that a journal which others wrote does no work here.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/json/members.hpp"
#include "core/pipelines/work_call.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/replay.hpp"
#include "native/host/host.hpp"
#include "native/store/sqlite_store.hpp"
#include "scripted_runs.hpp"
#include "work_runs.hpp"

using namespace plumb;
using namespace plumb::test;
using host::Host;

TEST_SUITE_BEGIN("native");

namespace {

std::unique_ptr<store::Store> opened(const std::string& file) {
  Result<std::unique_ptr<store::Store>> store = store::open_sqlite({.file = file});
  REQUIRE_MESSAGE(static_cast<bool>(store), (store ? "" : store.error().message));
  return std::move(store).value();
}

// names {"parts": [["a", "b"], ...], "wait": BOOL, "hold": BOOL}: each part takes its names on its own behalf, asks a
// question while it holds them, and lets them go. Gives what each was granted.
Result<run::Data> names(run::Run& run) {
  const auto parts = json::list_of(run.input().value(), "parts");
  const std::vector<run::Data> all = run.each("part", parts.size(), [&](run::Run& part, std::size_t i) {
    pipelines::ClaimNames claim;
    for (const json::Value& name : parts[i].array())
      claim.names.emplace_back(name.str());
    const std::string by = "P" + std::to_string(i);
    claim.by = by;
    claim.wait = json::flag_of(run.input().value(), "wait");
    claim.deadline_ms = json::number_of(run.input().value(), "deadline_ms");
    const bool granted = pipelines::ask_claim(part, claim);
    if (granted) {
      run::Effect question;
      question.request = [] {
        return run::Data::written(R"({"phase":"generate","messages":[{"role":"user","content":"x"}]})");
      };
      (void)part.ask(std::move(question));
      pipelines::release_claim(part, claim);
    }
    return run::Data::written(granted ? "true" : "false");
  });
  std::string out = "[";
  for (const run::Data& one : all)
    out += (out.size() == 1 ? "" : ",") + std::string(one.text());
  return run::Data::written(out + "]");
}

constexpr std::array<pipelines::Known, 1> named = {{{{"names", 1, names},
                                                     "Takes names.",
                                                     nullptr,
                                                     nullptr,
                                                     nullptr,
                                                     {run::EffectKind::model, run::EffectKind::claim}}}};

// The same files give the same tree, whoever committed them and when.
constexpr std::string_view one_task =
    R"(ok {"tree":"81b3e7f472b2ce339b4096290dce15be35550a39","gates":true,"landed":true,"tries":[1]})";
constexpr std::string_view two_tasks =
    R"(ok {"tree":"d960ca71ce86169eaa37e91e929a0b066d685d27","gates":true,"landed":true,"tries":[1,2]})";

std::string result_of(store::Store& store, const std::string& id) {
  const Result<run::Journal> journal = store::read_journal(store, id);
  REQUIRE(static_cast<bool>(journal));
  const run::Entry& end = journal.value().entries().back();
  REQUIRE(end.kind == run::EntryKind::end);
  return std::string(run::status_name(end.status)) + " " + std::string(end.data.text()) + end.error;
}

std::string started(Host& host, std::string_view pipeline, pipelines::Prepared what) {
  const Result<host::Started> run = host.start(pipeline, std::move(what));
  REQUIRE_MESSAGE(static_cast<bool>(run), (run ? "" : run.error().message));
  return run.value().id;
}

template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  return false;
}

std::size_t claims_answered(Host& host, const std::string& id) {
  const auto journal = host.snapshot(id);
  std::size_t count = 0;
  std::vector<std::string> claims;
  for (const run::Entry& entry : journal.value()->entries()) {
    if (entry.kind == run::EntryKind::attempt && entry.name == "claim")
      claims.push_back(entry.key);
    count += entry.kind == run::EntryKind::reply && std::find(claims.begin(), claims.end(), entry.key) != claims.end();
  }
  return count;
}

}  // namespace

TEST_CASE("claims: several names, all or none, on behalf of parts of one run; released they are waited for in turn") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  host::HostSettings settings;
  settings.pipelines = named;
  auto host = Host::open(*store, fulfiller, settings);
  REQUIRE(host);
  SUBCASE("who does not wait is told who holds them, and holds none of them") {
    const std::string first = started(*host.value(), "names", prepared(R"({"parts":[["a","b"]]})"));
    REQUIRE(eventually([&] { return fulfiller.held() == 1; }));
    const std::string second = started(*host.value(), "names", prepared(R"({"parts":[["b","c"],["c"]]})"));
    // "b" is held, so of ["b", "c"] none is: "c" is free for the other part.
    REQUIRE(eventually([&] { return fulfiller.held() == 2; }));
    const auto journal = host.value()->snapshot(second);
    const std::string wanted = "{\"granted\":false,\"holder\":\"" + first + "\",\"held\":[{\"name\":\"b\",\"run\":\"" +
                               first + "\",\"for\":\"P0\"}]}";
    const auto& entries = journal.value()->entries();
    CHECK(
        std::any_of(entries.begin(), entries.end(), [&](const run::Entry& one) { return one.data.text() == wanted; }));
    fulfiller.hold(false);
    (void)host.value()->wait(first, 60'000);
    (void)host.value()->wait(second, 60'000);
    CHECK(result_of(*store, second) == "ok [false,true]");
  }
  SUBCASE("who waits is served when all are free, also across runs and parts of one run, and nobody is locked out") {
    const std::string first = started(
        *host.value(), "names", prepared(R"({"parts":[["a","b"],["b","c"],["c","a"],["a","b","c"]],"wait":true})"));
    const std::string second = started(*host.value(), "names", prepared(R"({"parts":[["b"],["c","b"]],"wait":true})"));
    REQUIRE(eventually([&] { return fulfiller.held() >= 1; }));
    CHECK(fulfiller.held() == 1);  // all overlap with ["a", "b"] but none is granted in part
    fulfiller.hold(false);
    for (const std::string& id : {first, second})
      (void)host.value()->wait(id, 60'000);
    CHECK(result_of(*store, first) == "ok [true,true,true,true]");
    CHECK(result_of(*store, second) == "ok [true,true]");
    // Every name is free again.
    const std::string third = started(*host.value(), "names", prepared(R"({"parts":[["a","b","c"]]})"));
    (void)host.value()->wait(third, 60'000);
    CHECK(result_of(*store, third) == "ok [true]");
  }
  SUBCASE("waiting ends with its time, with the run, and goes on after a restart") {
    const std::string first = started(*host.value(), "names", prepared(R"({"parts":[["a"]]})"));
    REQUIRE(eventually([&] { return fulfiller.held() == 1; }));
    const std::string late =
        started(*host.value(), "names", prepared(R"({"parts":[["a"]],"wait":true,"deadline_ms":200})"));
    (void)host.value()->wait(late, 60'000);
    CHECK(result_of(*store, late) == "ok [false]");
    const std::string cut = started(*host.value(), "names", prepared(R"({"parts":[["a"]],"wait":true})"));
    REQUIRE(host.value()->cancel(cut, "enough"));
    (void)host.value()->wait(cut, 60'000);
    const std::string waits = started(*host.value(), "names", prepared(R"({"parts":[["a"]],"wait":true})"));
    CHECK(claims_answered(*host.value(), waits) == 0);
    host.value()->stop(0);
    host = Host::open(*store, fulfiller, settings);
    REQUIRE(host);
    fulfiller.hold(false);
    for (const std::string& id : {first, waits})
      (void)host.value()->wait(id, 60'000);
    CHECK(result_of(*store, waits) == "ok [true]");
  }
}

TEST_CASE("needs: a host that lacks what a pipeline may ask for does not begin it, by name; one that is there waits") {
  const TemporaryFolder folder;
  make_repository(folder.file("w"));
  const auto commands = gates_command(false);
  const auto store = opened(folder.file("runs.db"));
  host::HostSettings settings;
  settings.pipelines = work_pipelines();
  std::string id;
  {
    WorkWorld world(folder.file("w"), commands);
    host::Routes routes;
    routes.add(run::EffectKind::model, world.model);
    routes.add(run::EffectKind::read, world.files);
    routes.add(run::EffectKind::command, world.command);
    const auto host = Host::open(*store, routes, settings);
    REQUIRE(host);
    const Result<host::Started> refused = host.value()->start("workshop", prepared_work(commands));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message ==
          "the pipeline 'workshop' is not begun: this host cannot work on a git repository (effect 'worktree')");
    routes.add(run::EffectKind::worktree, world.worktree);
    id = started(*host.value(), "workshop", prepared_work(commands, 1));
    (void)host.value()->wait(id, 60'000);
    CHECK(result_of(*store, id) == one_task);
  }
  WorkWorld world(folder.file("w"), commands);
  host::Routes routes;
  routes.add(run::EffectKind::model, world.model);
  const auto host = Host::open(*store, routes, settings);
  REQUIRE(host);
  const Result<host::ForkStarted> fork = host.value()->fork(id, {});
  REQUIRE_FALSE(fork);
  CHECK(fork.error().message.find("is not begun: this host cannot") != std::string::npos);
}

TEST_CASE(
    "workshop: tasks are developed in trees, tried by a command, done again with what it said, merged and landed") {
  const TemporaryFolder folder;
  make_repository(folder.file("w"));
  const auto commands = gates_command(false);
  const auto store = opened(folder.file("runs.db"));
  WorkWorld world(folder.file("w"), commands);
  host::HostSettings settings;
  settings.pipelines = work_pipelines();
  const auto host = Host::open(*store, world.routes, settings);
  REQUIRE(host);
  const std::string id = started(*host.value(), "workshop", prepared_work(commands));
  (void)host.value()->wait(id, 60'000);
  // The second task was told by the command what its text lacks.
  CHECK(result_of(*store, id) == two_tasks);
  const std::string repository = folder.file("w/repo");
  CHECK(git_in(repository, {"show", "plumb/work:task-1.txt"}) == "a good text");
  CHECK(git_in(repository, {"status", "--porcelain"}).empty());
  CHECK(git_in(repository, {"for-each-ref", "--format=%(refname)"}) == "refs/heads/main\nrefs/heads/plumb/work");
  CHECK_FALSE(std::filesystem::exists(folder.file("w/runs.db.work/trees/" + id + "/T0")));
  const Result<store::JournalPart> part = store->journal(id, 0, 10'000, 1U << 30U);
  REQUIRE(part);
  const Result<run::Replayed> again = run::replay(work_pipelines()[0].pipeline, run::JournalFile{part.value().entries});
  REQUIRE(again);
  CHECK_MESSAGE(again.value().same, again.value().stored, " is now ", again.value().now);
  SUBCASE("forked from a finished part, nothing before is done again") {
    const Result<host::ForkStarted> fork = host.value()->fork(id, {.redo = {"task.1/develop~2"}});
    REQUIRE_MESSAGE(static_cast<bool>(fork), (fork ? "" : fork.error().message));
    (void)host.value()->wait(fork.value().id, 60'000);
    CHECK(result_of(*store, fork.value().id).find("ok ") == 0);
  }
}

TEST_CASE(
    "a stranger's journal: imported and resumed it runs no command and touches no repository, until it is adopted") {
  const TemporaryFolder folder;
  make_repository(folder.file("w"));
  const auto commands = gates_command(false);
  // A journal that stops where its first tree is wanted, pinned to the very text that is declared here.
  std::vector<run::Stored> entries;
  {
    run::Machine machine =
        run::Machine::start(work_pipelines()[0].pipeline, "r00000000000000000001", prepared_work(commands, 1).input,
                            prepared_work(commands, 1).pins, {}, 1000);
    const run::Reply sop{run::Status::ok, run::Data::written(R"({"text":"x","front_matter":{},"line":1,"bytes":1})"),
                         ""};
    machine.step(1001);
    machine.attempt(":0", 1002);
    machine.reply(":0", sop, 1003);
    machine.step(1004);
    entries = machine.take();
  }
  const auto store = opened(folder.file("runs.db"));
  store::RunRow row;
  row.id = "r00000000000000000001";
  row.pipeline = "workshop";
  row.imported = true;
  std::promise<store::Outcome> stored;
  store->create(row, std::make_shared<const std::vector<run::Stored>>(entries),
                [&](const store::Outcome& outcome) { stored.set_value(outcome); });
  REQUIRE_FALSE(stored.get_future().get());
  const std::string repository = folder.file("w/repo");
  const std::string refs = git_in(repository, {"for-each-ref"});
  host::HostSettings settings;
  settings.pipelines = work_pipelines();
  settings.take_up = false;
  {
    WorkWorld world(folder.file("w"), commands);
    const auto host = Host::open(*store, world.routes, settings);
    REQUIRE(host);
    REQUIRE(host.value()->resume(row.id));
    const Result<host::Summary> waits = host.value()->wait(row.id, 20'000);
    REQUIRE(waits);
    CHECK(waits.value().row.state == run::State::waiting);
    CHECK(waits.value().problem.find("it was imported, and nothing that others wrote") != std::string::npos);
    CHECK(waits.value().problem.find("--adopt") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.file("w/runs.db.work")));
    CHECK(git_in(repository, {"for-each-ref"}) == refs);
    // A fork of it is no way around.
    const Result<host::ForkStarted> fork = host.value()->fork(row.id, {});
    if (fork) {
      (void)host.value()->wait(fork.value().id, 20'000);
      CHECK(host.value()->summary(fork.value().id).value().row.imported);
      CHECK(git_in(repository, {"for-each-ref"}) == refs);
    }
  }
  REQUIRE(store->adopt(row.id));
  WorkWorld world(folder.file("w"), commands);
  const auto host = Host::open(*store, world.routes, settings);
  REQUIRE(host.value()->resume(row.id));
  (void)host.value()->wait(row.id, 60'000);
  CHECK(result_of(*store, row.id) == one_task);
}

TEST_SUITE_END();
