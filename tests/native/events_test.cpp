// What is told and heard on NATS: the teller over a store, with a bus of its own that is away, loses and knows again;
// and over a real nats-server. (tests/native/events_test.py does it from the outside.)
#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "certificates.hpp"
#include "core/pipelines/workflow/telling.hpp"
#include "core/run/journal_file.hpp"
#include "native/config/config_file.hpp"
#include "native/events/loops.hpp"
#include "native/events/teller.hpp"
#include "native/events/triggers.hpp"
#include "native/store/nats/jetstream.hpp"
#include "native/store/schema.hpp"
#include "native/store/sqlite_store.hpp"
#include "nats_needed.hpp"
#include "scripted_runs.hpp"
#include "source_dir.hpp"
#include "stores.hpp"

using namespace plumb;
using namespace plumb::test;
using store::BusAnswer;
using store::BusMessage;
using store::LogAnswer;

namespace {

template <class Condition>
bool eventually(Condition condition, int ms = 10'000) {
  for (int i = 0; i < ms / 5; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

// Servers in memory, that know ids again.
class MemoryBus final : public store::MessageBus {
 public:
  BusAnswer put(const BusMessage& message) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++asked;
    if (away || (away_after >= 0 && static_cast<int>(stored_.size()) >= away_after)) {
      return {LogAnswer::What::away, false, "it is away"};
    }
    if (message.subject == refuses) {
      return {LogAnswer::What::never, false, "too long"};
    }
    const bool known = !ids_.insert(message.id).second;
    if (!known) {
      stored_.push_back(message);
    }
    return {LogAnswer::What::stored, known, ""};
  }
  void say(const std::string& subject, const std::string& body) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    said_.push_back({subject, "", "", body});
  }
  bool is_stored(const std::string& subject) override { return subject.find("kept") != std::string::npos; }
  std::string problem() override { return away ? "away" : ""; }

  std::vector<BusMessage> stored() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stored_;
  }
  std::vector<BusMessage> said() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return said_;
  }
  std::vector<std::string> ids(const std::string& run = "") {
    std::vector<std::string> out;
    for (const BusMessage& one : stored()) {
      if (one.id.rfind(run, 0) == 0) {
        out.push_back(one.id);
      }
    }
    return out;
  }

  std::atomic<bool> away{false};
  std::atomic<int> away_after{-1};
  std::atomic<int> asked{0};
  std::string refuses;

 private:
  std::mutex mutex_;
  std::vector<BusMessage> stored_, said_;
  std::set<std::string> ids_;
};

