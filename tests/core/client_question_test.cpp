// What a boundary asks client programs, and what becomes of their answers.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/pipelines/boundary/boundary_call.hpp"
#include "core/pipelines/boundary/client_question.hpp"
#include "tests/runs/hostile_client.hpp"

using namespace plumb;

namespace {

constexpr std::string_view contract = R"({"itemId":"/name","type":"object","required":["text"],
  "properties":{"name":{"type":"string"},"text":{"type":"string","minLength":1}},
  "rules":[{"id":"clear","title":"Clear","ask":"Is it clear?","action":"Say more."}]})";

Result<pipelines::BoundaryCall> call(const std::string& items, const pipelines::BoundaryFunctions& functions,
                                     const std::string& more = {}) {
  static std::uint64_t now = 0;
  json::Arena arena;
  const auto request =
      json::parse("{\"items\":" + items + ",\"contract\":" + std::string(contract) + more + "}", arena);
  REQUIRE(request);
  return pipelines::call_boundary(request.value(), {}, functions, [] { return ++now; });
}

}  // namespace

TEST_CASE("a client is asked with items, and answers by ids or by names that are unique") {
  std::vector<std::string> asked;
  pipelines::BoundaryFunctions functions;
  functions.judge = [&](std::string_view question) {
    asked.emplace_back(question);
    return std::string(asked.size() > 1 ? R"({"rejected":[]})"
                                        : R"({"rejected":[{"id":"cart","rule":"clear","reason":"vague"},)"
                                          R"({"id":"same","rule":"clear","reason":"vague"}]})");
  };
  functions.revise = [&](std::string_view question) {
    asked.emplace_back(question);
    return std::string(R"({"item":{"name":"cart","text":"slow"},"usage":{"input_tokens":5,"output_tokens":1}})");
  };
  const auto called = call(R"([{"name":"cart","text":"a"},{"name":"same","text":"b"},)"
                           R"({"name":"same","text":"c"},{"name":"broken","text":""}])",
                           functions);
  REQUIRE(called);
  REQUIRE(asked.size() == 4);
  CHECK(asked[0] == R"({"what":"judge","cycle":0,"items":[{"id":"1","name":"cart","item":{"name":"cart","text":"a"}},)"
                    R"({"id":"2","name":"same","item":{"name":"same","text":"b"}},)"
                    R"({"id":"3","name":"same","item":{"name":"same","text":"c"}}],)"
                    R"("rules":[{"id":"clear","title":"Clear","ask":"Is it clear?"}]})");
  CHECK(asked[1] == R"({"what":"revise","cycle":1,"id":"1","name":"cart","item":{"name":"cart","text":"a"},)"
                    R"("rejection":{"rule":"clear","reason":"vague","action":"Say more."},"upstream":null})");
  json::Arena arena;
  const auto envelope = json::parse(called.value().envelope, arena);
  REQUIRE(envelope);
  CHECK(json::text_of(envelope.value(), "decision") == "accept");
  CHECK(json::list_of(envelope.value(), "items").size() == 4);
  CHECK(json::number_of(envelope.value(), "tokens") == 12);
}

TEST_CASE("no answer of a client is the conservative fallback, and tokens of a useless revision are wasted") {
  pipelines::BoundaryFunctions functions;
  functions.judge = [](std::string_view) { return std::string(); };
  functions.revise = [](std::string_view) {
    return std::string(R"({"items":[],"usage":{"input_tokens":3,"output_tokens":1}})");
  };
  const auto called = call(R"([{"text":"a"},{"text":""}])", functions);
  REQUIRE(called);
  json::Arena arena;
  const auto envelope = json::parse(called.value().envelope, arena);
  REQUIRE(envelope);
  CHECK(json::list_of(envelope.value(), "items").size() == 1);
  CHECK(json::list_of(envelope.value(), "unverified").size() == 1);
  CHECK(json::list_of(envelope.value(), "held_back").size() == 1);
  CHECK(json::number_of(envelope.value(), "tokens") == 8);
  CHECK(json::number_of(envelope.value(), "tokens_wasted") == 8);
}

TEST_CASE("an observed rule counts what it would have rejected, and changes nothing") {
  pipelines::BoundaryFunctions functions;
  functions.judge = [](std::string_view) {
    return std::string(R"({"rejected":[{"id":"1","rule":"clear","reason":"vague"}]})");
  };
  functions.revise = functions.judge;
  for (const std::string more : {R"(,"observe":["clear"])", R"(,"observe":["items"])", R"(,"observe":["*"])"}) {
    const auto called = call(R"([{"text":"a"},{"text":"b"}])", functions, more);
    REQUIRE(called);
    CHECK(called.value().envelope.starts_with(R"({"decision":"accept","items":[{"text":"a"},{"text":"b"}])"));
    CHECK(called.value().journal.find(R"("observations":[{"id":"1","name":"","rule":"clear","reason":"vague"}])") !=
          std::string::npos);
    CHECK(called.value().journal.find(R"("observed":1)") != std::string::npos);
  }
  const auto bound = call(R"([{"text":"a"}])", functions, R"(,"observe":["other"])");
  REQUIRE(bound);
  CHECK(bound.value().envelope.starts_with(R"({"decision":"accept_with_warnings")"));
}

TEST_CASE("a boundary among hostile clients keeps its laws") {
  test::ClientCounts counts;
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    const std::string wrong = test::play_client(seed, counts);
    CHECK_MESSAGE(wrong.empty(), "client seed ", seed, ": ", wrong);
  }
  CHECK(counts.runs == 1'000);
  CHECK(counts.refused > 100);
  CHECK(counts.twice > 100);
  CHECK(counts.late > 50);
  CHECK(counts.timed_out > 100);
}
