// The store of several hosts on a real nats-server: what two of them may and may not do, and what happens when the
// server or this host's own copy is lost. What both kinds of store do is in store_test.cpp.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "certificates.hpp"
#include "native/host/host.hpp"
#include "native/store/nats/jetstream.hpp"
#include "native/store/nats/nats_address.hpp"
#include "native/store/open_store.hpp"
#include "native/store/sharing.hpp"
#include "nats_needed.hpp"
#include "scripted_runs.hpp"

using namespace plumb;
using namespace plumb::test;
using store::Batch;
using store::Outcome;
using store::RunRow;
using store::Store;

namespace {

constexpr std::uint64_t lease_ms = 1'000;

// Everything that the stores of a test have told.
struct Told {
  std::mutex mutex;
  std::vector<std::string> texts;
  bool has(const std::string& part) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const std::string& one : texts) {
      if (one.find(part) != std::string::npos) {
        return true;
      }
    }
    return false;
  }
};

store::StoreSettings settings_for(const NatsServer& server, const std::string& name, const std::string& copy,
                                  Told* told = nullptr) {
  store::StoreSettings settings;
  settings.at = "nats://" + server.address() + "/" + name;
  settings.projection = copy;
  settings.lease_ms = lease_ms;
  if (told != nullptr) {
    settings.told = [told](store::StoreTold, const std::string& text) {
      const std::lock_guard<std::mutex> lock(told->mutex);
      told->texts.push_back(text);
    };
  }
  return settings;
}

std::unique_ptr<Store> opened(const store::StoreSettings& settings) {
  Result<std::unique_ptr<Store>> store = store::open_store(settings);
  REQUIRE_MESSAGE(static_cast<bool>(store), (store ? "" : store.error().message));
  return std::move(store).value();
}

std::string fresh_name() {
  static std::atomic<int> number{0};
  return "n" + std::to_string(::getpid()) + "-" + std::to_string(++number);
}

Batch batch(std::uint64_t from, std::uint64_t count, std::vector<run::Blob> blobs = {}, std::size_t bytes = 10) {
  auto out = std::make_shared<std::vector<run::Stored>>();
  for (std::uint64_t n = from; n < from + count; ++n) {
    out->push_back({n, "{\"n\":" + std::to_string(n) + ",\"x\":\"" + std::string(bytes, 'x') + "\"}", blobs});
    blobs.clear();
  }
  return out;
}

RunRow row(std::string id) {
  RunRow out;
  out.id = std::move(id);
  out.pipeline = "chain";
  out.created_ms = 1000;
  out.changed_ms = 1000;
  return out;
}

Outcome created(Store& store, RunRow what, Batch entries) {
  std::promise<Outcome> done;
  store.create(std::move(what), std::move(entries), [&](const Outcome& outcome) { done.set_value(outcome); });
  return done.get_future().get();
}

Outcome appended(Store& store, const std::string& id, std::uint64_t expected, Batch entries,
                 store::Change change = {}) {
  std::promise<Outcome> done;
  store.append(id, expected, std::move(entries), std::move(change),
               [&](const Outcome& outcome) { done.set_value(outcome); });
  return done.get_future().get();
}

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

std::string text_of(char c, std::size_t size) { return "\"" + std::string(size, c) + "\""; }

std::vector<std::string> names_in(const NatsServer& server, const std::string& name) {
  store::JetStreamSettings settings;
  settings.address = store::read_nats_address("nats://" + server.address() + "/" + name).value();
  const auto log = store::open_jetstream(settings);
  REQUIRE(static_cast<bool>(log));
  return log.value()->text_names().value();
}

std::unique_ptr<host::Host> hosted(Store& store, host::Fulfiller& fulfiller, host::HostSettings settings = {}) {
  settings.pipelines = scripted_pipelines();
  Result<std::unique_ptr<host::Host>> made = host::Host::open(store, fulfiller, std::move(settings));
  REQUIRE(static_cast<bool>(made));
  return std::move(made).value();
}

}  // namespace