// Entries of a workflow's run: it begins, its task is ready, then developing, over and over; with an end where asked.
store::Batch entries(const std::string& run, std::uint64_t from, std::uint64_t count, bool end = false) {
  auto out = std::make_shared<std::vector<run::Stored>>();
  run::Journal journal;
  for (std::uint64_t n = 0; n < from + count; ++n) {
    run::Entry entry;
    entry.at_ms = 1'000 + n;
    if (n == 0) {
      entry.kind = run::EntryKind::begin;
      entry.name = "workflow";
      entry.data = run::Data::written(R"({"run":")" + run + R"(","version":1,"input":{},"pins":[]})");
    } else if (end && n + 1 == from + count) {
      entry.kind = run::EntryKind::end;
      entry.data = run::Data::written(R"({"decision":"accept","tasks":[]})");
    } else {
      entry.kind = run::EntryKind::note;
      entry.name = "task_state";
      entry.key = ":" + std::to_string(n);
      entry.data = run::Data::written(R"({"task":"T1","from":"ready","to":"developing","why":")" +
                                      std::string(n == 3 ? 20'000 : 3, 'w') + R"("})");
    }
    journal.append(std::move(entry));
  }
  for (run::Stored& one : journal.take()) {
    if (one.number >= from) {
      out->push_back(std::move(one));
    }
  }
  return out;
}

void create(store::Store& store, const std::string& id, std::uint64_t count, bool end = false) {
  store::RunRow row;
  row.id = id;
  row.pipeline = "workflow";
  row.created_ms = row.changed_ms = 1'000;
  row.state = end ? run::State::done : run::State::waiting;
  std::promise<store::Outcome> done;
  store.create(std::move(row), entries(id, 0, count, end), [&](const store::Outcome& how) { done.set_value(how); });
  REQUIRE_FALSE(done.get_future().get());
}

void append(store::Store& store, const std::string& id, std::uint64_t from, std::uint64_t count, bool end = false) {
  std::promise<store::Outcome> done;
  store.append(id, from, entries(id, from, count, end), {2'000, end ? run::State::done : run::State::waiting},
               [&](const store::Outcome& how) { done.set_value(how); });
  REQUIRE_FALSE(done.get_future().get());
}

std::unique_ptr<store::Store> opened(const std::string& file) {
  Result<std::unique_ptr<store::Store>> made = store::open_sqlite({.file = file});
  REQUIRE_MESSAGE(static_cast<bool>(made), (made ? std::string() : made.error().message));
  return std::move(made).value();
}

events::TellerSettings quick() {
  events::TellerSettings out;
  out.by = "plumb";
  out.sweep_ms = 50;
  out.again_ms = 10;
  return out;
}

std::unique_ptr<events::Teller> teller(store::Store& store, store::MessageBus& bus) {
  return events::Teller::open(store, *store.told_marks(), bus, quick()).value();
}

// The numbers of entries in ids "r1.4", "r1.4.2".
std::vector<std::uint64_t> numbers(const std::vector<std::string>& ids) {
  std::vector<std::uint64_t> out;
  for (const std::string& id : ids) {
    out.push_back(std::stoull(id.substr(id.find('.') + 1)));
  }
  return out;
}

}  // namespace

TEST_CASE("events: what is stored is told in its order, once, and the mark says so") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  MemoryBus bus;
  const auto tells = teller(*store, bus);
  create(*store, "r1", 3);
  tells->stored("r1");
  CHECK(eventually([&] { return bus.ids().size() == 4; }));  // the first task_state tells of the plan too
  append(*store, "r1", 3, 5);
  tells->stored("r1");
  append(*store, "r1", 8, 1, true);
  tells->stored("r1");
  CHECK(eventually([&] { return bus.ids().size() == 10; }));
  CHECK(bus.ids() ==
        std::vector<std::string>{"r1.0", "r1.1", "r1.1.2", "r1.2", "r1.3", "r1.4", "r1.5", "r1.6", "r1.7", "r1.8"});
  CHECK(bus.stored().front().subject == "workflow.events.run.begun");
  CHECK(bus.stored().front().by == "plumb");
  CHECK(bus.stored().back().subject == "workflow.events.plan.execution_complete");
  CHECK(eventually([&] { return store->told_marks()->told("r1").value() == 9U; }));
  CHECK(tells->counts().told == 10);
  CHECK(tells->counts().known == 0);
}

TEST_CASE("events: while the servers are away nothing is lost, nothing waits for them, and the order holds") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  MemoryBus bus;
  bus.away = true;
  const auto tells = teller(*store, bus);
  for (const char* id : {"r1", "r2", "r3"}) {
    create(*store, id, 5);
    tells->stored(id);
  }
  CHECK(eventually([&] { return bus.asked > 3; }));
  CHECK(tells->counts().told == 0);
  CHECK(tells->counts().runs_due >= 2);
  append(*store, "r1", 5, 100);
  tells->stored("r1");
  bus.away_after = 20;  // and away again in the midst of a run
  bus.away = false;
  CHECK(eventually([&] { return bus.ids().size() == 20; }));
  bus.away_after = -1;
  CHECK(eventually(
      [&] { return bus.ids("r1.").size() == 106 && bus.ids("r2.").size() == 6 && bus.ids("r3.").size() == 6; }));
  for (const char* id : {"r1.", "r2.", "r3."}) {
    const std::vector<std::uint64_t> told = numbers(bus.ids(id));
    CHECK(std::is_sorted(told.begin(), told.end()));
  }
  CHECK(eventually([&] { return tells->counts().runs_due == 0; }));
}

