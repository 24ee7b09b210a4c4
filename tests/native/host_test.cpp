// The host with a real store on a real file; only what answers its effects is a script.
#include "native/host/host.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/run/person.hpp"
#include "native/host/file_reads.hpp"
#include "native/host/isolated_call.hpp"
#include "native/host/project_host.hpp"
#include "native/host/routes.hpp"
#include "native/host/run_id.hpp"
#include "scripted_runs.hpp"
#include "stores.hpp"

using namespace plumb;
using namespace plumb::test;
using host::Host;
using host::Watch;

namespace {

constexpr std::uint64_t long_ms = 60'000;

std::unique_ptr<store::Store> opened(const std::string& file) {
  Result<std::unique_ptr<store::Store>> store = open_test_store(file);
  REQUIRE_MESSAGE(static_cast<bool>(store), (store ? "" : store.error().message));
  return std::move(store).value();
}

std::unique_ptr<Host> hosted(store::Store& store, host::Fulfiller& fulfiller, host::HostSettings settings = {}) {
  if (settings.pipelines.empty()) {
    settings.pipelines = scripted_pipelines();
  }
  Result<std::unique_ptr<Host>> made = Host::open(store, fulfiller, std::move(settings));
  REQUIRE(static_cast<bool>(made));
  return std::move(made).value();
}

std::string started(Host& host, std::string_view pipeline, std::string input, std::string fingerprint = {}) {
  const Result<host::Started> run = host.start(pipeline, prepared(std::move(input), std::move(fingerprint)));
  REQUIRE_MESSAGE(static_cast<bool>(run), (run ? "" : run.error().message));
  return run.value().id;
}

host::Summary waited(Host& host, const std::string& id) {
  const Result<host::Summary> summary = host.wait(id, long_ms);
  REQUIRE(static_cast<bool>(summary));
  return summary.value();
}

std::string result_of(store::Store& store, const std::string& id) {
  const Result<run::Journal> journal = store::read_journal(store, id);
  REQUIRE(static_cast<bool>(journal));
  REQUIRE(journal.value().entries().back().kind == run::EntryKind::end);
  return std::string(journal.value().entries().back().data.text());
}

std::vector<std::string> kinds_of(store::Store& store, const std::string& id) {
  const Result<run::Journal> journal = store::read_journal(store, id);
  REQUIRE(static_cast<bool>(journal));
  std::vector<std::string> out;
  for (const run::Entry& entry : journal.value().entries()) {
    out.emplace_back(run::entry_kind_name(entry.kind));
  }
  return out;
}

template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 30'000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

}  // namespace

TEST_CASE("host: a run asks, is answered, ends; every entry is in the store") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  const std::string id = started(*host, "chain", R"({"count":3})");
  CHECK(id.size() == 21);
  CHECK(id[0] == 'r');
  const host::Summary summary = waited(*host, id);
  CHECK(summary.row.state == run::State::done);
  CHECK(summary.row.pipeline == "chain");
  CHECK(summary.problem.empty());
  CHECK(kinds_of(*store, id) == std::vector<std::string>{"begin", "attempt", "reply", "note", "attempt", "reply",
                                                         "note", "attempt", "reply", "note", "end"});
  CHECK(summary.row.entries == 11);
  CHECK(fulfiller.calls().size() == 3);
  CHECK(host->counts().done == 1);
  CHECK(host->counts().runs == 0);
}

TEST_CASE("host: an attempt is in the store before its call begins") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  std::atomic<int> missing{0};
  ScriptedFulfiller fulfiller([&](const host::EffectCall& call) {
    const Result<run::Journal> journal = store::read_journal(*store, call.run);
    bool there = false;
    for (const run::Entry& entry : journal.value().entries()) {
      there = there || (entry.kind == run::EntryKind::attempt && entry.key == call.key);
    }
    missing += there ? 0 : 1;
    return echo(call.request);
  });
  const auto host = hosted(*store, fulfiller);
  const std::string id = started(*host, "tree", R"({"items":5})");
  CHECK(waited(*host, id).row.state == run::State::done);
  CHECK(missing == 0);
}

TEST_CASE("host: a fulfiller sees the texts that the run is pinned to") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  std::atomic<bool> seen{false};
  std::atomic<bool> none{false};
  ScriptedFulfiller fulfiller([&](const host::EffectCall& call) {
    const run::Data* note = call.pin("note");
    seen = note != nullptr && note->value().str() == "a text that the run is pinned to";
    none = call.pin("other") == nullptr;
    return echo(call.request);
  });
  const auto host = hosted(*store, fulfiller);
  waited(*host, started(*host, "chain", R"({"count":1})"));
  CHECK(seen);
  CHECK(none);
}

TEST_CASE("host: the same fingerprint while a run goes on gives that run, afterwards a new one") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  const Result<host::Started> first = host->start("chain", prepared(R"({"count":1})", "f1"));
  const Result<host::Started> second = host->start("chain", prepared(R"({"count":1})", "f1"));
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first.value().fresh);
  CHECK_FALSE(second.value().fresh);
  CHECK(first.value().id == second.value().id);
  fulfiller.hold(false);
  waited(*host, first.value().id);
  const Result<host::Started> third = host->start("chain", prepared(R"({"count":1})", "f1"));
  REQUIRE(third);
  CHECK(third.value().fresh);
  CHECK(third.value().id != first.value().id);
}

