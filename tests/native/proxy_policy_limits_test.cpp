// Limits: reserved before, settled after, and never one call too many.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "native/proxy/counters_file.hpp"
#include "native/proxy/ledger.hpp"
#include "native/proxy/route_plan.hpp"
#include "native/proxy/utc.hpp"
#include "tests/native/proxy_policy_setup.hpp"

using namespace plumb;
using namespace plumb::proxy;
using proxy_setup::after;

namespace {

Limits limit(std::uint64_t Limits::*member, std::uint64_t value) {
  Limits out;
  out.*member = value;
  return out;
}

std::optional<OverLimit> ask(Ledger& ledger, const Limits& limits, Amount amount, TimePoint now, Reservation& held) {
  const LimitScope scope[] = {{"key:k", &limits}};
  return ledger.reserve(scope, amount, now, held);
}

// As many as get in at that moment, each settled with what it had reserved.
int let_in(Ledger& ledger, const Limits& limits, Amount amount, TimePoint now, int calls) {
  int in = 0;
  for (int i = 0; i < calls; ++i) {
    Reservation held;
    if (!ask(ledger, limits, amount, now, held)) {
      ++in;
      ledger.settle(held, amount, now);
    }
  }
  return in;
}

}  // namespace

TEST_CASE("limits: of calls at the edge, from many threads, not one too many gets in") {
  for (const auto& [field, amount, expected] :
       {std::tuple{&Limits::requests_per_minute, Amount{1, 1}, 100},
        std::tuple{&Limits::requests_per_day, Amount{1, 1}, 100},
        std::tuple{&Limits::tokens_per_minute, Amount{7, 1}, 14}, std::tuple{&Limits::tokens_per_day, Amount{3, 1}, 33},
        std::tuple{&Limits::nano_usd_per_day, Amount{1, 9}, 11},
        std::tuple{&Limits::nano_usd_per_minute, Amount{1, 9}, 11},
        std::tuple{&Limits::calls_at_once, Amount{1, 1}, 100}}) {
    Ledger ledger;
    const Limits limits = limit(field, 100);
    std::atomic<int> in{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, worst = amount] {
        for (int i = 0; i < 200; ++i) {
          Reservation held;
          if (!ask(ledger, limits, worst, after(0), held))
            ++in;
        }
      });
    }
    for (std::thread& one : threads)
      one.join();
    CHECK(in == expected);
  }
}