TEST_CASE("events: a teller that begins anew goes on behind the mark, and what it tells twice has the same id") {
  const TemporaryFolder folder;
  MemoryBus bus;
  {
    const auto store = opened(folder.file("runs.db"));
    const auto tells = teller(*store, bus);
    create(*store, "r1", 3);
    tells->stored("r1");
    CHECK(eventually([&] { return store->told_marks()->told("r1").value() == 3U; }));
    tells->stop(0);
    append(*store, "r1", 3, 4);  // stored, and told by nobody
  }
  const auto store = opened(folder.file("runs.db"));
  const int asked = bus.asked;
  {
    const auto tells = teller(*store, bus);
    CHECK(eventually([&] { return bus.ids().size() == 8; }));
    CHECK(eventually([&] { return store->told_marks()->told("r1").value() == 7U; }));
    CHECK(bus.asked == asked + 4);
    CHECK(tells->counts().known == 0);
  }
  // As if it had been killed before the mark was set.
  {
    SQLite::Database database(folder.file("runs.db"), SQLite::OPEN_READWRITE);
    database.exec("UPDATE told SET entries = 2");
  }
  const auto tells = teller(*store, bus);
  CHECK(eventually([&] { return tells->counts().known == 5; }));
  CHECK(bus.ids().size() == 8);
  CHECK(bus.ids().back() == "r1.6");
}

TEST_CASE("events: runs that had ended when telling was begun are passed over, those that waited are told whole") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  create(*store, "old", 4, true);
  create(*store, "waits", 3);
  MemoryBus bus;
  {
    const auto tells = teller(*store, bus);
    CHECK(eventually([&] { return bus.ids("waits.").size() == 4; }));
  }
  append(*store, "waits", 3, 1, true);  // while nobody tells
  create(*store, "new", 3, true);
  const auto tells = teller(*store, bus);
  CHECK(eventually([&] { return bus.ids("waits.").size() == 5 && bus.ids("new.").size() == 4; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // some sweeps
  CHECK(bus.ids("old.").empty());
}

TEST_CASE("events: one that can never be stored is passed over, counted and said") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  MemoryBus bus;
  bus.refuses = "workflow.events.plan.approved";
  std::mutex mutex;
  std::string said;
  events::TellerSettings settings = quick();
  settings.told = [&](store::StoreTold, const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex);
    said += text;
  };
  const auto tells = events::Teller::open(*store, *store->told_marks(), bus, settings).value();
  create(*store, "r1", 3);
  tells->stored("r1");
  CHECK(eventually([&] { return bus.ids().size() == 3; }));
  CHECK(tells->counts().refused == 1);
  const std::lock_guard<std::mutex> lock(mutex);
  CHECK(said.find("event r1.1 (workflow.events.plan.approved) cannot be told: too long") != std::string::npos);
}

TEST_CASE("events: a run that is removed, and one that is no workflow's, are told no further") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  MemoryBus bus;
  bus.away = true;
  const auto tells = teller(*store, bus);
  create(*store, "r1", 3, true);
  tells->stored("r1");
  CHECK(store->remove("r1"));
  tells->stored("r1");
  tells->stored("never-was");
  bus.away = false;
  CHECK(eventually([&] { return tells->counts().runs_due == 0; }));
  CHECK(store->told_marks()->mark("r1", 3).value() == false);
}

TEST_CASE("events: a store of the version before has its runs, and is told from now on") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  {
    const auto store = opened(file);
    create(*store, "ended", 3, true);
    create(*store, "waits", 3);
  }
  {
    SQLite::Database database(file, SQLite::OPEN_READWRITE);
    database.exec("DROP TABLE told; DROP TABLE told_since; PRAGMA user_version = " +
                  std::to_string(store::migrations().size() - 1));
  }
  const auto store = opened(file);
  MemoryBus bus;
  const auto tells = teller(*store, bus);
  CHECK(eventually([&] { return bus.ids("waits.").size() == 4; }));
  CHECK(bus.ids("ended.").empty());
  SQLite::Database database(file, SQLite::OPEN_READONLY);
  CHECK(database.execAndGet("PRAGMA user_version").getInt() == static_cast<int>(store::migrations().size()));
}

