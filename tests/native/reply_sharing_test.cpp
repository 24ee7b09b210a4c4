// Claims of three processes on servers that lose messages and answers, give some twice and late, under seeds: whoever
// makes a call has claimed it, or could ask nobody; and afterwards all give the same answer.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "native/proxy/reply_sharing.hpp"
#include "tests/native/simulated_log.hpp"

using namespace plumb;
using namespace plumb::proxy;
using plumb::test::SimulatedServers;

namespace {

using What = ClaimAnswer::What;

Claim claim_of(std::uint8_t key, std::uint8_t body = 1) {
  Claim out;
  out.ticket[0] = key;
  out.body[0] = body;
  out.for_ms = 60'000;
  out.ttl_ms = 60'000;
  return out;
}

std::shared_ptr<const StoredReply> reply(std::string body) {
  return std::make_shared<const StoredReply>(StoredReply{200, "application/json", std::move(body), ""});
}

struct Process {
  Process(SimulatedServers& servers, const std::string& name) {
    ReplySharingOptions options;
    options.process = name;
    options.probe_ms = 10;
    shared = ReplySharing::open(servers.client(), std::move(options));
    shared->attach(metrics);
  }
  ClaimAnswer ask(const Claim& claim) {
    struct Told {
      std::mutex mutex;
      std::condition_variable changed;
      std::vector<ClaimAnswer> answers;
    };
    const auto told = std::make_shared<Told>();
    shared->claim(++number, claim, [told](ClaimAnswer answer) {
      const std::lock_guard lock(told->mutex);
      told->answers.push_back(std::move(answer));
      told->changed.notify_all();
    });
    std::unique_lock lock(told->mutex);
    REQUIRE(told->changed.wait_for(lock, std::chrono::seconds(30), [&] { return !told->answers.empty(); }));
    CHECK(told->answers.size() == 1);
    return told->answers.front();
  }
  std::uint64_t count(ClaimCount what) const { return metrics.claims[static_cast<std::size_t>(what)]; }

  ProxyMetrics metrics;
  std::uint64_t number = 0;
  std::shared_ptr<ReplySharing> shared;
};

}  // namespace

TEST_CASE("claims at servers with faults: a call is made by who has claimed it, or could ask nobody") {
  for (const std::uint64_t seed : {1U, 2U}) {
    CAPTURE(seed);
    SimulatedServers servers(seed, {10, 10, 10, 5, 8});
    std::vector<std::unique_ptr<Process>> processes;
    for (const char* name : {"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"})
      processes.push_back(std::make_unique<Process>(servers, name));
    constexpr std::uint8_t keys = 12;
    std::mutex mutex;
    std::map<std::uint8_t, int> claimed, alone, answered;
    std::vector<std::thread> threads;
    for (const auto& one : processes) {
      threads.emplace_back([&, process = one.get()] {
        for (std::uint8_t key = 0; key < keys; ++key) {
          for (const auto& other : processes)
            process->shared->heard(other->shared->process());
          const ClaimAnswer answer = process->ask(claim_of(key));
          if (answer.what == What::busy || answer.what == What::answered) {
            const std::lock_guard lock(mutex);
            answered[key] += answer.what == What::answered ? 1 : 0;
            continue;
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(3));
          const std::lock_guard lock(mutex);
          ++(answer.what == What::mine ? claimed : alone)[key];
          process->shared->settle(process->number, reply("of " + process->shared->process()));
        }
      });
    }
    for (std::thread& one : threads)
      one.join();
    for (std::uint8_t key = 0; key < keys; ++key)
      CHECK(claimed[key] <= 1);
    servers.no_more_faults();
    for (const auto& one : processes) {
      one->shared->leave(20'000);
      for (const auto& other : processes)
        one->shared->heard(other->shared->process());
    }
    for (std::uint8_t key = 0; key < keys; ++key) {
      CHECK(claimed[key] + alone[key] + answered[key] > 0);
      std::set<std::string> given;
      for (const auto& one : processes) {
        ClaimAnswer answer = one->ask(claim_of(key));
        for (int i = 0; i < 100 && answer.what != What::answered; ++i) {  // until it is known that they answer again
          if (answer.what == What::alone || answer.what == What::mine)
            one->shared->settle(one->number, nullptr);
          REQUIRE(answer.what != What::other_body);
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          answer = one->ask(claim_of(key));
        }
        REQUIRE(answer.what == What::answered);
        given.insert(answer.reply->body);
      }
      CHECK(given.size() == 1);
      CHECK(processes.front()->ask(claim_of(key, 2)).what == What::other_body);
    }
  }
}

TEST_CASE("claims at servers: a process that is not heard any more has none") {
  SimulatedServers servers(1, {});
  Process a(servers, "aaaaaaaaaaaa");
  ReplySharingOptions options;
  options.process = "bbbbbbbbbbbb";
  options.gone_ms = 200;
  const auto b = ReplySharing::open(servers.client(), options);
  std::atomic<int> mine{0}, busy{0};
  std::uint64_t number = 0;
  const auto ask = [&] {
    b->heard("bbbbbbbbbbbb");
    b->claim(++number, claim_of(1), [&](const ClaimAnswer& answer) { ++(answer.what == What::mine ? mine : busy); });
    while (mine + busy < static_cast<int>(number))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  CHECK(a.ask(claim_of(1)).what == What::mine);
  b->heard("aaaaaaaaaaaa");
  ask();
  CHECK(busy == 1);
  const auto began = std::chrono::steady_clock::now();
  while (mine == 0)
    ask();
  CHECK(std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(150));
  // What it has answered nevertheless is not the one that counts.
  a.shared->settle(a.number, reply("late"));
  a.shared->leave(10'000);
  CHECK(a.count(ClaimCount::unsettled) == 1);
  b->settle(number, reply("of b"));
  b->leave(10'000);
  const ClaimAnswer again = a.ask(claim_of(1));
  REQUIRE(again.what == What::answered);
  CHECK(again.reply->body == "of b");
  b->close();
}
