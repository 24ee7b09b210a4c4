// Whose the responses are that providers keep, between proxies on servers that lose messages and answers, give some
// twice and late, under seeds.
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "native/proxy/response_sharing.hpp"
#include "tests/native/simulated_log.hpp"

using namespace plumb;
using namespace plumb::proxy;
using plumb::test::SimulatedServers;

namespace {

struct Process {
  Process(SimulatedServers& servers, const std::string& name, std::size_t entries_max = 1'000)
      : book(KeptSettings{entries_max, 3'600'000}), sharing(std::make_unique<ResponseSharing>(servers.client(), name)) {
    sharing->attach(book, [this](const std::string& text) {
      const std::lock_guard<std::mutex> lock(mutex);
      warnings.push_back(text);
    });
  }
  std::optional<KeptResponse> find(const std::string& client, const std::string& id) {
    return book.find(client, id, moment_now());
  }

  std::mutex mutex;
  std::vector<std::string> warnings;
  ResponseBook book;
  std::unique_ptr<ResponseSharing> sharing;
};

bool eventually(const std::function<bool()>& is_so) {
  for (int i = 0; i < 2'000 && !is_so(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return is_so();
}

}  // namespace

TEST_CASE("shared responses: one that a proxy has got is another's for the same client key alone, also after a start") {
  SimulatedServers servers(1, {});
  Process one(servers, "one");
  Process other(servers, "other");
  one.book.put("ann", "resp_1", {"openai/gpt-5", "fast", true, false}, moment_now());
  REQUIRE(eventually([&] { return other.find("ann", "resp_1").has_value(); }));
  const KeptResponse kept = *other.find("ann", "resp_1");
  CHECK(kept.target == "openai/gpt-5");
  CHECK(kept.model == "fast");
  CHECK(kept.held);
  CHECK_FALSE(kept.booked);
  CHECK_FALSE(other.find("bob", "resp_1"));
  CHECK_FALSE(other.find("ann", "resp_2"));
  // What is put again is told again, and no key or id is at the servers.
  other.book.put("ann", "resp_1", {"openai/gpt-5", "fast", true, true}, moment_now());
  CHECK(eventually([&] { return one.find("ann", "resp_1")->booked; }));
  CHECK(servers.bodies_with("resp_1") == 0);
  CHECK(servers.bodies_with("ann") == 0);
  // One that begins later knows it when it has begun; what is erased is gone for all.
  one.book.put("ann", "resp_3", {"openai/gpt-5", "fast"}, moment_now());
  REQUIRE(eventually([&] { return other.find("ann", "resp_3").has_value(); }));
  Process third(servers, "third");
  CHECK(third.find("ann", "resp_1"));
  CHECK(third.find("ann", "resp_3"));
  third.book.erase("ann", "resp_1");
  CHECK(eventually([&] { return !one.find("ann", "resp_1") && !other.find("ann", "resp_1"); }));
  CHECK(one.find("ann", "resp_3"));
  CHECK(one.warnings.empty());
}

TEST_CASE("shared responses: what the servers lose, or give twice and late, is known to all in the end") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    SimulatedServers servers(seed, {20, 20, 20, 10, 5});
    Process one(servers, "one");
    Process other(servers, "other");
    for (int i = 0; i < 50; ++i) {
      Process& at = i % 2 == 0 ? one : other;
      at.book.put("ann", std::to_string(i), {"t", "m"}, moment_now());
    }
    servers.no_more_faults();
    for (int i = 0; i < 50; ++i) {
      CHECK(eventually([&] { return one.find("ann", std::to_string(i)) && other.find("ann", std::to_string(i)); }));
    }
  }
}

TEST_CASE("shared responses: the book has the newest of all proxies, and none beyond its bound") {
  SimulatedServers servers(1, {});
  Process one(servers, "one", 10);
  Process other(servers, "other", 10);
  for (int i = 0; i < 30; ++i) {
    one.book.put("ann", std::to_string(i), {"t", "m"}, moment_now());
  }
  REQUIRE(eventually([&] { return other.find("ann", "29").has_value(); }));
  CHECK(other.book.entries() == 10);
  CHECK_FALSE(other.find("ann", "19"));
  CHECK(other.find("ann", "20"));
  // What another told too long ago is not taken.
  other.book.take("0123", KeptResponse{"t", "m"}, 3'600'000, moment_now());
  CHECK(other.book.entries() == 10);
  one.sharing.reset();
  one.book.put("ann", "alone", {"t", "m"}, moment_now());
  CHECK(one.find("ann", "alone"));
}