TEST_CASE("events: the recorded workflow is told as tests/cases/events has it, whole") {
  std::ifstream in(source_dir() + "/tests/cases/runs/workflow_reviewed.ndjson");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const Result<run::JournalFile> file = run::JournalFile::read(text);
  REQUIRE(static_cast<bool>(file));
  const Result<run::Journal> journal = file.value().journal();
  REQUIRE(static_cast<bool>(journal));
  pipelines::workflow::Telling telling("r");
  std::string told;
  for (const run::Entry& entry : journal.value().entries()) {
    for (const pipelines::workflow::ToldEvent& event : telling.next(entry)) {
      told += event.id + " " + event.subject + " " + event.body + "\n";
    }
  }
  const std::string at = source_dir() + "/tests/cases/events/workflow_reviewed.txt";
  if (std::getenv("PLUMB_REWRITE") != nullptr) {
    std::ofstream(at) << told;
  }
  std::ifstream should(at);
  CHECK(told == std::string{std::istreambuf_iterator<char>(should), std::istreambuf_iterator<char>()});
}

TEST_CASE("events: signals of loops are told when they change, wait while the servers are away, and have a bound") {
  MemoryBus bus;
  bus.away = true;
  events::LoopsSettings settings;
  settings.by = "plumb";
  settings.again_ms = 5;
  settings.signals_max = 3;
  std::atomic<int> lines{0};
  settings.told = [&](store::StoreTold, const std::string&) { ++lines; };
  events::Loops loops(settings);
  loops.attach(bus);
  loops.hear({"agent.monitor.a", "", "", "nonsense"});
  loops.hear({"agent.monitor.a", "", "", "{}"});
  CHECK(lines == 1);  // one line in ten seconds
  loops.hear({"agent.monitor.r1", "", "plumb", "of our own"});
  for (int i = 0; i < 6; ++i) {
    loops.hear({"agent.monitor.a", "", "", R"({"loop_id":"l)" + std::to_string(i) + R"(","iteration":1,"retries":4})"});
  }
  loops.hear({"agent.monitor.a", "", "", R"({"loop_id":"l5","iteration":2,"retries":5})"});  // the same as before
  bus.away = false;
  CHECK(eventually([&] { return bus.stored().size() == 3; }));
  CHECK(bus.stored().back().subject == "user.signal.escalate");
  CHECK(bus.stored().back().body.find(R"("loop_id":"l5")") != std::string::npos);
  const std::string json = loops.json(2, budget::Response::warn);
  CHECK(json.find(R"("more":4)") != std::string::npos);
  CHECK(json.find(R"("malformed":2)") != std::string::npos);
  CHECK(json.find(R"("signals_lost":3)") != std::string::npos);
  std::string metrics;
  loops.append_metrics(metrics);
  CHECK(metrics.find("plumb_loops 6\n") != std::string::npos);
  CHECK(metrics.find("plumb_loop_messages_total{outcome=\"malformed\"} 2\n") != std::string::npos);
  CHECK(metrics.find("plumb_loop_signals_total{response=\"escalate\"} 6\n") != std::string::npos);
}

