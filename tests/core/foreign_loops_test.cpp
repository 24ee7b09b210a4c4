// Loops of agents that others drive: judged as our own, bounded, forgotten.
#include <doctest/doctest.h>

#include <string>

#include "core/budget/foreign_loops.hpp"

using namespace plumb;
using namespace plumb::budget;

namespace {

std::string told(const std::string& loop, int iteration, const std::string& more = "") {
  return R"({"loop_id":")" + loop + R"(","task_id":"T1","iteration":)" + std::to_string(iteration) +
         (more.empty() ? "" : "," + more) + "}";
}

LoopSignal heard(ForeignLoops& loops, const std::string& message, std::uint64_t now_ms = 0, const char* id = "") {
  Result<LoopSignal> out = loops.hear(message, id, now_ms);
  REQUIRE_MESSAGE(static_cast<bool>(out), (out ? std::string() : out.error().message));
  return out.value();
}

std::string refused(ForeignLoops& loops, std::string_view message) {
  const Result<LoopSignal> out = loops.hear(message, "", 0);
  REQUIRE_FALSE(static_cast<bool>(out));
  return out.error().message;
}

}  // namespace

TEST_CASE("foreign loops: every signal of the ladder is that of core/budget, by its own defaults") {
  ForeignLoops loops;
  CHECK(heard(loops, told("a", 1, R"("retries":3)")).response == Response::observe);
  const LoopSignal fourth = heard(loops, told("a", 2, R"("retries":4)"));
  CHECK(fourth.response == Response::escalate);
  CHECK(fourth.reason == "4 retries, more than 3: escalate");
  CHECK(heard(loops, told("b", 1, R"("context_tokens_used":49,"window":100)")).response == Response::observe);
  CHECK(heard(loops, told("b", 2, R"("context_tokens_used":50,"window":100)")).response == Response::log);
  CHECK(heard(loops, told("b", 3, R"("context_tokens_used":65,"window":100)")).response == Response::warn);
  CHECK(heard(loops, told("b", 4, R"("context_tokens_used":70,"window":100)")).response == Response::warn);
  CHECK(heard(loops, told("b", 5, R"("context_tokens_used":71,"window":100)")).response == Response::pause);
  CHECK(heard(loops, told("b", 6, R"("context_tokens_used":71)")).response == Response::observe);
  const LoopSignal beyond =
      heard(loops, told("c", 1, R"("files_written":["src/a.c","lib/b.c"],"task_files":["src/"])"));
  CHECK(beyond.response == Response::warn);
  CHECK(beyond.reason == "written beyond the task's files: lib/b.c: warn");
  CHECK(heard(loops, told("d", 1, R"("files_written":["anything"])")).response == Response::observe);
}

TEST_CASE("foreign loops: the same call again is a loop, unless something was written in between") {
  ForeignLoops loops;
  const std::string call = R"("tool":"read","arguments":{"path":"a.c"})";
  CHECK(heard(loops, told("a", 1, call)).response == Response::observe);
  CHECK(heard(loops, told("a", 2, call)).response == Response::observe);
  const LoopSignal third = heard(loops, told("a", 3, call));
  CHECK(third.response == Response::warn);
  CHECK(third.fresh);
  CHECK(third.reason.find("read was called 3 times with the same arguments") == 0);
  CHECK_FALSE(heard(loops, told("a", 4, call)).fresh);

  // Order of members and white space say nothing.
  heard(loops, told("b", 1, R"("tool":"t","arguments":{"a":1,"b":2})"));
  heard(loops, told("b", 2, R"("tool":"t","arguments":{"b":2, "a":1})"));
  CHECK(heard(loops, told("b", 3, R"("tool":"t","arguments":{"a":1.0,"b":2})")).response == Response::warn);

  for (int i = 1; i < 6; ++i) {
    const std::string files = R"(,"files_written":["f)" + std::to_string(i) + "\"]";
    CHECK(heard(loops, told("c", i, call + files)).response == Response::observe);
  }
  // Long arguments are compared whole.
  const std::string text(1'000, 'x');
  for (int i = 1; i < 3; ++i) {
    heard(loops, told("d", i, R"("tool":"w","arguments":{"t":")" + text + R"("})"));
  }
  CHECK(heard(loops, told("d", 3, R"("tool":"w","arguments":{"t":")" + text + R"(y"})")).response == Response::observe);
  CHECK(heard(loops, told("d", 4, R"("tool":"w","arguments":{"t":")" + text + R"("})")).response == Response::warn);
}