TEST_CASE("nats: an address names servers, a store, and who asks, and is shown without a password") {
  const auto good =
      store::read_nats_address("nats://ann:se:cret@a.example:4223,b,[::1]:4222/runs?replicas=3&sync=always");
  REQUIRE(static_cast<bool>(good));
  CHECK(good.value().servers ==
        std::vector<std::string>{"nats://a.example:4223", "nats://b:4222", "nats://[::1]:4222"});
  CHECK(good.value().name == "runs");
  CHECK(good.value().user == "ann");
  CHECK(good.value().password == "se:cret");
  CHECK(good.value().replicas == 3);
  CHECK(good.value().sync_always);
  CHECK(good.value().shown.find("cret") == std::string::npos);
  CHECK(store::read_nats_address("tls://token@a/x").value().token == "token");
  CHECK(store::read_nats_address("tls://token@a/x").value().tls);
  for (const char* bad :
       {"nats://", "nats://a", "nats://a/", "nats:///x", "nats://a:0/x", "nats://a:b/x", "nats://a/x.y", "nats://a b/x",
        "nats://a/x?replicas=2", "nats://a,/x?y", "nats://a::1/x", "nats://a/123456789012345678901234567890123"}) {
    CAPTURE(bad);
    const auto refused = store::read_nats_address(bad);
    CHECK_FALSE(static_cast<bool>(refused));
  }
}

