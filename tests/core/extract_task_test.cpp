#include <doctest/doctest.h>

#include <string>

#include "core/contract/check.hpp"
#include "core/extract/chunks.hpp"
#include "core/extract/task.hpp"
#include "core/json/writer.hpp"
#include "core/run/effect.hpp"
#include "example_chapter.hpp"

using namespace plumb;

namespace {

// The reply's value, as text.
std::string reply(const std::string& request) {
  json::Arena arena;
  const Result<json::Value> parsed = json::parse(request, arena);
  REQUIRE(parsed);
  const Result<std::string> told = extract::reply_to(parsed.value());
  return told ? told.value() : "error: " + told.error().message;
}

std::string text_in(const std::string& value) {
  json::Arena arena;
  const Result<json::Value> parsed = json::parse(value, arena);
  REQUIRE_MESSAGE(parsed, value);
  return std::string(parsed.value().find("text")->str());
}

}  // namespace

TEST_CASE("extract: a task is planned, generated, judged and repaired, each as a model's reply") {
  const auto chunks = extract::chunks(example_chapter);
  REQUIRE(chunks);
  const std::string head = R"("kind":"quiz","chunks":)" + extract::chunks_json(chunks.value());
  const auto ask = [&](const std::string& name, const std::string& rest) {
    return reply(R"({"phase":"x","messages":[],"task":{"name":"artifact.)" + name + "\"," + head + rest + "}}");
  };
  const std::string planned = ask("plan", R"(,"options":{"count":4})");
  const auto contract = contract::Contract::read(run::effect_type(run::EffectKind::model).reply_contract);
  REQUIRE(contract);
  CHECK(contract::check_text(contract.value(), planned).valid);
  CHECK(planned.find(R"("provider":"extract")") != std::string::npos);
  const std::string plan = text_in(planned);
  CHECK(plan.find(R"("questions":4)") != std::string::npos);
  const std::string quiz = text_in(ask("generate", ",\"plan\":" + plan));
  const auto quiz_contract = contract::Contract::read(contract::built_in_contract("quiz")->text);
  REQUIRE(quiz_contract);
  CHECK(contract::check_text(quiz_contract.value(), quiz).valid);
  const std::string claims = text_in(ask("judge", ",\"artifact\":" + quiz));
  CHECK(claims.find(R"({"claims":[{"rule":"answerable")") == 0);
  const std::string broken = R"({"questions":[]})";
  const std::string verdict = contract::check_text(quiz_contract.value(), broken).valid ? "" : R"({"findings":[]})";
  CHECK_FALSE(
      text_in(ask("repair", ",\"plan\":" + plan + ",\"artifact\":" + broken + ",\"verdict\":" + verdict)).empty());
}

TEST_CASE("extract: what it cannot do is said") {
  CHECK(reply(R"({"phase":"plan","messages":[]})") ==
        "error: extract works from the task of a request, and this request has none: choose a provider with a model");
  CHECK(reply(R"({"task":{"name":"artifact.plan","kind":"sonnet","chunks":[]}})") ==
        "error: extract makes quiz, flashcards and mindmap, not 'sonnet': choose a provider with a model");
  CHECK(reply(R"({"task":{"name":"artifact.plan","kind":"quiz"}})") == "error: the task has no chunks");
  CHECK(reply(R"({"task":{"name":"search","kind":"quiz","chunks":["Light is light."]}})") ==
        "error: extract plans, generates, judges and repairs artifacts; it does not know the task 'search': choose a "
        "provider with a model");
}