TEST_CASE("host: eight threads that start the same at once get one run") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  std::vector<std::string> ids(8);
  std::atomic<int> fresh{0};
  std::vector<std::thread> threads;
  for (std::string& id : ids) {
    threads.emplace_back([&] {
      const Result<host::Started> run = host->start("chain", prepared(R"({"count":1})", "same"));
      if (run) {
        id = run.value().id;
        fresh += run.value().fresh ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == 1);
  CHECK(fresh == 1);
  fulfiller.hold(false);
}

TEST_CASE("host: a request key gives its run again, also when it has ended and after a restart") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  std::string id;
  {
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, fulfiller);
    const Result<host::Started> first = host->start("chain", prepared(R"({"count":1})"), {"ann", "key-1"});
    REQUIRE(first);
    id = first.value().id;
    waited(*host, id);
    const Result<host::Started> again = host->start("chain", prepared(R"({"count":1})"), {"ann", "key-1"});
    REQUIRE(again);
    CHECK(again.value().id == id);
    CHECK_FALSE(again.value().fresh);
    const Result<host::Started> other = host->start("chain", prepared(R"({"count":1})"), {"bob", "key-1"});
    REQUIRE(other);
    CHECK(other.value().id != id);
  }
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  const Result<host::Started> again = host->start("chain", prepared(R"({"count":1})"), {"ann", "key-1"});
  REQUIRE(again);
  CHECK(again.value().id == id);
}

TEST_CASE("project host: what is of others is answered in every function as what is not there") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  host::ProjectHost acme(*host, "acme");
  host::ProjectHost beta(*host, "beta");
  const auto asked = [](Host& by) {
    const Result<host::Started> run = by.start(
        "person", prepared(R"({"question":"Is it good?"})", std::string(64, 'a')), {"ann", "key", "", "gamma"});
    REQUIRE(run);
    return run.value().id;
  };
  const std::string theirs = asked(acme);
  const std::string own = asked(beta);
  const std::string nobodys = started(*host, "person", R"({"question":"?"})", std::string(64, 'a'));
  CHECK(theirs != own);
  CHECK(asked(acme) == theirs);
  CHECK(host->summary(theirs).value().row.project == "acme");
  CHECK(host->summary(own).value().row.project == "beta");
  CHECK(host->summary(nobodys).value().row.project.empty());
  const auto told = [&](const std::string& id) {
    const auto error = [](const auto& result) { return result ? std::string("told") : result.error().message + "\n"; };
    std::string out = error(beta.summary(id)) + error(beta.journal(id, 0, 10)) + error(beta.snapshot(id)) +
                      error(beta.watch(id, 0)) + error(beta.wait(id, 0)) + error(beta.cancel(id, "no")) +
                      error(beta.signal(id, "decide", run::Data::written(R"({"decision":"yes"})"))) +
                      error(beta.answer(id, ":0", run::Data::written(R"({"decision":"yes"})"))) +
                      error(beta.fork(id, {}, host::GoOn::same)) + error(beta.resume(id, host::GoOn::same, "")) +
                      error(beta.remove(id));
    for (std::size_t at = out.find(id); at != std::string::npos; at = out.find(id))
      out.replace(at, id.size(), "ID");
    return out;
  };
  const std::string missing = told("r" + std::string(20, 'z'));
  CHECK(missing.find("told") == std::string::npos);
  CHECK(told(theirs) == missing);
  CHECK(told(nobodys) == missing);
  CHECK(beta.list({}).value().runs.size() == 1);
  store::ListQuery query;
  query.project = "acme";
  CHECK(beta.list(query).value().runs.empty());
  CHECK(host->list({}).value().runs.size() == 3);
  CHECK(kinds_of(*store, theirs).size() <= 2);
  CHECK(beta.cancel(own, "enough").value());
  CHECK(waited(beta, own).row.state == run::State::cancelled);
  CHECK(beta.remove(own).value());
}

TEST_CASE("host: no more calls are under way than may be, and all runs come to their end") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller({}, 1);
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller, {.effects_max = 3});
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    ids.push_back(started(*host, "tree", R"({"items":4})"));
  }
  for (const std::string& id : ids) {
    CHECK(waited(*host, id).row.state == run::State::done);
  }
  CHECK(fulfiller.most_at_once() <= 3);
  CHECK(host->counts().under_way == 0);
  for (const auto& call : fulfiller.calls()) {
    CHECK(call.second == 1);
  }
}

TEST_CASE("host: runs beyond the bound are refused, and are taken when others have ended") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller, {.runs_max = 2});
  const std::string first = started(*host, "chain", R"({"count":1})");
  const std::string second = started(*host, "chain", R"({"count":1})");
  const Result<host::Started> third = host->start("chain", prepared(R"({"count":1})"));
  REQUIRE_FALSE(third);
  CHECK(third.error().code == ErrorCode::limit);
  CHECK(third.error().message.find("2 runs") != std::string::npos);
  fulfiller.hold(false);
  waited(*host, first);
  waited(*host, second);
  CHECK(eventually([&] { return host->counts().runs == 0; }));
  CHECK(static_cast<bool>(host->start("chain", prepared(R"({"count":1})"))));
}