TEST_CASE("nats: two hosts see each other's runs; a host that was only slow finds its append refused") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const std::string name = fresh_name();
  const auto a = opened(settings_for(nats_server(), name, folder.file("a")));
  const auto b = opened(settings_for(nats_server(), name, folder.file("b")));
  CHECK_FALSE(created(*a, row("r1"), batch(0, 1, {{"sha256:long", text_of('t', 20'000)}})));
  const auto seen = b->find("r1");
  REQUIRE(static_cast<bool>(seen));
  CHECK(seen.value().number == a->find("r1").value().number);
  CHECK(b->journal("r1", 0, 10, 1U << 20U).value().entries[0].blobs[0].text == text_of('t', 20'000));
  CHECK(created(*b, row("r1"), batch(0, 1))->message == "the run 'r1' is in the store already");
  // As long as `a` is heard of, the run is its own.
  CHECK(b->sharing()->elsewhere("r1"));
  CHECK_FALSE(b->sharing()->take("r1").value());
  const Outcome not_mine = appended(*b, "r1", 1, batch(1, 1));
  REQUIRE(not_mine);
  CHECK(not_mine->message.find("is driven by another host") != std::string::npos);
  // Also at once, when `b` has not read of it yet.
  for (int i = 0; i < 50; ++i) {
    const std::string id = "q" + std::to_string(i);
    CHECK_FALSE(created(*a, row(id), batch(0, 1)));
    CHECK(b->sharing()->elsewhere(id));
  }
}

TEST_CASE("nats: a request key and a fingerprint are there once, whichever of two hosts is asked at the same moment") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const std::string name = fresh_name();
  const auto a = opened(settings_for(nats_server(), name, folder.file("a")));
  const auto b = opened(settings_for(nats_server(), name, folder.file("b")));
  constexpr int rounds = 40;
  int both = 0;
  int none = 0;
  for (int i = 0; i < rounds; ++i) {
    std::vector<std::promise<Outcome>> done(2);
    for (std::size_t h = 0; h < 2; ++h) {
      RunRow one = row("r" + std::to_string(i) + (h == 0 ? "a" : "b"));
      one.request_key = i % 2 == 0 ? "k" + std::to_string(i) : "";
      one.fingerprint = i % 2 == 1 ? "f" + std::to_string(i) : "";
      (h == 0 ? a : b)->create(one, batch(0, 1), [&done, h](const Outcome& how) { done[h].set_value(how); });
    }
    const bool first = !done[0].get_future().get();
    const bool second = !done[1].get_future().get();
    both += first && second ? 1 : 0;
    none += !first && !second ? 1 : 0;
  }
  CHECK(both == 0);
  CHECK(none == 0);
  // What was refused is in no host's copy, nor in one that is made anew.
  const auto c = opened(settings_for(nats_server(), name, folder.file("c")));
  for (const auto* one : {&a, &b, &c}) {
    CHECK(eventually([&] { return (*one)->waiting().value().size() == rounds; }));
  }
}

TEST_CASE("nats: a text is kept once, a long one in pieces, and a message that is too long for the server too") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const std::string name = fresh_name();
  const std::string large = text_of('l', 3'000'000);
  {
    const auto a = opened(settings_for(nats_server(), name, folder.file("a")));
    const auto b = opened(settings_for(nats_server(), name, folder.file("b")));
    CHECK_FALSE(created(*a, row("r1"), batch(0, 1, {{"sha256:large", large}, {"sha256:small", "1"}})));
    CHECK_FALSE(created(*b, row("r2"), batch(0, 1, {{"sha256:large", large}})));
    CHECK_FALSE(appended(*a, "r1", 1, batch(1, 100, {}, 30'000)));  // 3 MB of lines at once
    CHECK(names_in(nats_server(), name).size() == 2);               // the text, and that message
    CHECK(eventually([&] { return b->find("r1").value().entries == 101; }));
  }
  std::filesystem::remove(folder.file("a.db"));
  const auto again = opened(settings_for(nats_server(), name, folder.file("a")));
  CHECK(again->find("r1").value().entries == 101);
  const auto part = again->journal("r1", 0, 200, std::uint64_t{1} << 30U);
  REQUIRE(static_cast<bool>(part));
  REQUIRE(part.value().entries.size() == 101);
  CHECK(part.value().entries[0].blobs[0].text == large);
  CHECK(part.value().entries[100].line == batch(100, 1, {}, 30'000)->front().line);
}

TEST_CASE("nats: this host's copy may be deleted: it is made again, and is the same") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const std::string name = fresh_name();
  const auto list_of = [](Store& store) {
    std::string out;
    const auto page = store.list({});
    REQUIRE(static_cast<bool>(page));
    for (const RunRow& one : page.value().runs) {
      out += std::to_string(one.number) + one.id + std::string(run::state_name(one.state)) + one.error +
             std::to_string(one.entries) + (one.imported ? "i" : "") + "\n";
    }
    return out;
  };
  std::string before;
  {
    const auto store = opened(settings_for(nats_server(), name, folder.file("a")));
    RunRow imported = row("rimported");
    imported.imported = true;
    CHECK_FALSE(created(*store, imported, batch(0, 2)));
    CHECK(store->adopt("rimported").value());
    for (int i = 0; i < 20; ++i) {
      const std::string id = "r" + std::to_string(i);
      CHECK_FALSE(created(*store, row(id), batch(0, 1, {{"sha256:t", text_of('t', 9'000)}})));
      CHECK_FALSE(
          appended(*store, id, 1, batch(1, 2), {3000, i % 3 == 0 ? run::State::done : run::State::waiting, ""}));
    }
    store->waits("r1", "for somebody");
    CHECK(store->claim({{"name"}, "r1"}).value().granted);
    CHECK_FALSE(store->claim({{"name"}, "r2"}).value().granted);
    CHECK(store->remove("r3").value());
    before = list_of(*store);
  }
  CHECK(before.find("for somebody") != std::string::npos);
  std::filesystem::remove(folder.file("a.db"));
  const auto store = opened(settings_for(nats_server(), name, folder.file("a")));
  CHECK(list_of(*store) == before);
  const auto claimed = store->claim({{"name"}, "r2"});
  CHECK_FALSE(claimed.value().granted);
  CHECK(claimed.value().held.front().run == "r1");
  CHECK(appended(*store, "r0", 3, batch(3, 1))->message == "the run 'r0' has ended");
}

TEST_CASE("nats: what a removed run held is gone from the server, but what others need") {
  if (no_server()) {
    return;
  }
  const NatsServer server;
  const TemporaryFolder folder;
  const std::string secret = "a sentence that only this run has";
  store::StoreSettings settings = settings_for(server, "x", folder.file("a"));
  {
    store::JetStreamSettings jetstream;
    jetstream.address = store::read_nats_address(settings.at).value();
    store::LogStoreSettings shared;
    shared.projection = settings.projection;
    shared.text_grace_ms = 0;
    const auto store = store::open_log_store(store::open_jetstream(jetstream).value(), shared);
    REQUIRE(static_cast<bool>(store));
    RunRow ended = row("rgone");
    ended.state = run::State::done;
    std::string own = text_of('o', 10'000);
    own.insert(1, secret);
    CHECK_FALSE(
        created(*store.value(), ended,
                batch(0, 2, {{"sha256:own", own}, {"sha256:shared", text_of('s', 10'000)}, {"sha256:in", secret}})));
    CHECK_FALSE(created(*store.value(), row("rstays"), batch(0, 1, {{"sha256:shared", text_of('s', 10'000)}})));
    CHECK(store.value()->remove("rgone").value());
    CHECK(store.value()->find("rgone").error().code == ErrorCode::not_found);
    // It may be given again, as an imported run may be.
    CHECK_FALSE(created(*store.value(), ended, batch(0, 1)));
    CHECK(store.value()->find("rgone").value().entries == 1);
  }
  CHECK(names_in(server, "x") == std::vector<std::string>{"sha256:shared"});
}

TEST_CASE("nats: what says that a run was removed goes too, and a copy that may have missed it is made anew") {
  if (no_server()) {
    return;
  }
  const NatsServer server;
  const TemporaryFolder folder;
  Told told;
  store::JetStreamSettings jetstream;
  jetstream.address = store::read_nats_address("nats://" + server.address() + "/x").value();
  const auto with = [&](const std::string& copy) {
    store::LogStoreSettings shared;
    shared.projection = folder.file(copy);
    shared.gone_kept_ms = 3'500;
    shared.told = [&](store::StoreTold, const std::string& text) {
      const std::lock_guard<std::mutex> lock(told.mutex);
      told.texts.push_back(text);
    };
    auto store = store::open_log_store(store::open_jetstream(jetstream).value(), shared);
    REQUIRE(static_cast<bool>(store));
    return std::move(store).value();
  };
  const auto log = store::open_jetstream(jetstream).value();
  const auto messages = [&] { return log->head().value().messages; };
  constexpr int runs = 150;  // more than go at once
  RunRow ended = row("");
  ended.state = run::State::done;
  const auto a = with("a");
  for (int i = 0; i < runs; ++i) {
    ended.id = "r" + std::to_string(i);
    CHECK_FALSE(created(*a, ended, batch(0, 1)));
  }
  CHECK(with("b")->list({}).value().runs.size() == 50);  // has read all of them, and goes
  for (int i = 0; i < runs; ++i) {
    CHECK(a->remove("r" + std::to_string(i)).value());
  }
  CHECK(messages() == runs);  // each says that its run is gone
  CHECK_FALSE(created(*a, row("rstays"), batch(0, 1)));
  CHECK(eventually([&] { return messages() == 1; }, 30'000));  // that run's own
  CHECK_FALSE(told.has("may have missed"));
  const auto b = with("b");
  CHECK(told.has("may have missed which runs were removed"));
  CHECK(b->list({}).value().runs.size() == 1);
  // The id may be given again, at a host that knew of the run and at one that did not.
  ended.id = "r1";
  CHECK_FALSE(created(*a, ended, batch(0, 1)));
  ended.id = "r2";
  CHECK_FALSE(created(*b, ended, batch(0, 1)));
}

TEST_CASE("nats: who follows the log may go while messages are on their way") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const std::string name = fresh_name();
  const auto a = opened(settings_for(nats_server(), name, folder.file("a")));
  constexpr std::uint64_t messages = 1'500;
  CHECK_FALSE(created(*a, row("r1"), batch(0, 1)));
  std::atomic<std::uint64_t> done{0};
  for (std::uint64_t n = 1; n < messages; ++n) {
    a->append("r1", n, batch(n, 1), {}, [&](const Outcome& how) { done += how ? 0 : 1; });
  }
  CHECK(eventually([&] { return done == messages - 1; }, 60'000));
  store::JetStreamSettings settings;
  settings.address = store::read_nats_address("nats://" + nats_server().address() + "/" + name).value();
  for (int round = 0; round < 60; ++round) {
    auto log = store::open_jetstream(settings).value();
    const auto some = log->next(0, 10, 1'000);
    REQUIRE(static_cast<bool>(some));
    REQUIRE(!some.value().empty());
    // From elsewhere: what was followed goes at once.
    const auto again = log->next(static_cast<std::uint64_t>(round), 10, 1'000);
    REQUIRE(static_cast<bool>(again));
    CHECK(again.value().front().sequence == static_cast<std::uint64_t>(round) + 1);
  }
}

TEST_CASE("nats: a message that is gone already is erased, and one that cannot be is not") {
  if (no_server()) {
    return;
  }
  store::JetStreamSettings settings;
  settings.address = store::read_nats_address("nats://" + nats_server().address() + "/" + fresh_name()).value();
  auto log = store::open_jetstream(settings).value();
  for (int n = 0; n < 5; ++n) {
    std::promise<store::LogAnswer> said;
    log->put({"run.r" + std::to_string(n), "id" + std::to_string(n), "me", "{}"},
             [&](const store::LogAnswer& answer) { said.set_value(answer); });
    REQUIRE(said.get_future().get().what == store::LogAnswer::What::stored);
  }
  // The servers say of one in the middle that there is none in another way than of the first.
  for (const std::uint64_t sequence : {2U, 2U, 1U, 1U, 4U, 4U}) {
    CAPTURE(sequence);
    CHECK(static_cast<bool>(log->erase(sequence)));
  }
  CHECK_FALSE(static_cast<bool>(log->erase(99)));  // "stream store EOF": nothing says that it is gone
  CHECK(log->head().value().messages == 2);
}

TEST_CASE("nats: a server that is away is said, and when it is back everything goes on") {
  if (no_server()) {
    return;
  }
  NatsServer server;
  const TemporaryFolder folder;
  Told told;
  const auto store = opened(settings_for(server, "x", folder.file("a"), &told));
  CHECK(told.has("sync_interval"));
  CHECK_FALSE(created(*store, row("r1"), batch(0, 1)));
  CHECK(store->problem().empty());
  server.kill();
  CHECK(eventually([&] { return !store->problem().empty(); }));
  CHECK(store->problem().find("cannot be reached") != std::string::npos);
  CHECK(eventually([&] { return told.has("the connection is lost"); }));
  const Outcome away = appended(*store, "r1", 1, batch(1, 1));
  REQUIRE(away);
  CHECK(away->code == ErrorCode::unavailable);
  CHECK(store->find("r1").value().entries == 1);  // reading needs no server
  server.restart();
  CHECK(eventually([&] { return store->problem().empty(); }));
  CHECK(eventually([&] { return told.has("connected again"); }));
  const Batch again = batch(1, 1);
  CHECK(eventually([&] { return !appended(*store, "r1", 1, again); }));
  CHECK(store->find("r1").value().entries == 2);
}

TEST_CASE("nats: a server that stops answering refuses nothing and loses nothing: what was given again is there once") {
  if (no_server()) {
    return;
  }
  NatsServer server;
  const TemporaryFolder folder;
  const auto store = opened(settings_for(server, "x", folder.file("a")));
  CHECK_FALSE(created(*store, row("r1"), batch(0, 1)));
  server.stop_answering();
  std::promise<Outcome> done;
  store->append("r1", 1, batch(1, 1), {}, [&](const Outcome& how) { done.set_value(how); });
  std::future<Outcome> outcome = done.get_future();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  server.answer_again();
  REQUIRE(outcome.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
  CHECK_FALSE(outcome.get());
  CHECK(appended(*store, "r1", 1, batch(1, 1))->message.find("has 2 entries, not 1") != std::string::npos);
  CHECK(store->find("r1").value().entries == 2);
}

TEST_CASE("nats: a log that was made anew is told, and this host's copy of the other one is kept aside") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const std::string copy = folder.file("a");
  {
    const NatsServer server;
    const auto store = opened(settings_for(server, "x", copy));
    CHECK_FALSE(created(*store, row("r1"), batch(0, 1)));
  }
  Told told;
  const NatsServer server;
  const auto store = opened(settings_for(server, "x", copy, &told));
  CHECK(told.has("set aside as"));
  CHECK_FALSE(store->find("r1"));
  CHECK(::access((copy + ".db.aside").c_str(), F_OK) == 0);
}

TEST_CASE("nats: who asks is looked at, and no error has the password") {
  if (no_server()) {
    return;
  }
  const NatsServer server("authorization {user: ann, password: \"se-cret\"}");
  const TemporaryFolder folder;
  store::StoreSettings settings = settings_for(server, "x", folder.file("a"));
  const auto refused = store::open_store(settings);
  REQUIRE_FALSE(static_cast<bool>(refused));
  CHECK(refused.error().code == ErrorCode::unavailable);
  CHECK(refused.error().message.find("PLUMB_NATS_LOGIN") != std::string::npos);
  settings.login = "ann:wr-ong";
  const auto wrong = store::open_store(settings);
  REQUIRE_FALSE(static_cast<bool>(wrong));
  CHECK((wrong.error().message + wrong.error().where).find("wr-ong") == std::string::npos);
  settings.login = "ann:se-cret\n";
  CHECK_FALSE(created(*opened(settings), row("r1"), batch(0, 1)));
  settings.login.clear();
  settings.at = "nats://ann:se-cret@" + server.address() + "/x";
  CHECK(opened(settings)->find("r1").value().entries == 1);
}

TEST_CASE("nats: with TLS the server's certificate must be of an authority that is trusted, and of its name") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const Authority authority(folder.file(""));
  const auto tls = [&](const Certificate& one) {
    return "tls {cert_file: \"" + one.certificate + "\", key_file: \"" + one.key + "\"}";
  };
  const NatsServer good(tls(authority.issue({.names = "IP:127.0.0.1"})));
  store::StoreSettings settings = settings_for(good, "x", folder.file("a"));
  settings.at = "tls://" + good.address() + "/x";
  CHECK_FALSE(static_cast<bool>(store::open_store(settings)));
  settings.authorities = authority.file();
  CHECK_FALSE(created(*opened(settings), row("r1"), batch(0, 1)));
  const NatsServer other(tls(authority.issue({.names = "DNS:other.example"})));
  settings.at = "tls://" + other.address() + "/x";
  CHECK_FALSE(static_cast<bool>(store::open_store(settings)));
}

TEST_CASE("nats: a run of one host is signalled, watched, waited for and cancelled from another") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const std::string name = fresh_name();
  const auto a = opened(settings_for(nats_server(), name, folder.file("a")));
  const auto b = opened(settings_for(nats_server(), name, folder.file("b")));
  ScriptedFulfiller answers_a;
  ScriptedFulfiller answers_b;
  std::atomic<int> ended_elsewhere{0};
  host::HostSettings settings;
  settings.ended_elsewhere = [&](std::string_view) { ++ended_elsewhere; };
  const auto host_a = hosted(*a, answers_a);
  const auto host_b = hosted(*b, answers_b, settings);
  const auto run = host_a->start("person", prepared(R"({"question":"go?","signal":"decide"})"));
  REQUIRE(static_cast<bool>(run));
  const std::string id = run.value().id;
  const auto watch = host_b->watch(id, 0);
  REQUIRE(static_cast<bool>(watch));
  CHECK(host_b->wait(id, 50).value().row.state == run::State::waiting);
  // The question is open once it is in the journal.
  CHECK(eventually([&] { return host_b->summary(id).value().row.entries >= 2; }));
  CHECK(eventually([&] {
    const auto signalled = host_b->signal(id, "decide", run::Data::written(R"({"decision":"yes"})"));
    return signalled && signalled.value();
  }));
  const auto waited = host_b->wait(id, 20'000);
  REQUIRE(static_cast<bool>(waited));
  CHECK(waited.value().row.state == run::State::done);
  std::uint64_t entries = 0;
  bool ended = false;
  for (int i = 0; i < 100 && !ended; ++i) {
    const host::Watch::Event event = watch.value()->next(5'000);
    entries += event.what == host::Watch::What::entry ? 1 : 0;
    ended = event.what == host::Watch::What::ended;
  }
  CHECK(ended);
  CHECK(entries == waited.value().row.entries);
  CHECK(eventually([&] { return ended_elsewhere == 1; }));
  CHECK(answers_b.calls().empty());

  answers_a.hold(true);
  const auto second = host_a->start("chain", prepared(R"({"count":3})"));
  CHECK(eventually([&] { return answers_a.held() == 1; }));
  CHECK(host_b->cancel(second.value().id, "enough").value());
  CHECK(host_b->wait(second.value().id, 20'000).value().row.state == run::State::cancelled);
  CHECK_FALSE(host_b->cancel(second.value().id, "again").value());
  // The same request at another host is the same run.
  host::StartOptions options;
  options.request_key = "key";
  const auto first = host_a->start("chain", prepared(R"({"count":1})"), options);
  const auto again = host_b->start("chain", prepared(R"({"count":1})"), options);
  REQUIRE(static_cast<bool>(again));
  CHECK(again.value().id == first.value().id);
  CHECK_FALSE(again.value().fresh);
}

TEST_CASE("nats: runs of a host that is heard of no more are taken; it finds that out, and stops working on them") {
  if (no_server()) {
    return;
  }
  NatsServer& server = nats_server();
  const TemporaryFolder folder;
  const std::string name = fresh_name();
  // A host that goes on working and is not heard of: its heartbeats come too seldom for the other one.
  store::StoreSettings slow = settings_for(server, name, folder.file("a"));
  slow.lease_ms = 600'000;
  const auto a = opened(slow);
  ScriptedFulfiller answers_a;
  answers_a.hold(true);
  std::promise<std::string> lost;
  host::HostSettings settings;
  settings.lost = [&](std::string_view, std::string_view why) { lost.set_value(std::string(why)); };
  const auto host_a = hosted(*a, answers_a, settings);
  const auto run = host_a->start("chain", prepared(R"({"count":2})"));
  REQUIRE(static_cast<bool>(run));
  CHECK(eventually([&] { return answers_a.held() == 1; }));

  const auto begun = std::chrono::steady_clock::now();
  const auto b = opened(settings_for(server, name, folder.file("b")));
  ScriptedFulfiller answers_b;
  const auto host_b = hosted(*b, answers_b);
  const auto ended = host_b->wait(run.value().id, 20'000);
  REQUIRE(static_cast<bool>(ended));
  CHECK(ended.value().row.state == run::State::done);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));
  // The call that was under way was made once more, and no other.
  CHECK(answers_b.calls().size() == 2);
  // Until its own copy has what the other host has stored it could only say who drives the run.
  CHECK(eventually([&] { return a->find(run.value().id).value().state == run::State::done; }));
  answers_a.hold(false);  // only now it is answered here, and there is nothing that it could be stored in
  std::future<std::string> why = lost.get_future();
  REQUIRE(why.wait_for(std::chrono::seconds(10)) == std::future_status::ready);
  CHECK(why.get().find("something else has gone on with it") != std::string::npos);
  CHECK(host_a->wait(run.value().id, 10'000).value().row.state == run::State::done);
  CHECK(answers_a.calls().size() == 1);
}

// The figure that docs/scale.md tells, as this machine has it at this moment: native_tests -tc="nats: an append*". With
// PLUMB_TEST_SERVERS=HOST:PORT,HOST:PORT,... also of these (tests/load/cluster_bench.py append).
TEST_CASE("nats: an append on one server takes milliseconds") {
  if (no_server()) {
    return;
  }
  const TemporaryFolder folder;
  const auto median_ms = [](Store& store) {
    CHECK_FALSE(created(store, row("r1"), batch(0, 1)));
    std::vector<double> times;
    for (std::uint64_t n = 1; n <= 200; ++n) {
      const auto from = std::chrono::steady_clock::now();
      CHECK_FALSE(appended(store, "r1", n, batch(n, 1, {}, 1'000)));
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
  store::StoreSettings file;
  file.at = folder.file("runs.db");
  const double of_file = median_ms(*opened(file));
  const double of_server = median_ms(*opened(settings_for(nats_server(), fresh_name(), folder.file("a"))));
  MESSAGE("append p50: a file " << of_file << " ms, one server " << of_server << " ms");
  if (const char* servers = std::getenv("PLUMB_TEST_SERVERS"); servers != nullptr) {
    store::StoreSettings several = settings_for(nats_server(), fresh_name(), folder.file("b"));
    several.at = "nats://" + std::string(servers) + "/" + fresh_name();
    MESSAGE("append p50: these servers " << median_ms(*opened(several)) << " ms");
  }
  CHECK(of_server < 1'000);
}