TEST_CASE("events: a trigger begins a run once by its id, bad input is answered, and nothing is answered twice") {
  MemoryBus bus;
  std::vector<std::string> begun;
  events::TriggersSettings settings;
  settings.names = {"go", "kept"};
  settings.begin = [&](const std::string& body, const std::string& key) -> Result<events::TriggeredRun> {
    if (body.find("bad") != std::string::npos) {
      return Error{ErrorCode::invalid_argument, "there is no plan", "/plan", 0, 0};
    }
    const bool fresh = std::find(begun.begin(), begun.end(), key) == begun.end();
    begun.push_back(key);
    return events::TriggeredRun{"r1", fresh};
  };
  events::Triggers triggers(settings);
  const auto hears = triggers.hears();
  REQUIRE(hears.size() == 2);
  CHECK(hears[0].subject == "workflow.trigger.go");
  triggers.attach(bus);
  const auto hear = [&](std::size_t which, BusMessage message) {
    message.subject = hears[which].subject;
    hears[which].hear(std::move(message));
  };
  hear(0, {"", "", "", R"({"idea":"x","request_id":"q1"})", "inbox.1"});
  hear(0, {"", "q2", "", R"({"idea":"x","request_id":"q1"})"});
  hear(0, {"", "", "", R"({"idea":"x","request_id":"q1"})", "inbox.2"});
  hear(0, {"", "", "", "\xff", "inbox.3"});
  hear(0, {"", "", "", "[1]", "inbox.4"});
  hear(0, {"", "", "", R"({"bad":1})", "inbox.5"});
  hear(0, {"", std::string(300, 'i'), "", "{}"});
  hear(1, {"", "", "", R"({"idea":"y"})", "inbox.6"});
  CHECK(eventually([&] { return bus.said().size() == 13; }));
  CHECK(begun ==
        std::vector<std::string>{"workflow.trigger.go q1", "workflow.trigger.go q2", "workflow.trigger.go q1", ""});
  const auto said = bus.said();
  CHECK(said[0].subject == "workflow.result.go");
  CHECK(said[0].body == R"({"run_id":"r1","fresh":true,"request_id":"q1"})");
  CHECK(said[1].subject == "inbox.1");
  CHECK(said[4].body == R"({"run_id":"r1","fresh":false,"request_id":"q1"})");
  for (const BusMessage& one : said) {
    CHECK(one.subject != "inbox.6");  // a stream answers there
    if (one.subject == "inbox.5") {
      CHECK(one.body == R"({"error":"/plan: there is no plan"})");
    }
  }
}

TEST_CASE("events: what plumb.yaml says of them is read with care, and without a password in what is wrong") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    std::ofstream(folder.file("plumb.yaml")) << text;
    return read_config_file(folder.file("plumb.yaml"));
  };
  const auto good = read("events: {nats: 'nats://a:4222,b', loops: off, triggers: [plan-and-execute, x, x]}\n");
  REQUIRE(static_cast<bool>(good));
  CHECK(good.value().events.nats == "nats://a:4222,b/plumb");
  CHECK_FALSE(good.value().events.loops);
  CHECK(good.value().events.triggers == std::vector<std::string>{"plan-and-execute", "x"});
  CHECK(good.value().proposals.size() == 1);
  const auto plain = read("events: {nats: 'tls://a/name'}\n");
  CHECK(plain.value().events.loops);
  CHECK(plain.value().events.triggers.empty());
  for (const char* bad :
       {"events: []\n", "events: {}\n", "events: {nats: 'http://a'}\n", "events: {nats: 'nats://ann:se:cret@a b'}\n",
        "events: {nats: 'nats://a', trigger: [x]}\n", "events: {nats: 'nats://a', triggers: x}\n",
        "events: {nats: 'nats://a', triggers: ['a.b']}\n", "events: {nats: 'nats://a', triggers: ['>']}\n",
        "events: {nats: 'nats://a', loops: maybe}\n"}) {
    const auto refused = read(bad);
    REQUIRE_FALSE(static_cast<bool>(refused));
    CHECK(refused.error().line == 1);
    CHECK(refused.error().message.find("cret") == std::string::npos);
  }
}

// ---------------------------------------------------------------- a real nats-server