TEST_CASE("host: an effect whose deadline passes is timed_out, its call is stopped and a late answer is ignored") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  const std::string id = started(*host, "deadline", R"({"deadline_ms":30})");
  CHECK(waited(*host, id).row.state == run::State::done);
  CHECK(result_of(*store, id) == R"("timed_out: no answer within 30 ms")");
  CHECK(eventually([&] { return fulfiller.stopped().size() == 1; }));
  CHECK(eventually([&] { return host->counts().under_way == 0; }));
}

TEST_CASE("host: an effect without a deadline has the host's, and a restart does not renew a deadline") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  std::string id;
  std::uint64_t now = 1'000'000;
  {
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, fulfiller, {.effect_ms_max = 20, .now_ms = [&] { return now; }});
    const std::string limited = started(*host, "chain", R"({"count":1})");
    CHECK(waited(*host, limited).row.state == run::State::done);
    CHECK(result_of(*store, limited) == R"("timed_out!")");
    id = started(*host, "deadline", R"({"deadline_ms":3600000})");
    CHECK(eventually([&] { return fulfiller.held() == 1; }));
    if (on_nats()) {
      return;  // there is no file of it that could be copied
    }
    // As it is when the process is killed now: a stop would hand the call over, with all of its time.
    for (const std::string end : {"", "-wal"}) {
      std::filesystem::copy_file(folder.file("runs.db" + end), folder.file("killed.db" + end));
    }
    host->stop(0);
  }
  now += 3'600'000;
  const auto store = opened(folder.file("killed.db"));
  const auto host = hosted(*store, fulfiller, {.now_ms = [&] { return now; }});
  CHECK(waited(*host, id).row.state == run::State::done);
  CHECK(result_of(*store, id) == R"("timed_out: no answer within 3600000 ms")");
  CHECK(fulfiller.calls().at(id + " :0") == 1);
}

TEST_CASE("host: of two effects the slower one is stopped when the first answer is there") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller({}, 0);
  fulfiller.hold(true);
  const auto store = opened(folder.file("runs.db"));
  host::Routes routes;
  struct First final : host::Fulfiller {
    ScriptedFulfiller slow;
    ScriptedFulfiller fast;
    First() { slow.hold(true); }
    void begin(host::EffectCall call, std::function<void(run::Reply)> done) override {
      const bool is_fast = call.request.text().find("fast") != std::string::npos;
      (is_fast ? fast : slow).begin(std::move(call), std::move(done));
    }
    void stop(std::string_view run, std::string_view key) override {
      slow.stop(run, key);
      fast.stop(run, key);
    }
  } both;
  routes.add(run::EffectKind::model, both);
  const auto host = hosted(*store, routes);
  const std::string id = started(*host, "race", "{}");
  CHECK(waited(*host, id).row.state == run::State::done);
  CHECK(result_of(*store, id) == "1");
  CHECK(eventually([&] { return both.slow.stopped().size() == 1; }));
}

TEST_CASE("host: cancel stops the calls under way and gives the run's last result; a second one says false") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  const std::string id = started(*host, "tree", R"({"items":3})");
  CHECK(eventually([&] { return fulfiller.held() == 3; }));
  const Result<bool> cancelled = host->cancel(id, "not needed any more");
  REQUIRE(cancelled);
  CHECK(cancelled.value());
  const host::Summary summary = waited(*host, id);
  CHECK(summary.row.state == run::State::cancelled);
  CHECK(summary.row.error == "not needed any more");
  CHECK(fulfiller.stopped().size() == 3);
  const Result<bool> again = host->cancel(id, "again");
  REQUIRE(again);
  CHECK_FALSE(again.value());
  const Result<bool> unknown = host->cancel("rnone", "why");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::not_found);
}

TEST_CASE("host: a person is answered by key, is asked again by no restart, and a wrong answer is refused") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  std::string id;
  for (int restart = 0; restart < 4; ++restart) {
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, fulfiller);
    if (id.empty()) {
      id = started(*host, "person", R"({"question":"Is it good?"})");
    }
    CHECK(eventually([&] { return host->summary(id).value().under_way == 1; }));
    CHECK(kinds_of(*store, id) == std::vector<std::string>{"begin", "attempt"});
  }
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  CHECK(eventually([&] { return host->summary(id).value().under_way == 1; }));
  CHECK_FALSE(static_cast<bool>(host->answer(id, ":0", run::Data::written(R"({"yes":true})"))));
  const Result<bool> wrong = host->answer(id, ":7", run::Data::written(R"({"decision":"yes"})"));
  REQUIRE(wrong);
  CHECK_FALSE(wrong.value());
  const Result<bool> right = host->answer(id, ":0", run::Data::written(R"({"decision":"yes"})"));
  REQUIRE(right);
  CHECK(right.value());
  CHECK(waited(*host, id).row.state == run::State::done);
  CHECK(result_of(*store, id) == R"({"decision":"yes"})");
  CHECK(fulfiller.calls().empty());
}