TEST_CASE("foreign loops: a message that is told again by its id counts once") {
  ForeignLoops loops;
  const std::string call = told("a", 1, R"("tool":"read","arguments":{})");
  for (int i = 0; i < 5; ++i) {
    CHECK(heard(loops, call, 0, "m1").response == Response::observe);
  }
  CHECK(loops.counts().repeated == 4);
  heard(loops, call, 0, "m2");
  CHECK(heard(loops, call, 0, "m3").response == Response::warn);
}

TEST_CASE("foreign loops: what is malformed says why, is counted, and changes nothing") {
  ForeignLoops loops;
  CHECK(refused(loops, "") != "");
  CHECK(refused(loops, "\xff\xfe").find("is not valid JSON") == 0);
  CHECK(refused(loops, "[]") != "");
  CHECK(refused(loops, R"({"iteration":1})").find("/loop_id") == 0);
  CHECK(refused(loops, R"({"loop_id":"","iteration":1})").find("/loop_id") == 0);
  CHECK(refused(loops, R"({"loop_id":"a"})").find("/iteration") == 0);
  CHECK(refused(loops, R"({"loop_id":"a","iteration":-1})").find("/iteration") == 0);
  CHECK(refused(loops, R"({"loop_id":"a","iteration":1,"window":"big"})").find("/window") == 0);
  CHECK(refused(loops, R"({"loop_id":7,"iteration":1})").find("/loop_id") == 0);
  CHECK(refused(loops, R"({"loop_id":"a","iteration":1,"files_written":"x"})").find("/files_written") == 0);
  CHECK(refused(loops, told(std::string(201, 'a'), 1)).find("/loop_id") == 0);
  CHECK(refused(loops, told("a", 1, R"("more":")" + std::string(70'000, 'x') + '"')).find("has 70") == 0);
  CHECK(loops.counts().malformed == 12);
  CHECK(loops.size() == 0);
  CHECK(heard(loops, told("a", 1, R"("unknown":[1],"window":0,"context_tokens_used":7)")).response ==
        Response::observe);
}

TEST_CASE("foreign loops: at most 10,000, of more the one that was silent longest goes, and after an hour each") {
  ForeignLoops loops;
  for (int i = 0; i < 10'000; ++i) {
    heard(loops, told("l" + std::to_string(i), 1), static_cast<std::uint64_t>(i));
  }
  CHECK(loops.size() == 10'000);
  CHECK(loops.counts().forgotten_full == 0);
  heard(loops, told("l0", 2), 10'000);  // it is not the eldest any more
  heard(loops, told("new", 1), 10'001);
  CHECK(loops.size() == 10'000);
  CHECK(loops.counts().forgotten_full == 1);
  const std::string all = loops.json(20'000, Response::observe, 10'001);
  CHECK(all.find(R"("loop_id":"l0")") != std::string::npos);
  CHECK(all.find(R"("loop_id":"l1")") == std::string::npos);
  CHECK(all.find(R"("loop_id":"new")") < all.find(R"("loop_id":"l0")"));
  loops.forget_silent(3'600'000 + 5'000);
  CHECK(loops.counts().forgotten_silent == 4'998);  // l2 to l4999
  loops.forget_silent(3'600'000 + 10'001);
  CHECK(loops.size() == 1);
  loops.forget_silent(3'600'000 + 10'002);
  CHECK(loops.size() == 0);
}

TEST_CASE("foreign loops: the list has a bound, says how many more there are, and may be of those that call for more") {
  ForeignLoops loops;
  for (int i = 0; i < 5; ++i) {
    heard(loops, told("l" + std::to_string(i), 1, i == 3 ? R"("retries":9)" : R"("retries":0)"));
  }
  CHECK(loops.json(2, Response::observe, 0).find(R"("more":3)") != std::string::npos);
  const std::string warned = loops.json(10, Response::warn, 7);
  CHECK(warned ==
        R"({"loops":[{"silent_ms":7,"messages":1,"last":{"loop_id":"l3","task_id":"T1","iteration":1,)"
        R"("response":"escalate","reason":"9 retries, more than 3: escalate","signals":[{"signal":"retries",)"
        R"("response":"escalate","explanation":"9 retries, more than 3: escalate"}],"retries":9}}],"more":0})");
}

TEST_CASE("foreign loops: a policy of plumb.yaml holds for them too") {
  RunSettings settings;
  settings.policy[0] = {{0, Response::halt}};
  ForeignLoops loops(settings);
  CHECK(heard(loops, told("a", 1, R"("retries":1)")).response == Response::halt);
}