namespace {

store::BusSettings bus_settings(const NatsServer& server, const std::string& login = "") {
  store::BusSettings out;
  out.address = store::read_nats_address("nats://" + server.address() + "/plumb").value();
  if (!login.empty()) {
    store::set_login(out.address, login);
  }
  out.keeps = {{"events", {"workflow.events.>", "user.signal.>", "agent.task.>"}},
               {"monitor", {"agent.monitor.>"}, 1U << 20U}};
  out.answer_ms = 2'000;
  out.again_ms = 50;
  return out;
}

struct Lines {
  std::mutex mutex;
  std::vector<std::string> all;
  std::function<void(store::StoreTold, const std::string&)> taker() {
    return [this](store::StoreTold, const std::string& text) {
      const std::lock_guard<std::mutex> lock(mutex);
      all.push_back(text);
    };
  }
  bool has(const std::string& words) {
    const std::lock_guard<std::mutex> lock(mutex);
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& one) { return one.find(words) != std::string::npos; });
  }
  std::size_t size() {
    const std::lock_guard<std::mutex> lock(mutex);
    return all.size();
  }
  std::string text() {
    const std::lock_guard<std::mutex> lock(mutex);
    std::string out;
    for (const std::string& one : all) {
      out += one + "\n";
    }
    return out;
  }
};

}  // namespace

TEST_SUITE_BEGIN("nats");