TEST_CASE("host: a signal of the name that a person's effect waits for answers it, others do not") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  const std::string id = started(*host, "person", R"({"question":"Go on?","signal":"gate"})");
  CHECK(eventually([&] { return host->summary(id).value().under_way == 1; }));
  CHECK(host->signal(id, "decide", run::Data::written(R"({"decision":"no"})")).value());
  CHECK(host->signal(id, "gate", run::Data::written(R"({"other":"no"})")).value());
  CHECK(host->signal(id, "gate", run::Data::written(R"({"decision":"go"})")).value());
  CHECK(waited(*host, id).row.state == run::State::done);
  CHECK(result_of(*store, id) == R"({"decision":"go"})");
  CHECK(kinds_of(*store, id) ==
        std::vector<std::string>{"begin", "attempt", "signal", "signal", "signal", "reply", "end"});
}

TEST_CASE("host: an answer to a question that was answered is refused, the same one again is not") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  const std::string id = started(*host, "people", R"({"questions":["first","second"]})");
  CHECK(eventually([&] { return host->summary(id).value().under_way == 1; }));
  CHECK(host->signal(id, "first", run::Data::written(R"({"decision":"go"})")).value());
  CHECK(eventually([&] { return kinds_of(*store, id).size() == 5; }));
  CHECK_FALSE(host->signal(id, "first", run::Data::written(R"({"decision":"stop"})")).value());
  CHECK(host->signal(id, "first", run::Data::written(R"({"decision":"go"})")).value());
  const auto journal = host->snapshot(id);
  REQUIRE(journal);
  REQUIRE(run::answered_by(*journal.value(), "first") != nullptr);
  CHECK(run::answered_by(*journal.value(), "first")->data.text() == R"({"decision":"go"})");
  CHECK(run::answered_by(*journal.value(), "second") == nullptr);
  CHECK(host->signal(id, "second", run::Data::written(R"({"decision":"on"})")).value());
  CHECK(waited(*host, id).row.state == run::State::done);
  CHECK(result_of(*store, id) == R"([{"decision":"go"},{"decision":"on"}])");
}

TEST_CASE("host: an answer that comes while a run is taken up again is not lost") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  for (int i = 0; i < 40; ++i) {
    std::string id;
    {
      const auto store = opened(folder.file("runs.db"));
      const auto host = hosted(*store, fulfiller);
      id = started(*host, "person", R"({"question":"Go on?","signal":"gate"})");
      CHECK(eventually([&] { return host->summary(id).value().under_way == 1; }));
    }
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, fulfiller, {.take_up = false});
    REQUIRE(host->resume(id));
    // At once: the run may not know yet what it had asked.
    const run::Data value = run::Data::written(R"({"decision":"go"})");
    const Result<bool> taken = i % 2 == 0 ? host->answer(id, ":0", value) : host->signal(id, "gate", value);
    REQUIRE(taken);
    CHECK(taken.value());
    CHECK(waited(*host, id).row.state == run::State::done);
  }
}

TEST_CASE("host: a name is claimed by one run, until that run has ended") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  auto claimed = [&](const std::string& id) {
    std::string out;
    CHECK(eventually([&] {
      const auto journal = host->snapshot(id);
      for (const run::Entry& entry : journal.value()->entries()) {
        if (entry.kind == run::EntryKind::note && entry.name == "claimed") {
          out = entry.data.text();
          return true;
        }
      }
      return false;
    }));
    return out;
  };
  const std::string first = started(*host, "tree", R"({"items":1})");
  CHECK(claimed(first) == "{\"granted\":true,\"holder\":\"" + first + "\"}");
  const std::string second = started(*host, "tree", R"({"items":1})");
  CHECK(claimed(second) == "{\"granted\":false,\"holder\":\"" + first + "\"}");
  fulfiller.hold(false);
  waited(*host, first);
  waited(*host, second);
  const std::string third = started(*host, "tree", R"({"items":1})");
  CHECK(claimed(third) == "{\"granted\":true,\"holder\":\"" + third + "\"}");
  waited(*host, third);
}

TEST_CASE("host: what a stop leaves is taken up by the next host; calls under way are handed over and made again") {
  const TemporaryFolder folder;
  std::string id;
  std::string expected;
  {
    ScriptedFulfiller fulfiller;
    const auto store = opened(folder.file("other.db"));
    const auto host = hosted(*store, fulfiller);
    const std::string whole = started(*host, "tree", R"({"items":3})");
    waited(*host, whole);
    expected = result_of(*store, whole);
  }
  ScriptedFulfiller before;
  {
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, before);
    before.hold(true);
    id = started(*host, "tree", R"({"items":3})");
    CHECK(eventually([&] { return before.held() == 3; }));
    host->stop(20);
    CHECK(before.held() == 0);
    const Result<bool> late = host->cancel(id, "late");
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::unavailable);
    CHECK(host->summary(id).value().row.state == run::State::waiting);
  }
  ScriptedFulfiller after;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, after);
  CHECK(waited(*host, id).row.state == run::State::done);
  CHECK(result_of(*store, id) == expected);
  CHECK(host->counts().calls_again == 0);
  for (const auto& call : after.calls()) {
    CHECK_MESSAGE(call.second == 1, call.first);
  }
}

