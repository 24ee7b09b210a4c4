// Limits and keys that proxies share: the law alone, under seeds, and two proxies on a real nats-server that is lost in
// the midst of their calls.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "native/proxy/key_file.hpp"
#include "native/proxy/key_sharing.hpp"
#include "native/proxy/limit_sharing.hpp"
#include "native/proxy/share_law.hpp"
#include "native/store/nats/jetstream.hpp"
#include "native/store/nats/nats_address.hpp"
#include "tests/native/nats_needed.hpp"
#include "tests/native/proxy_policy_setup.hpp"

using namespace plumb;
using namespace plumb::proxy;
using plumb::test::NatsServer;
using plumb::test::no_server;
using proxy_setup::Folder;

namespace {

template <class Condition>
bool eventually(Condition condition, int ms = 10'000) {
  for (int i = 0; i < ms / 5; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

Result<std::unique_ptr<Sharing>> sharing(const NatsServer& server, const Folder& folder, std::uint64_t gone_ms) {
  store::JetStreamSettings settings;
  settings.address = store::read_nats_address("nats://" + server.address() + "/shared").value();
  settings.keeps = store::Keeps::proxies;
  settings.answer_ms = 1'000;
  Result<std::unique_ptr<store::SharedLog>> log = store::open_jetstream(settings);
  REQUIRE(static_cast<bool>(log));
  SharingOptions options;
  options.name = settings.address.shown;
  options.keys_file = folder.path("client-keys.json");
  options.host_file = folder.path("host");
  options.gone_ms = gone_ms;
  options.tick_ms = 50;
  options.used_ms = 100;
  return Sharing::open(std::move(log).value(), options);
}

// A proxy without its sockets.
struct Host {
  Host(const NatsServer& server, std::string_view yaml, std::uint64_t gone_ms = 65'000) {
    Result<std::unique_ptr<Sharing>> made = sharing(server, folder, gone_ms);
    REQUIRE_MESSAGE(static_cast<bool>(made), (made ? "" : made.error().message));
    opened = proxy_setup::open(folder, yaml);
    made.value()->attach(*opened.policy);
    shares = std::move(made).value();
  }
  ~Host() { shares.reset(); }

  // As the data port asks: it waits for a share that is on its way.
  bool lets_in() const {
    for (int waited_ms = 0;; waited_ms += 3) {
      Ask ask;
      ask.route = "/v1/chat/completions";
      ask.model = "fast";
      ask.output_tokens_max = 10;
      ask.patient = waited_ms < 400;
      const Begun begun = opened.policy->begin(proxy_setup::local(*opened.policy), ask, moment_now(), ++random);
      if (!begun.pending)
        return begun.call != nullptr;
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
  }
  int lets_in_of(int calls) const {
    int in = 0;
    for (int i = 0; i < calls; ++i)
      in += lets_in() ? 1 : 0;
    return in;
  }
  std::string metrics() const {
    std::string out;
    opened.policy->append_metrics(out, moment_now());
    return out;
  }

  Folder folder;
  proxy_setup::Opened opened;
  std::unique_ptr<Sharing> shares;
  static inline std::atomic<std::uint64_t> random{1};
};

ClientKey key(const std::string& id, std::uint8_t byte) {
  ClientKey out;
  out.id = id;
  out.name = "of " + id;
  out.digest.fill(byte);
  out.created_ms = 1'000'000;
  return out;
}

std::vector<std::string> ids(const std::vector<ClientKey>& keys) {
  std::vector<std::string> out;
  for (const ClientKey& one : keys)
    out.push_back(one.id + (one.revoked_ms != 0 ? " revoked" : ""));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("shares: whatever hosts use, want, give back or die of, together they never hold more than the limit") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const std::uint64_t limit = 1 + random() % 200;
    Limits limits;
    for (const LimitField& field : limit_fields)
      limits.*field.member = limit;
    const std::vector<std::string> hosts = {"a", "b", "c"};
    std::map<std::string, FieldCounts> used;
    std::map<std::string, bool> alive = {{"a", true}, {"b", true}, {"c", true}};
    ShareRecord record;
    std::uint64_t let_in = 0;
    for (int step = 0; step < 300; ++step) {
      const std::string& host = hosts[random() % hosts.size()];
      if (!alive[host])
        continue;
      const FieldCounts held = share_of(record, host, 1);
      ShareUse own{limits, used[host], {}};
      const std::uint64_t wanted = 1 + random() % 5;
      switch (random() % 4) {
        case 0:  // a call that fits is let in, else more is asked for
        case 1: {
          bool fits = true;
          for (std::size_t i = 0; i < held.size(); ++i)
            fits = fits && used[host][i] + wanted <= held[i];
          for (std::size_t i = 0; i < held.size(); ++i)
            used[host][i] += fits ? wanted : 0;
          let_in += fits ? 1 : 0;
          if (!fits)
            own.want.fill(wanted);
          break;
        }
        case 2:  // some of a minute is over, and calls end; days go on
          for (std::size_t i = 0; i < limit_fields.size(); ++i)
            used[host][i] -= is_of_day(i) ? 0 : random() % (used[host][i] + 1);
          break;
        default:
          if (random() % 40 == 0)
            alive[host] = false;
          break;
      }
      own.used = used[host];
      const ShareStep made = share_step(record, host, own, 1, [&](const std::string& who) { return alive[who]; });
      // What is written is read as it was.
      const Result<ShareRecord> again = read_share(share_text(made.record));
      REQUIRE(static_cast<bool>(again));
      record = again.value();
      for (std::size_t i = 0; i < limit_fields.size(); ++i) {
        std::uint64_t all = 0;
        for (const auto& [name, one] : record.hosts)
          all += one.share[i];
        REQUIRE(all <= limit);
        if (alive[host])
          REQUIRE(used[host][i] <= share_of(record, host, 1)[i]);
      }
    }
    CHECK(let_in > 0);
  }
}

TEST_CASE("shares: a new day is a new count, and a record that nobody knows is none") {
  ShareRecord record;
  record.day = 7;
  record.hosts["a"].share = {5, 5, 5, 5, 5, 5, 5};
  CHECK(share_of(record, "a", 7)[1] == 5);
  CHECK(share_of(record, "a", 8)[1] == 0);
  CHECK(share_of(record, "a", 8)[0] == 5);
  CHECK(share_of_others(record, "b", 7)[6] == 5);
  CHECK_FALSE(static_cast<bool>(read_share("{}")));
  CHECK_FALSE(static_cast<bool>(read_share(R"({"v":2,"scope":"all","day":1,"hosts":{}})")));
  CHECK_FALSE(static_cast<bool>(read_share(R"({"v":1,"scope":"all","day":1,"hosts":{"a":{"share":[1]}}})")));
}

TEST_CASE("shares: two proxies let in what a limit allows between them, and not one call more") {
  if (no_server())
    return;
  const NatsServer server;
  const std::string yaml = "  keys: none\n  limits: {requests_per_minute: 60}\n";
  const Host a(server, yaml);
  const Host b(server, yaml);
  std::atomic<int> in{0};
  std::vector<std::thread> threads;
  for (const Host* host : {&a, &b, &a, &b})
    threads.emplace_back([&in, host] { in += host->lets_in_of(40); });
  for (std::thread& one : threads)
    one.join();
  CHECK(in == 60);
  CHECK(a.metrics().find("\nplumb_proxy_sharing_away 0\n") != std::string::npos);
}

TEST_CASE("shares: one proxy alone may use the whole of a limit, and of what others do not use") {
  if (no_server())
    return;
  const NatsServer server;
  const std::string yaml = "  keys: none\n  limits: {requests_per_day: 50, tokens_per_minute: 100000}\n";
  const Host a(server, yaml);
  const Host b(server, yaml);
  CHECK(a.lets_in_of(5) == 5);
  CHECK(b.lets_in_of(60) == 45);
  CHECK_FALSE(a.lets_in());
}

TEST_CASE("shares: with the servers away proxies go on with what they hold, say so, and share again") {
  if (no_server())
    return;
  NatsServer server;
  const std::string yaml = "  keys: none\n  limits: {requests_per_day: 320}\n";
  const Host a(server, yaml);
  const Host b(server, yaml);
  // One less than a slice, so that it holds one more for certain.
  CHECK(a.lets_in_of(19) == 19);
  CHECK(b.lets_in_of(20) == 20);
  server.kill();
  CHECK(eventually([&] { return a.metrics().find("\nplumb_proxy_sharing_away 1\n") != std::string::npos; }));
  CHECK(eventually([&] { return a.opened.has_said("goes on with the shares of limits that it holds"); }));
  const int of_a = a.lets_in_of(1);
  int more = 0;
  while (a.lets_in() && more < 320)
    ++more;
  // A slice of 20 is held unused at most twice.
  CHECK(of_a + more >= 1);
  CHECK(of_a + more <= 40);
  server.restart();
  for (const Host* one : {&a, &b})
    CHECK(
        eventually([&] { return one->metrics().find("\nplumb_proxy_sharing_away 0\n") != std::string::npos; }, 20'000));
  CHECK(eventually([&] { return b.lets_in(); }));
  CHECK(eventually([&] { return a.opened.has_said("shared again"); }));
  CHECK(eventually([&] { return a.lets_in(); }));
  const int rest = 320 - 39 - of_a - more - 2;
  CHECK(b.lets_in_of(rest + 30) == rest);
}

TEST_CASE("shares: what a lost proxy held is free again, but what it had used of the day") {
  if (no_server())
    return;
  const NatsServer server;
  const std::string yaml = "  keys: none\n  limits: {requests_per_day: 100}\n";
  auto a = std::make_unique<Host>(server, yaml, 1'000);
  const Host b(server, yaml, 1'000);
  CHECK(a->lets_in_of(30) == 30);
  a.reset();
  CHECK(b.lets_in_of(100) == 70);
}

TEST_CASE("shares: keys are merged by what has changed since they were the same") {
  const ClientKey one = key("kone", 1);
  const ClientKey two = key("ktwo", 2);
  const ClientKey three = key("kthree", 3);
  ClientKey revoked = one;
  revoked.revoked_ms = 5'000'000;
  ClientKey renamed = one;
  renamed.name = "another";
  using Ids = std::vector<std::string>;
  CHECK(ids(merged_keys({}, {one}, {two})) == Ids{"kone", "ktwo"});
  CHECK(ids(merged_keys({one}, {one, two}, {one, three})) == Ids{"kone", "kthree", "ktwo"});
  CHECK(ids(merged_keys({one, two}, {two}, {one, two})) == Ids{"ktwo"});  // taken out here
  CHECK(ids(merged_keys({one, two}, {one, two}, {two})) == Ids{"ktwo"});  // and there
  CHECK(ids(merged_keys({one}, {revoked}, {one})) == Ids{"kone revoked"});
  CHECK(ids(merged_keys({one}, {one}, {revoked})) == Ids{"kone revoked"});
  CHECK(ids(merged_keys({one}, {renamed}, {revoked})) == Ids{"kone revoked"});
  CHECK(ids(merged_keys({one}, {}, {revoked})) == Ids{"kone revoked"});  // changed there, so it is no old one
  CHECK(merged_keys({one}, {renamed}, {one}).front().name == "another");
}

TEST_CASE("shares: a file of keys that is emptied or lost on one host takes no key from the others") {
  const Folder folder;
  const std::string file = folder.path("client-keys.json");
  const std::string both = keys_text({key("kone", 1), key("ktwo", 2)});
  folder.write("client-keys.json", both);
  REQUIRE(share_keys(file, both));  // the same now
  const auto kept_back = [&] {
    const Result<std::string> shared = share_keys(file, both);
    REQUIRE_FALSE(shared);
    CHECK(shared.error().message.find("the other proxies keep theirs") != std::string::npos);
  };
  folder.write("client-keys.json", "");
  kept_back();
  std::filesystem::remove(file);
  kept_back();
  folder.write("client-keys.json", both);
  CHECK(share_keys(file, both).value() == both);
  // That there are none is said in JSON, and holds for all.
  folder.write("client-keys.json", keys_text({}));
  CHECK(share_keys(file, both).value() == keys_text({}));
  // As a new host, it takes in what the others have.
  std::filesystem::remove(file);
  std::filesystem::remove(file + ".shared");
  REQUIRE(share_keys(file, both));
  CHECK(folder.read("client-keys.json") == both);
}

TEST_CASE("shares: a key that is made or revoked on one host is so on all within seconds") {
  if (no_server())
    return;
  const NatsServer server;
  const Folder first;
  const Folder second;
  const auto put = [](const Folder& folder, const ClientKey& one) {
    const Result<bool> done = change_keys_file(folder.path("client-keys.json"), [&](std::vector<ClientKey>& keys) {
      keys.erase(std::remove_if(keys.begin(), keys.end(), [&](const auto& had) { return had.id == one.id; }),
                 keys.end());
      keys.push_back(one);
      return Result<bool>(true);
    });
    CHECK(static_cast<bool>(done));
  };
  const auto has = [](const Folder& folder) { return ids(read_keys_file(folder.path("client-keys.json")).value()); };
  using Ids = std::vector<std::string>;
  put(first, key("kone", 1));
  put(second, key("ktwo", 2));
  const auto opened_a = proxy_setup::open(first);
  const auto opened_b = proxy_setup::open(second);
  auto a = std::move(sharing(server, first, 65'000)).value();
  auto b = std::move(sharing(server, second, 65'000)).value();
  CHECK(has(second) == Ids{"kone", "ktwo"});  // before anybody is answered
  a->attach(*opened_a.policy);
  b->attach(*opened_b.policy);
  CHECK(eventually([&] { return has(first) == Ids{"kone", "ktwo"}; }, 3'000));
  ClientKey revoked = key("kone", 1);
  revoked.revoked_ms = 2'000'000;
  put(second, revoked);
  CHECK(eventually([&] { return has(first) == Ids{"kone revoked", "ktwo"}; }, 3'000));
  put(first, key("kthree", 3));
  CHECK(eventually([&] { return has(second) == Ids{"kone revoked", "kthree", "ktwo"}; }, 3'000));
}