TEST_CASE("events: a real server stores what is put, knows an id again, and is come back to when it was killed") {
  if (no_server()) {
    return;
  }
  NatsServer server;
  Lines lines;
  std::mutex mutex;
  std::vector<BusMessage> heard;
  store::BusSettings settings = bus_settings(server);
  settings.told = lines.taker();
  settings.hears.push_back({"agent.monitor.>", "", [&](BusMessage message) {
                              const std::lock_guard<std::mutex> lock(mutex);
                              heard.push_back(std::move(message));
                            }});
  const auto heard_count = [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return heard.size();
  };
  const auto bus = store::open_message_bus(settings).value();
  REQUIRE(eventually([&] { return bus->problem().empty(); }));
  const BusMessage message{"user.signal.escalate", "r1.5", "plumb", "{}"};
  const BusAnswer first = bus->put(message);
  CHECK(first.what == LogAnswer::What::stored);
  CHECK_FALSE(first.known);
  CHECK(bus->put(message).known);
  CHECK(bus->put({"agent.monitor.r1", "r1.6", "plumb", "{\"a\":1}"}).what == LogAnswer::What::stored);
  REQUIRE(eventually([&] { return heard_count() == 1; }));
  {
    const std::lock_guard<std::mutex> lock(mutex);
    CHECK(heard[0].subject == "agent.monitor.r1");
    CHECK(heard[0].id == "r1.6");
    CHECK(heard[0].by == "plumb");
    CHECK(heard[0].body == "{\"a\":1}");
  }
  const BusAnswer nobody = bus->put({"elsewhere.x", "r1.7", "plumb", "{}"});
  CHECK(nobody.what == LogAnswer::What::away);
  CHECK(nobody.why == "no stream takes the subject 'elsewhere.x'");
  CHECK(bus->is_stored("user.signal.error"));
  CHECK_FALSE(bus->is_stored("workflow.trigger.x"));
  CHECK(bus->put({"user.signal.error", "r1.8", "plumb", std::string(2U << 20U, 'x')}).what == LogAnswer::What::never);

  server.kill();
  CHECK(eventually([&] { return !bus->problem().empty(); }));
  CHECK(bus->put({"user.signal.error", "r1.9", "plumb", "{}"}).what == LogAnswer::What::away);
  server.restart();
  CHECK(eventually([&] { return bus->problem().empty(); }, 20'000));
  CHECK(bus->put(message).known);  // it is known across a restart
  CHECK(bus->put({"agent.monitor.r1", "r1.9", "plumb", "{}"}).what == LogAnswer::What::stored);
  CHECK(eventually([&] { return heard_count() == 2; }));
  CHECK(lines.has("the connection is lost; what is to be told waits in the store of runs"));
  CHECK(lines.has("connected again"));
  CHECK_MESSAGE(lines.size() == 3, lines.text());  // and the first time
}

TEST_CASE("events: a login that is refused is said once, nothing waits for it, and a stream of others is used") {
  if (no_server()) {
    return;
  }
  NatsServer server("authorization {user: ann, password: right}");
  Lines lines;
  store::BusSettings settings = bus_settings(server, "ann:wrong");
  settings.told = lines.taker();
  {
    const auto bus = store::open_message_bus(settings).value();
    CHECK(eventually([&] { return lines.has("PLUMB_NATS_LOGIN"); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(bus->put({"user.signal.error", "a", "plumb", "{}"}).what == LogAnswer::What::away);
    CHECK(lines.size() == 1);
    CHECK_FALSE(lines.has("wrong"));
  }
  // Somebody's own stream takes one of the subjects.
  store::BusSettings theirs = bus_settings(server, "ann:right");
  theirs.address.name = "theirs";
  theirs.keeps = {{"own", {"user.>"}}};
  {
    const auto bus = store::open_message_bus(theirs).value();
    REQUIRE(eventually([&] { return bus->problem().empty(); }));
  }
  const auto bus = store::open_message_bus(bus_settings(server, "ann:right")).value();
  REQUIRE(eventually([&] { return bus->problem().empty(); }));
  CHECK(bus->put({"user.signal.error", "a", "plumb", "{}"}).what == LogAnswer::What::stored);
  CHECK(bus->put({"agent.task.review", "b", "plumb", "{}"}).what == LogAnswer::What::stored);
}

TEST_CASE("events: with TLS the server's certificate must be of an authority that is trusted") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const Authority authority(folder.file(""));
  const Certificate certificate = authority.issue({.names = "IP:127.0.0.1"});
  const NatsServer server("tls {cert_file: \"" + certificate.certificate + "\", key_file: \"" + certificate.key +
                          "\"}");
  Lines lines;
  store::BusSettings settings = bus_settings(server);
  settings.address = store::read_nats_address("tls://" + server.address() + "/plumb").value();
  settings.told = lines.taker();
  {
    const auto bus = store::open_message_bus(settings).value();
    CHECK(eventually([&] { return lines.size() == 1; }));
    CHECK_FALSE(bus->problem().empty());
  }
  settings.authorities = authority.file();
  const auto bus = store::open_message_bus(settings).value();
  CHECK(eventually([&] { return bus->problem().empty(); }));
  CHECK(bus->put({"user.signal.error", "a", "plumb", "{}"}).what == LogAnswer::What::stored);
}

TEST_CASE("events: marks of a store on NATS are the same for two hosts, never fall, and go with their runs") {
  if (no_server()) {
    return;
  }
  NatsServer server;
  const auto opened_marks = [&] {
    store::JetStreamSettings settings;
    settings.address = store::read_nats_address("nats://" + server.address() + "/runs").value();
    settings.keeps = store::Keeps::told;
    return store::open_shared_marks(store::open_jetstream(settings).value(), "h").value();
  };
  const auto a = opened_marks();
  const auto b = opened_marks();
  CHECK(a->begin(7, {"w1", "w2"}).value() == 7);
  CHECK(b->begin(9, {"w3"}).value() == 7);
  CHECK(a->mark("r1", 5).value());
  CHECK(b->mark("r1", 4).value());  // it does not fall
  CHECK(b->mark("r1", 8).value());
  CHECK(a->mark("r1", 6).value());
  const auto c = opened_marks();
  CHECK(c->told("r1").value() == 8U);
  CHECK(c->told("w1").value() == 0U);
  CHECK_FALSE(c->told("w3").value().has_value());
  CHECK(a->mark("r2", 1).value());
  CHECK(static_cast<bool>(c->told("r2")));
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  CHECK(c->told("r2").value() == 1U);
  c->sweep([](const std::string& run) { return run != "r1"; });
  c->sweep([](const std::string& run) { return run != "r1"; });
  const auto d = opened_marks();
  CHECK_FALSE(d->told("r1").value().has_value());
  CHECK(d->told("r2").value() == 1U);
  CHECK(d->begin(100, {}).value() == 7);
}

TEST_SUITE_END();