TEST_CASE("host: a call that is handed over again and again is no lost call, and has all of its time each time") {
  const TemporaryFolder folder;
  std::string id;
  std::uint64_t now = 1'000'000;
  for (int stop = 0; stop < 4; ++stop) {
    ScriptedFulfiller fulfiller;
    fulfiller.hold(true);
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, fulfiller, {.now_ms = [&] { return now; }});
    if (stop == 0) {
      id = started(*host, "deadline", R"({"deadline_ms":3600000})");
    }
    CHECK(eventually([&] { return fulfiller.held() == 1; }));
    CHECK(host->counts().calls_again == 0);
    now += 3'500'000;
    host->stop(0);
    CHECK(host->counts().handed_over == 1);
  }
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller, {.now_ms = [&] { return now; }});
  CHECK(waited(*host, id).row.state == run::State::done);
  CHECK(result_of(*store, id).rfind("\"ok", 0) == 0);
  const std::vector<std::string> kinds = kinds_of(*store, id);
  CHECK(std::count(kinds.begin(), kinds.end(), "handover") == 4);
  CHECK(std::count(kinds.begin(), kinds.end(), "attempt") == 5);
}

TEST_CASE("host: a run that would ask somebody else is held: nothing is asked, it says why, a choice lets it go on") {
  const TemporaryFolder folder;
  const host::Asked here{"generate", "openai", "m", "openai", "http://127.0.0.1:1", false, ""};
  host::Asked other = here;
  other.at = "https://elsewhere.example";
  std::string id;
  {
    ScriptedFulfiller fulfiller;
    fulfiller.hold(true);
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, fulfiller, {.asked_of = {here}});
    id = started(*host, "chain", R"({"count":1})");
    CHECK(eventually([&] { return fulfiller.held() == 1; }));
    host->stop(0);
  }
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller, {.asked_of = {other}});
  const host::Summary held = waited(*host, id);
  CHECK(held.row.state == run::State::waiting);
  CHECK(held.held);
  CHECK(held.problem.find("generate was given openai/m at http://127.0.0.1:1, and here it would use openai/m at "
                          "https://elsewhere.example") != std::string::npos);
  CHECK(host->list({}).value().runs.front().error == held.problem);
  CHECK(eventually([&] { return store->find(id).value().error == held.problem; }));
  CHECK(host->counts().held == 1);
  CHECK(fulfiller.calls().empty());
  CHECK(host->signal(id, "asked_of", run::Data::written("{}")).error().code == ErrorCode::invalid_argument);
  REQUIRE(host->resume(id, host::GoOn::chosen, "nobody"));
  CHECK(waited(*host, id).held);
  REQUIRE(host->resume(id, host::GoOn::here, "somebody"));
  CHECK(eventually([&] { return host->summary(id).value().row.state == run::State::done; }));
  CHECK(store->find(id).value().error.empty());
  CHECK(fulfiller.calls().size() == 1);
}

TEST_CASE("host: extract does not go on with what a model began, whoever chooses it") {
  const TemporaryFolder folder;
  std::string id;
  {
    ScriptedFulfiller fulfiller;
    fulfiller.hold(true);
    const auto store = opened(folder.file("runs.db"));
    const auto host =
        hosted(*store, fulfiller, {.asked_of = {{"generate", "openai", "m", "openai", "http://x", false, ""}}});
    id = started(*host, "chain", R"({"count":1})");
    CHECK(eventually([&] { return fulfiller.held() == 1; }));
    host->stop(0);
  }
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller, {.asked_of = {{"generate", "extract", "", "", "", true, "--provider"}}});
  for (const host::GoOn with : {host::GoOn::chosen, host::GoOn::here}) {
    REQUIRE(host->resume(id, with, "somebody"));
    const host::Summary held = waited(*host, id);
    CHECK(held.problem.find("`extract` cannot continue what a model began") != std::string::npos);
  }
  CHECK(fulfiller.calls().empty());
}

TEST_CASE("host: a model call that nobody answers in its time counts as its request is estimated, and is marked so") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller, {.effect_ms_max = 20});
  const std::string id = started(*host, "chain", R"({"count":1})");
  CHECK(waited(*host, id).row.state == run::State::done);
  const Result<run::Journal> journal = store::read_journal(*store, id);
  REQUIRE(journal);
  const auto reply = std::find_if(journal.value().entries().begin(), journal.value().entries().end(),
                                  [](const run::Entry& entry) { return entry.kind == run::EntryKind::reply; });
  REQUIRE(reply != journal.value().entries().end());
  CHECK(reply->status == run::Status::timed_out);
  const json::Value* usage = reply->data.value().find("usage");
  REQUIRE(usage != nullptr);
  CHECK(usage->find("input_tokens")->str() != "0");
  CHECK(usage->find("output_tokens")->str() == "0");
  CHECK(usage->find("estimated")->boolean);
}

TEST_CASE("host: a stop with a grace time keeps the answers that come within it") {
  const TemporaryFolder folder;
  std::string id;
  ScriptedFulfiller fulfiller({}, 30);
  {
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, fulfiller);
    id = started(*host, "chain", R"({"count":2})");
    CHECK(eventually([&] { return fulfiller.calls().size() == 1; }));
    host->stop(long_ms);
  }
  const auto store = opened(folder.file("runs.db"));
  CHECK(kinds_of(*store, id).size() >= 3);
  const auto host = hosted(*store, fulfiller);
  CHECK(waited(*host, id).row.state == run::State::done);
  for (const auto& call : fulfiller.calls()) {
    CHECK_MESSAGE(call.second == 1, call.first);
  }
}

