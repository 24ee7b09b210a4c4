// Who is asked: weights, fallbacks, retries, breakers.
#include <doctest/doctest.h>

#include <map>

#include "native/proxy/breaker.hpp"
#include "native/proxy/route_plan.hpp"
#include "tests/native/proxy_policy_setup.hpp"

using namespace plumb;
using namespace plumb::proxy;
using proxy_setup::after;
using wire::FailureClass;
using wire::make_failure;

namespace {

constexpr std::uint64_t minute_us = 60'000'000;
const Readiness ready{true, 0};
const ReadyNow all_ready = [](const Target&) { return ready; };

Target target(std::string name, std::uint32_t weight = 1) {
  Target out;
  out.name = std::move(name);
  out.model = out.name;
  out.weight = weight;
  return out;
}

Route route(std::vector<Target> targets, std::vector<Target> fallbacks = {}) {
  Route out;
  out.name = "m";
  out.targets = std::move(targets);
  out.fallbacks = std::move(fallbacks);
  return out;
}

std::uint64_t deadline() { return after(0).steady_us + minute_us; }

}  // namespace

TEST_CASE("routes: targets are asked first by their weights") {
  const Route one = route({target("a", 6), target("b", 3), target("c", 1)}, {target("d")});
  const Retries retries;
  std::map<std::string, int> first;
  std::uint64_t random = 1;
  for (int i = 0; i < 10'000; ++i) {
    RoutePlan plan(one, retries, deadline(), next_random(random));
    const PlanStep step = plan.next(after(0), all_ready);
    REQUIRE(step.kind == PlanKind::ask);
    ++first[plan.target(step.target).name];
  }
  CHECK(first["a"] == doctest::Approx(6'000).epsilon(0.05));
  CHECK(first["b"] == doctest::Approx(3'000).epsilon(0.08));
  CHECK(first["c"] == doctest::Approx(1'000).epsilon(0.15));
  CHECK(first.count("d") == 0);
}

TEST_CASE(
    "routes: a failure that may pass moves on at once, to fallbacks in their order, then tries again after a wait") {
  const Route one = route({target("a")}, {target("b"), target("c")});
  Retries retries;
  retries.retries_max = 2;
  RoutePlan plan(one, retries, deadline(), 5);
  std::uint64_t ms = 0;
  for (const std::string_view expected : {"a", "b", "c"}) {
    const PlanStep step = plan.next(after(ms), all_ready);
    REQUIRE(step.kind == PlanKind::ask);
    CHECK(plan.target(step.target).name == expected);
    plan.failed(make_failure(FailureClass::timed_out, "late"), after(ms));
  }
  for (int retry = 0; retry < 2; ++retry) {
    const PlanStep wait = plan.next(after(ms), all_ready);
    REQUIRE(wait.kind == PlanKind::wait);
    CHECK(wait.wait_ms >= (retries.backoff_ms << retry) / 2);
    CHECK(wait.wait_ms <= retries.backoff_ms << retry);
    CHECK(plan.next(after(ms + wait.wait_ms / 2), all_ready).kind == PlanKind::wait);
    ms += wait.wait_ms;
    const PlanStep again = plan.next(after(ms), all_ready);
    REQUIRE(again.kind == PlanKind::ask);
    CHECK(plan.target(again.target).name == "a");
    plan.failed(make_failure(FailureClass::server, "broken"), after(ms));
  }
  CHECK(plan.next(after(ms), all_ready).kind == PlanKind::give_up);
  CHECK(plan.failure()->failure_class == FailureClass::server);
  CHECK(plan.tries() == 5);
}

TEST_CASE("routes: 400, 403 and 404 are never tried again, not by a fallback either; 401 not with the same key") {
  for (const int status : {400, 401, 403, 404, 413, 422}) {
    const Route one = route({target("a"), target("b")}, {target("c")});
    const Retries retries;
    RoutePlan plan(one, retries, deadline(), 5);
    REQUIRE(plan.next(after(0), all_ready).kind == PlanKind::ask);
    const auto failure = wire::failure_of(status, {}, R"({"error":{"message":"no"}})", after(0).wall_ms);
    REQUIRE(failure);
    plan.failed(*failure, after(0));
    CHECK(plan.next(after(0), all_ready).kind == PlanKind::give_up);
    CHECK(plan.tries() == 1);
  }
}

TEST_CASE("routes: a key that is not accepted, or an input that is too long, is no reason not to ask a fallback") {
  Target other = target("c");
  other.upstream = 1;
  const Route one = route({target("a")}, {target("b"), other});
  const Retries retries;
  RoutePlan keyless(one, retries, deadline(), 5);
  REQUIRE(keyless.next(after(0), all_ready).kind == PlanKind::ask);
  keyless.failed(*wire::failure_of(401, {}, R"({"error":{"message":"no"}})", 0), after(0));
  PlanStep step = keyless.next(after(0), all_ready);
  REQUIRE(step.kind == PlanKind::ask);
  CHECK(keyless.target(step.target).name == "c");
  RoutePlan short_one(one, retries, deadline(), 5);
  REQUIRE(short_one.next(after(0), all_ready).kind == PlanKind::ask);
  short_one.failed(*wire::failure_of(400, {}, R"({"error":{"code":"context_length_exceeded","message":"x"}})", 0),
                   after(0));
  step = short_one.next(after(0), all_ready);
  REQUIRE(step.kind == PlanKind::ask);
  CHECK(short_one.target(step.target).name == "b");
}

TEST_CASE("routes: a target that cannot be asked is no try, and its reason is told where nobody else failed") {
  const Route one = route({target("a")}, {target("b")});
  const Retries retries;
  RoutePlan plan(one, retries, deadline(), 5);
  const wire::Failure no_word = wire::make_failure(FailureClass::bad_request, "no word for it");
  REQUIRE(plan.next(after(0), all_ready).kind == PlanKind::ask);
  plan.cannot_ask(no_word);
  CHECK(plan.tries() == 0);
  REQUIRE(plan.next(after(0), all_ready).kind == PlanKind::ask);
  plan.cannot_ask(no_word);
  CHECK(plan.next(after(0), all_ready).kind == PlanKind::give_up);
  CHECK(plan.failure()->message == "no word for it");
}

TEST_CASE("routes: a quota that is used up is not tried again there, but a fallback is asked") {
  const Route one = route({target("a")}, {target("b")});
  const Retries retries;
  RoutePlan plan(one, retries, deadline(), 5);
  REQUIRE(plan.next(after(0), all_ready).kind == PlanKind::ask);
  plan.failed(*wire::failure_of(429, {}, R"({"error":{"code":"insufficient_quota","message":"pay"}})", 0), after(0));
  const PlanStep step = plan.next(after(0), all_ready);
  REQUIRE(step.kind == PlanKind::ask);
  CHECK(plan.target(step.target).name == "b");
}

TEST_CASE("routes: Retry-After is waited for, unless it is longer than allowed or than the deadline") {
  const Route one = route({target("a")});
  Retries retries;
  retries.retry_after_max_ms = 20'000;
  const auto rate_limited = [](const char* header) {
    const wire::Header headers[] = {{"retry-after", header}};
    return *wire::failure_of(429, headers, "{}", after(0).wall_ms);
  };
  const auto asked_to_wait = [&](const char* header, std::uint64_t deadline_us) {
    RoutePlan plan(one, retries, deadline_us, 5);
    REQUIRE(plan.next(after(0), all_ready).kind == PlanKind::ask);
    plan.failed(rate_limited(header), after(0));
    return plan.next(after(0), all_ready);
  };
  const PlanStep three = asked_to_wait("3", deadline());
  CHECK(three.kind == PlanKind::wait);
  CHECK(three.wait_ms == 3'000);
  CHECK(asked_to_wait("21", deadline()).kind == PlanKind::give_up);
  CHECK(asked_to_wait("3", after(2'999).steady_us).kind == PlanKind::give_up);
  // A date: the test's day is a fixed one.
  const PlanStep date = asked_to_wait("Fri, 04 Oct 2024 12:00:05 GMT", deadline());
  CHECK(date.kind == PlanKind::wait);
  CHECK(date.wait_ms == 5'000);
}

TEST_CASE("routes: a target that may not be asked is passed over, and when none may the soonest time is told") {
  const Route one = route({target("a")}, {target("b"), target("c")});
  const Retries retries;
  RoutePlan plan(one, retries, deadline(), 5);
  const PlanStep step = plan.next(after(0), [](const Target& to) { return Readiness{to.name == "c", 500}; });
  REQUIRE(step.kind == PlanKind::ask);
  CHECK(plan.target(step.target).name == "c");
  RoutePlan none(one, retries, deadline(), 5);
  const PlanStep refused = none.next(after(0), [](const Target& to) {
    return Readiness{false, to.name == "b" ? 300ULL : 700ULL};
  });
  CHECK(refused.kind == PlanKind::give_up);
  CHECK(refused.wait_ms == 300);
  CHECK_FALSE(none.failure());
}

TEST_CASE("routes: a repair asks the one that answered first") {
  const Route one = route({target("a")}, {target("b")});
  const Retries retries;
  RoutePlan plan(one, retries, deadline(), 5);
  REQUIRE(plan.next(after(0), all_ready).kind == PlanKind::ask);
  plan.failed(make_failure(FailureClass::unreachable, "gone"), after(0));
  REQUIRE(plan.next(after(0), all_ready).kind == PlanKind::ask);
  plan.again();
  const PlanStep step = plan.next(after(0), all_ready);
  REQUIRE(step.kind == PlanKind::ask);
  CHECK(plan.target(step.target).name == "b");
}

TEST_CASE("routes: whatever happens, a plan ends within its tries and before its deadline") {
  std::uint64_t random = 99;
  for (int seed = 0; seed < 2'000; ++seed) {
    std::vector<Target> targets;
    std::vector<Target> fallbacks;
    for (std::uint64_t i = next_random(random) % 4 + 1; i > 0; --i)
      targets.push_back(target("t" + std::to_string(i), static_cast<std::uint32_t>(next_random(random) % 5 + 1)));
    for (std::uint64_t i = next_random(random) % 4; i > 0; --i)
      fallbacks.push_back(target("f" + std::to_string(i)));
    const Route one = route(targets, fallbacks);
    Retries retries;
    retries.retries_max = static_cast<unsigned>(next_random(random) % 5);
    RoutePlan plan(one, retries, deadline(), next_random(random));
    std::uint64_t ms = 0;
    unsigned waits = 0;
    while (true) {
      const PlanStep step = plan.next(after(ms), [&](const Target&) {
        return Readiness{next_random(random) % 4 != 0, 100};
      });
      if (step.kind == PlanKind::give_up)
        break;
      if (step.kind == PlanKind::wait) {
        REQUIRE(step.wait_ms > 0);
        ms += step.wait_ms;
        REQUIRE(++waits <= retries.retries_max + 1);
        continue;
      }
      wire::Failure failure = make_failure(static_cast<FailureClass>(next_random(random) % 12), "x");
      if (next_random(random) % 3 == 0)
        failure.retry_after_ms = next_random(random) % 30'000;
      plan.failed(failure, after(ms));
    }
    CHECK(plan.tries() <= targets.size() + fallbacks.size() + retries.retries_max);
    CHECK(ms < 60'000);
  }
}

TEST_CASE("breaker: opens at enough failures of half the calls, lets one probe through, and closes by its success") {
  BreakerSettings settings;
  settings.failures_min = 5;
  settings.window_ms = 10'000;
  settings.open_ms = 3'000;
  Breaker breaker;
  for (int i = 0; i < 4; ++i)
    breaker.bad(settings, Breaker::Pass::yes, after(0));
  CHECK(breaker.pass(settings, after(0)) == Breaker::Pass::yes);
  breaker.bad(settings, Breaker::Pass::yes, after(100));
  CHECK(breaker.view(settings, after(100)).state == BreakerState::open);
  CHECK(breaker.view(settings, after(100)).open_for_ms == 3'000);
  CHECK(breaker.pass(settings, after(3'099)) == Breaker::Pass::no);
  CHECK(breaker.pass(settings, after(3'100)) == Breaker::Pass::probe);
  CHECK(breaker.pass(settings, after(3'100)) == Breaker::Pass::no);
  breaker.bad(settings, Breaker::Pass::probe, after(3'200));
  CHECK(breaker.pass(settings, after(6'199)) == Breaker::Pass::no);
  CHECK(breaker.pass(settings, after(6'200)) == Breaker::Pass::probe);
  breaker.given_up(Breaker::Pass::probe);  // the client left: another may probe
  CHECK(breaker.pass(settings, after(6'300)) == Breaker::Pass::probe);
  breaker.good(settings, Breaker::Pass::probe, after(6'400));
  CHECK(breaker.view(settings, after(6'400)).state == BreakerState::closed);
  CHECK(breaker.pass(settings, after(6'400)) == Breaker::Pass::yes);
  breaker.bad(settings, Breaker::Pass::yes, after(6'500));
  CHECK(breaker.pass(settings, after(6'500)) == Breaker::Pass::yes);
}

TEST_CASE("breaker: few failures among many calls, or failures long ago, do not open it") {
  const BreakerSettings settings;
  Breaker many;
  for (int i = 0; i < 20; ++i) {
    many.good(settings, Breaker::Pass::yes, after(0));
    many.good(settings, Breaker::Pass::yes, after(0));
    many.bad(settings, Breaker::Pass::yes, after(0));
  }
  CHECK(many.view(settings, after(0)).state == BreakerState::closed);
  Breaker old;
  for (std::uint64_t i = 0; i < 40; ++i)
    old.bad(settings, Breaker::Pass::yes, after(i * 3'000));
  CHECK(old.view(settings, after(120'000)).state == BreakerState::closed);
}

TEST_CASE("breaker: refusals and rate limits are answers, the rest are failures") {
  for (const FailureClass one : {FailureClass::bad_request, FailureClass::unauthorised, FailureClass::forbidden,
                                 FailureClass::not_found, FailureClass::rate_limited, FailureClass::limit})
    CHECK_FALSE(counts_as_failure(make_failure(one, "")));
  for (const FailureClass one : {FailureClass::overloaded, FailureClass::server, FailureClass::malformed,
                                 FailureClass::cut, FailureClass::timed_out, FailureClass::unreachable})
    CHECK(counts_as_failure(make_failure(one, "")));
}