TEST_CASE("limits: threads that reserve and settle leave the counts exact") {
  Ledger ledger;
  const Limits limits = limit(&Limits::tokens_per_day, 1'000'000'000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < 500; ++i) {
        Reservation held;
        REQUIRE_FALSE(ask(ledger, limits, {100, 50}, after(i), held));
        ledger.settle(held, {i % 100, 3}, after(i));
        ledger.settle(held, {i % 100, 3}, after(i));  // a second time does nothing
      }
    });
  }
  for (std::thread& one : threads)
    one.join();
  const std::vector<Used> used = ledger.used(after(500));
  REQUIRE(used.size() == 1);
  CHECK(used[0].requests_day == 4'000);
  CHECK(used[0].tokens_day == 8 * 5 * (99 * 100 / 2));
  CHECK(used[0].nano_usd_day == 12'000);
  CHECK(used[0].reserved.tokens == 0);
  CHECK(used[0].reserved.nano_usd == 0);
  CHECK(used[0].calls == 0);
}

TEST_CASE("limits: a minute is any 60 seconds, and Retry-After is when the call gets in") {
  Ledger ledger;
  const Limits limits = limit(&Limits::requests_per_minute, 10);
  std::uint64_t random = 7;
  std::vector<std::uint64_t> came;
  std::uint64_t now = 0;
  for (int i = 0; i < 3'000; ++i) {
    now += next_random(random) % 2'500;
    Reservation held;
    const auto over = ask(ledger, limits, {1, 0}, after(now), held);
    if (!over) {
      came.push_back(now);
      ledger.settle(held, {1, 0}, after(now));
      continue;
    }
    CHECK(over->left == 0);
    CHECK(over->limit == 10);
    REQUIRE(over->retry_after_ms <= 61'000);
    if (i % 50 == 0) {
      now += over->retry_after_ms;
      Reservation later;
      CHECK_FALSE(ask(ledger, limits, {1, 0}, after(now), later));
      ledger.settle(later, {1, 0}, after(now));
      came.push_back(now);
    }
  }
  CHECK(came.size() > 300);
  for (std::size_t i = 10; i < came.size(); ++i)
    CHECK(came[i] - came[i - 10] >= 60'000);
}

TEST_CASE("limits: what was reserved and not used is given back") {
  Ledger ledger;
  const Limits limits = limit(&Limits::tokens_per_minute, 1'000);
  Reservation first;
  REQUIRE_FALSE(ask(ledger, limits, {800, 0}, after(0), first));
  Reservation second;
  const auto over = ask(ledger, limits, {300, 0}, after(0), second);
  REQUIRE(over);
  CHECK(over->left == 200);
  CHECK(over->wanted == 300);
  CHECK_FALSE(over->never);
  CHECK_FALSE(second.open);
  ledger.settle(first, {100, 0}, after(10));
  CHECK_FALSE(ask(ledger, limits, {300, 0}, after(10), second));
  Reservation third;
  CHECK(ask(ledger, limits, {601, 0}, after(10), third));
  CHECK_FALSE(ask(ledger, limits, {600, 0}, after(10), third));
  // More than was reserved is booked all the same.
  ledger.settle(third, {5'000, 0}, after(20));
  Reservation fourth;
  CHECK(ask(ledger, limits, {1, 0}, after(20), fourth)->left == 0);
}

TEST_CASE("limits: a call that wants more than the whole limit is told so, and no time") {
  Ledger ledger;
  Reservation held;
  const auto over = ask(ledger, limit(&Limits::tokens_per_minute, 1'000), {1'001, 0}, after(0), held);
  REQUIRE(over);
  CHECK(over->never);
  CHECK(over->retry_after_ms == 0);
}

TEST_CASE("limits: a day is one of UTC, and its limit is free again at midnight") {
  Ledger ledger;
  const Limits limits = limit(&Limits::requests_per_day, 3);
  CHECK(let_in(ledger, limits, {1, 0}, after(0), 5) == 3);
  Reservation held;
  const auto over = ask(ledger, limits, {1, 0}, after(1'000), held);
  REQUIRE(over);
  CHECK(over->retry_after_ms == 43'200'000 - 1'000);
  CHECK(let_in(ledger, limits, {1, 0}, after(43'199'999), 5) == 0);
  CHECK(let_in(ledger, limits, {1, 0}, after(43'200'000), 5) == 3);
}

TEST_CASE("limits: a call under way at midnight is settled on the new day") {
  Ledger ledger;
  const Limits limits = limit(&Limits::tokens_per_day, 100);
  Reservation held;
  REQUIRE_FALSE(ask(ledger, limits, {100, 0}, after(43'199'000), held));
  Reservation other;
  CHECK(ask(ledger, limits, {1, 0}, after(43'200'000), other));  // still promised to the first
  ledger.settle(held, {40, 0}, after(43'201'000));
  CHECK(ledger.used(after(43'201'000))[0].tokens_day == 40);
  CHECK_FALSE(ask(ledger, limits, {60, 0}, after(43'201'000), other));
}

TEST_CASE("limits: all scopes of a call hold, or none is booked") {
  Ledger ledger;
  const Limits wide = limit(&Limits::requests_per_day, 100);
  const Limits narrow = limit(&Limits::requests_per_day, 1);
  const LimitScope scopes[] = {{"key:k", &wide}, {"model:m", &wide}, {"all", &narrow}};
  Reservation first;
  REQUIRE_FALSE(ledger.reserve(scopes, {10, 10}, after(0), first));
  Reservation second;
  const auto over = ledger.reserve(scopes, {10, 10}, after(0), second);
  REQUIRE(over);
  CHECK(over->scope == "all");
  for (const Used& one : ledger.used(after(0))) {
    CHECK(one.requests_day == 1);
    CHECK(one.reserved.tokens == 10);
  }
}

TEST_CASE("limits: all keys of a project share its limits, and no other key is held to them") {
  const proxy_setup::Folder folder;
  auto opened = proxy_setup::open(folder, "  projects: {acme: {requests_per_minute: 3}, beta: {calls_at_once: 1}}\n");
  REQUIRE(opened.policy);
  const auto caller = [](std::string id, std::string project) {
    auto out = std::make_shared<Caller>();
    out->id = std::move(id);
    out->key.project = std::move(project);
    out->keyed = true;
    return CallerPtr(out);
  };
  const auto refused = [&](const CallerPtr& who, std::vector<std::unique_ptr<Call>>* kept = nullptr) {
    Ask asked;
    asked.route = "/v1/chat/completions";
    asked.model = "fast";
    Begun begun = opened.policy->begin(who, asked, after(0), 1);
    if (begun.call && kept != nullptr)
      kept->push_back(std::move(begun.call));
    return begun.refused ? begun.refused->message : std::string();
  };
  CHECK(refused(caller("k1", "acme")).empty());
  CHECK(refused(caller("k2", "acme")).empty());
  CHECK(refused(caller("k1", "acme")).empty());
  CHECK(refused(caller("k3", "acme")).find("The limit requests_per_minute (3) of all keys of the project 'acme'") == 0);
  for (const char* free : {"", "none", "acme2"})
    CHECK(refused(caller("k4", free)).empty());
  std::vector<std::unique_ptr<Call>> kept;
  CHECK(refused(caller("k5", "beta"), &kept).empty());
  CHECK(refused(caller("k6", "beta")).find("calls_at_once (1) of all keys of the project 'beta'") != std::string::npos);
  kept.clear();
  CHECK(refused(caller("k6", "beta")).empty());
}

TEST_CASE("counters: the day's counts come back after a restart, with what was promised as used") {
  Ledger ledger;
  const Limits limits = limit(&Limits::tokens_per_day, 1'000);
  Reservation settled;
  REQUIRE_FALSE(ask(ledger, limits, {500, 70}, after(0), settled));
  ledger.settle(settled, {123, 45}, after(0));
  Reservation open;
  REQUIRE_FALSE(ask(ledger, limits, {200, 30}, after(0), open));
  const std::uint64_t today = after(0).wall_ms / day_ms;
  const std::string text = counters_text(ledger.used(after(0)), today);
  const auto read = read_counters(text, "counters.json");
  REQUIRE(read);
  Ledger again;
  again.restore(read.value());
  const std::vector<Used> used = again.used(after(0));
  REQUIRE(used.size() == 1);
  CHECK(used[0].scope == "key:k");
  CHECK(used[0].requests_day == 2);
  CHECK(used[0].tokens_day == 323);
  CHECK(used[0].nano_usd_day == 75);
  Reservation held;
  CHECK(ask(again, limits, {678, 0}, after(0), held));
  CHECK_FALSE(ask(again, limits, {677, 0}, after(0), held));
  // Yesterday's are not carried over.
  CHECK(counters_text(ledger.used(after(day_ms)), today + 1).find("key:k") == std::string::npos);
  CHECK_FALSE(read_counters("{\"day\":1}", "counters.json"));
  CHECK_FALSE(read_counters("{\"day\":1,\"accounts\":[{\"scope\":\"x\"}]}", "counters.json"));
}

TEST_CASE("limits: texts of limits, times and whiles are read exactly, or not at all") {
  const LimitField& money = *limit_field("usd_per_day");
  const LimitField& count = *limit_field("requests_per_day");
  CHECK(read_limit(money, "0.000000001") == 1);
  CHECK(read_limit(money, "12") == 12'000'000'000);
  for (const std::string_view text : {"", "0", "-1", "1e3", ".5", "5.", "1.0000000001", "1,5", "99999999999999999999"})
    CHECK_FALSE(read_limit(money, text));
  CHECK(read_limit(count, "7") == 7);
  CHECK_FALSE(read_limit(count, "7.5"));
  CHECK(read_utc("1970-01-02") == day_ms);
  CHECK(read_utc("2024-02-29T12:00:01Z") == 1'709'208'001'000);
  for (const std::string_view text :
       {"2023-02-29", "2024-13-01", "2024-1-1", "2024-01-01T24:00:00Z", "2024-01-01 ", ""})
    CHECK_FALSE(read_utc(text));
  CHECK(read_duration("90d") == 90 * day_ms);
  CHECK(read_duration("30m") == 1'800'000);
  for (const std::string_view text : {"", "d", "0d", "5", "5w", "-5d", "99999999d"})
    CHECK_FALSE(read_duration(text));
}