TEST_CASE("host: a broken assumption in a pipeline ends that run, and the others go on") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  host::install_requirement_handler();
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller, {.workers = 1});
  const std::string bad = started(*host, "broken", R"({"after":2})");
  const host::Summary summary = waited(*host, bad);
  CHECK(summary.row.state == run::State::failed);
  CHECK(summary.row.error.find("this never holds") != std::string::npos);
  CHECK(kinds_of(*store, bad).back() == "end");
  const std::string good = started(*host, "chain", R"({"count":2})");
  CHECK(waited(*host, good).row.state == run::State::done);
  const auto journal = host->snapshot(bad);
  REQUIRE(journal);
  CHECK(journal.value()->entries().back().status == run::Status::failed);
}

TEST_CASE("host: a run of another pipeline or a later version stays as it is, says why, and can be cancelled") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  fulfiller.hold(true);
  std::string tree;
  std::string chain;
  {
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, fulfiller);
    tree = started(*host, "tree", R"({"items":1})");
    host->stop(0);
  }
  {
    const auto store = opened(folder.file("runs.db"));
    host::HostSettings settings;
    settings.pipelines = later_pipelines();
    const auto host = hosted(*store, fulfiller, settings);
    CHECK(eventually([&] { return !host->summary(tree).value().problem.empty(); }));
    CHECK(host->summary(tree).value().problem == "this program has no pipeline 'tree'");
    chain = started(*host, "chain", R"({"count":1})");
    host->stop(0);
  }
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  CHECK(eventually([&] { return !host->summary(chain).value().problem.empty(); }));
  CHECK(host->summary(chain).value().problem.find("version 2") != std::string::npos);
  CHECK(host->summary(chain).value().row.state == run::State::waiting);
  CHECK(host->cancel(chain, "given up").value());
  const host::Summary summary = waited(*host, chain);
  CHECK(summary.row.state == run::State::cancelled);
  CHECK(summary.row.error == "given up");
  CHECK(kinds_of(*store, chain).back() == "end");
}

TEST_CASE("host: a watch gives every entry once and in order, what is told in between, and the end") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  ScriptedFulfiller fulfiller([](const host::EffectCall& call) {
    call.told("text", R"({"delta":"a"})");
    return echo(call.request);
  });
  fulfiller.hold(true);
  const auto host = hosted(*store, fulfiller);
  const std::string id = started(*host, "chain", R"({"count":2})");
  Result<std::unique_ptr<Watch>> watch = host->watch(id, 0);
  REQUIRE(watch);
  fulfiller.hold(false);
  std::vector<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const Watch::Event event = watch.value()->next(long_ms);
    if (event.what == Watch::What::entry) {
      seen.push_back(std::to_string(event.entry.number));
    } else if (event.what == Watch::What::told) {
      CHECK(event.name == "text");
      CHECK(event.json == R"({"delta":"a"})");
      seen.push_back("told " + event.key);
    } else {
      CHECK(event.what == Watch::What::ended);
      break;
    }
  }
  CHECK(seen == std::vector<std::string>{"0", "1", "told :0", "2", "3", "4", "told :1", "5", "6", "7"});
  Result<std::unique_ptr<Watch>> later = host->watch(id, 6);
  REQUIRE(later);
  CHECK(later.value()->next(0).entry.number == 6);
  CHECK(later.value()->next(0).entry.number == 7);
  CHECK(later.value()->next(0).what == Watch::What::ended);
  CHECK_FALSE(static_cast<bool>(host->watch(id, 9)));
  CHECK_FALSE(static_cast<bool>(host->watch("rnone", 0)));
}

TEST_CASE("host: a watcher that is too slow is dropped and told so; one that is stopped with the host too") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  ScriptedFulfiller fulfiller([](const host::EffectCall& call) {
    for (int i = 0; i < 50; ++i) {
      call.told("text", "{}");
    }
    return echo(call.request);
  });
  fulfiller.hold(true);
  auto host = hosted(*store, fulfiller, {.watches_max = 2, .told_max = 10});
  const std::string id = started(*host, "chain", R"({"count":1})");
  const std::string other = started(*host, "person", R"({"question":"?"})");
  Result<std::unique_ptr<Watch>> slow = host->watch(id, 0);
  Result<std::unique_ptr<Watch>> open = host->watch(other, 0);
  REQUIRE(slow);
  REQUIRE(open);
  const Result<std::unique_ptr<Watch>> third = host->watch(other, 0);
  REQUIRE_FALSE(third);
  CHECK(third.error().code == ErrorCode::limit);
  fulfiller.hold(false);
  waited(*host, id);
  const Watch::Event event = slow.value()->next(long_ms);
  CHECK(event.what == Watch::What::dropped);
  CHECK(event.name.find("too slow") != std::string::npos);
  CHECK(open.value()->next(long_ms).what == Watch::What::entry);
  CHECK(open.value()->next(long_ms).what == Watch::What::entry);
  CHECK(open.value()->next(0).what == Watch::What::nothing);
  host.reset();
  CHECK(open.value()->next(long_ms).what == Watch::What::stopped);
}

TEST_CASE("host: a bound of the run ends it as failed, with a sentence that names it") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  host::HostSettings settings;
  settings.machine.bounds.entries_max = 20;
  const auto host = hosted(*store, fulfiller, settings);
  const host::Summary summary = waited(*host, started(*host, "endless", "{}"));
  CHECK(summary.row.state == run::State::failed);
  CHECK(summary.row.error.find("entries; there may be 20") != std::string::npos);
}

TEST_CASE("host: a pipeline that is not there is refused with those that are") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  const Result<host::Started> run = host->start("quizz", prepared("{}"));
  REQUIRE_FALSE(run);
  CHECK(run.error().code == ErrorCode::not_found);
  CHECK(run.error().message.find("chain, tree, person") != std::string::npos);
}

TEST_CASE("host: lists runs by page, newest first, by pipeline, owner and state") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller);
  std::vector<std::string> ids;
  for (int i = 0; i < 7; ++i) {
    const Result<host::Started> run =
        host->start("chain", prepared(R"({"count":1})"), {i % 2 == 0 ? "ann" : "bob", ""});
    REQUIRE(run);
    ids.push_back(run.value().id);
    waited(*host, ids.back());
  }
  const std::string open = started(*host, "person", R"({"question":"?"})");
  std::vector<std::string> seen;
  store::ListQuery query;
  query.limit = 3;
  for (int pages = 0; pages < 10; ++pages) {
    const Result<store::Page> page = host->list(query);
    REQUIRE(page);
    for (const store::RunRow& row : page.value().runs) {
      seen.push_back(row.id);
    }
    query.before = page.value().next;
    if (query.before == 0) {
      break;
    }
  }
  std::vector<std::string> expected(ids.rbegin(), ids.rend());
  expected.insert(expected.begin(), open);
  CHECK(seen == expected);
  CHECK(host->list({.pipeline = "person"}).value().runs.size() == 1);
  CHECK(host->list({.owner = "ann"}).value().runs.size() == 4);
  CHECK(host->list({.state = run::State::waiting}).value().runs.size() == 1);
  CHECK_FALSE(static_cast<bool>(host->list({.limit = 0})));
}

TEST_CASE("host: ended runs older than the time they are kept are removed with their texts when a host opens") {
  const TemporaryFolder folder;
  ScriptedFulfiller fulfiller;
  std::uint64_t now = 1'000'000;
  std::string old;
  std::string open;
  {
    const auto store = opened(folder.file("runs.db"));
    const auto host = hosted(*store, fulfiller, {.now_ms = [&] { return now; }});
    old = started(*host, "chain", R"({"count":1,"bytes":30000})");
    waited(*host, old);
    open = started(*host, "person", R"({"question":"?"})");
  }
  now += 31ULL * 24 * 3600 * 1000;
  const auto store = opened(folder.file("runs.db"));
  const auto host = hosted(*store, fulfiller, {.now_ms = [&] { return now; }});
  CHECK(eventually([&] { return !host->summary(old); }));
  CHECK(static_cast<bool>(host->summary(open)));
}

TEST_CASE("routes: a kind that nobody does is a failed reply that says what the host cannot do") {
  host::Routes routes;
  host::EffectCall call;
  call.kind = run::EffectKind::search;
  std::promise<run::Reply> answered;
  routes.begin(std::move(call), [&](run::Reply reply) { answered.set_value(std::move(reply)); });
  const run::Reply reply = answered.get_future().get();
  CHECK(reply.status == run::Status::failed);
  CHECK(reply.error == "this host cannot search a corpus or the web (effect 'search')");
}

TEST_CASE("reads: files and trees under a declared root, and no way out of it") {
  const TemporaryFolder folder;
  namespace fs = std::filesystem;
  fs::create_directories(folder.file("root/sub"));
  auto write = [&](const std::string& name, const std::string& text) { std::ofstream(folder.file(name)) << text; };
  write("root/a.md", "Light \"and\" water\n");
  write("root/sub/b.md", "x");
  write("secret", "secret");
  write("root/broken.md", "\xff\xfe");
  write("root/large.md", std::string(5000, 'x'));
  fs::create_symlink(folder.file("secret"), folder.file("root/link"));
  fs::create_symlink("..", folder.file("root/up"));
  fs::create_symlink("a.md", folder.file("root/inside"));
  REQUIRE(::mkfifo(folder.file("root/pipe").c_str(), 0600) == 0);
  host::FileReads files({{"docs", folder.file("root")}, {"gone", folder.file("none")}}, {.bytes_max = 4096});
  auto read = [&](std::string request) {
    std::promise<run::Reply> answered;
    host::EffectCall call;
    call.kind = run::EffectKind::read;
    call.request = run::Data::written(std::move(request));
    files.begin(std::move(call), [&](run::Reply reply) { answered.set_value(std::move(reply)); });
    const run::Reply reply = answered.get_future().get();
    return reply.ok() ? std::string(reply.value.text())
                      : std::string(run::status_name(reply.status)) + ": " + reply.error;
  };
  CHECK(read(R"({"root":"docs","path":"a.md"})") == R"({"text":"Light \"and\" water\n","bytes":18})");
  CHECK(read(R"({"root":"docs","path":"./sub//b.md"})") == R"({"text":"x","bytes":1})");
  CHECK(read(R"({"root":"docs","path":"sub","tree":true})") ==
        R"({"entries":[{"path":"b.md","kind":"file","bytes":1}]})");
  // What a text says of itself.
  const auto front = [&](const std::string& text) {
    write("root/front.md", text);
    return read(R"({"root":"docs","path":"front.md","front_matter":true})");
  };
  CHECK(front("---\nseverity: error\napplies_to: [\"*.cpp\", a]\nn: 3\n---\n# Body\n") ==
        R"({"text":"# Body\n","bytes":61,"front_matter":{"severity":"error","applies_to":["*.cpp","a"],"n":3},)"
        R"("line":6,"lines":{"severity":2,"applies_to":3,"n":4}})");
  CHECK(front("# Body\n---\na: 1\n---\n") == R"({"text":"# Body\n---\na: 1\n---\n","bytes":20})");
  CHECK(front("---\n---\n") == R"({"text":"","bytes":8,"front_matter":{},"line":3})");
  CHECK(front("--- \r\na: b\r\n---\r\nx") ==
        R"({"text":"x","bytes":18,"front_matter":{"a":"b"},"line":4,"lines":{"a":2}})");
  CHECK(front("---\na: 1\n") == "failed: 'front.md':1 begins with front matter ('---') that no second '---' ends");
  CHECK(front("---\nok: 1\nbroken: [\n---\n").rfind("failed: 'front.md':", 0) == 0);
  CHECK(front("---\na: 1\na: 2\n---\n") == "failed: 'front.md':3 the key 'a' is there twice");
  CHECK(front("---\n- a\n---\n") == "failed: 'front.md':2 front matter is a map, not a list");
  // Ten times ten times ten, out of a few bytes; and a value that is in itself.
  CHECK(front("---\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c "
              "[*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
              "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n---\n") ==
        "failed: 'front.md' has front matter of more than 10000 values or 64 levels");
  CHECK(front("---\na: &a [*a]\n---\n").rfind("failed: 'front.md'", 0) == 0);
  fs::remove(folder.file("root/front.md"));
  const std::string all = read(R"({"root":"docs","path":"","tree":true})");
  CHECK(all.find("sub/b.md") != std::string::npos);
  CHECK(all.find("link") == std::string::npos);
  CHECK(all.find("pipe") == std::string::npos);
  for (const char* inner : {".git/objects", "build/deep", "sub/node_modules/x", "sub/build", "other/sub"}) {
    fs::create_directories(folder.file(std::string("root/") + inner));
    write(std::string("root/") + inner + "/f", "y");
  }
  const std::string chosen = read(
      R"({"root":"docs","path":"","tree":true,"leave_out":[".","node_modules","build"],"within":["sub/","./other"]})");
  CHECK(chosen == R"({"entries":[{"path":"other","kind":"folder"},{"path":"other/sub","kind":"folder"},)"
                  R"({"path":"other/sub/f","kind":"file","bytes":1},{"path":"sub","kind":"folder"},)"
                  R"({"path":"sub/b.md","kind":"file","bytes":1}]})");
  // What is left out does not use up what may be listed.
  host::FileReads few({{"docs", folder.file("root")}}, {.entries_max = 5});
  const auto few_of = [&](std::string request) {
    std::promise<run::Reply> answered;
    host::EffectCall call;
    call.kind = run::EffectKind::read;
    call.request = run::Data::written(std::move(request));
    few.begin(std::move(call), [&](run::Reply reply) { answered.set_value(std::move(reply)); });
    return std::string(answered.get_future().get().value.text());
  };
  CHECK(few_of(R"({"root":"docs","path":"","tree":true})").find("\"cut\":true") != std::string::npos);
  CHECK(few_of(R"({"root":"docs","path":"","tree":true,"leave_out":["."],"within":["other"]})") ==
        R"({"entries":[{"path":"other","kind":"folder"},{"path":"other/sub","kind":"folder"},)"
        R"({"path":"other/sub/f","kind":"file","bytes":1}]})");
  for (const std::string path : {"../secret", "sub/../../secret", "/etc/passwd", "link", "up/secret", "inside", "pipe",
                                 "sub", "none", "broken.md", "large.md", "a.md/b"}) {
    const std::string said = read("{\"root\":\"docs\",\"path\":\"" + path + "\"}");
    CHECK_MESSAGE(said.rfind("failed: ", 0) == 0, path << " gave " << said);
    CHECK_MESSAGE(said.find("secret\"") == std::string::npos, path);
  }
  CHECK(read(R"({"root":"other","path":"a"})") == "failed: no root 'other' is declared; there are: docs, gone");
  CHECK(read(R"({"root":"gone","path":"a"})").rfind("failed: the root 'gone' cannot be read", 0) == 0);
}

TEST_CASE("run ids: an r and 20 characters of base32, all different") {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = host::new_run_id();
    CHECK(id.size() == 21);
    CHECK(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567") == std::string::npos);
    ids.insert(id);
  }
  CHECK(ids.size() == 1000);
}
