// Every pipeline with a model that knows only what it was sent; and what docs/sample-provider.md says of it.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "core/contract/check.hpp"
#include "core/json/value.hpp"
#include "core/sample/sample.hpp"
#include "core/stranger/manner.hpp"
#include "core/stranger/refusals.hpp"
#include "stranger_runs.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using namespace plumb::test;

namespace {

std::string document() {
  std::ifstream in(plumb::test::source_dir() + "/docs/sample-provider.md");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The titles of the rules that block.
void gates_of(const json::Value& value, std::vector<std::string>& out) {
  const json::Value* blocks = value.find("blocks");
  const json::Value* title = value.find("title");
  if (blocks != nullptr && blocks->boolean && value.find("id") != nullptr && title != nullptr)
    out.emplace_back(title->str());
  for (const json::Member& member : value.object())
    gates_of(member.value, out);
  for (const json::Value& item : value.array())
    gates_of(item, out);
}

// Members that a gate outside of the contract demands of an answer, by the contract's $id.
const std::vector<std::pair<std::string_view, std::string_view>> demanded = {
    {"plumb:brain-evaluate", "criteria"},    {"plumb:judge-claims", "quote"},
    {"plumb:research-answer", "quote"},      {"plumb:research-report", "citations"},
    {"plumb:boundary-validate", "item_id"},  {"plumb:boundary-revise", "items"},
    {"plumb:discovery-explore", "evidence"}, {"plumb:discovery-frame", "source_findings"},
};

}  // namespace

TEST_CASE("every pipeline, phase, wire and manner with a stranger: no law is broken") {
  constexpr std::uint64_t seeds = 6;
  Tally all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const Scenario& scenario : scenarios()) {
      std::uint64_t turn = seed;
      for (const wire::Wire wire : {wire::Wire::openai, wire::Wire::anthropic, wire::Wire::ollama}) {
        for (const std::string_view manner : manners()) {
          // Each phase has its turn among wires and manners; ./dev soak stranger crosses all of them.
          const Play what{&scenario, wire, manner, phase_of(scenario, turn++), seed};
          all.add(what, play(what));
        }
      }
    }
  }
  const std::string table = all.table();
  CAPTURE(table);
  CHECK(all.laws.empty());
  // The laws of what is completed say something only where a model that does as it is told completes it.
  for (const std::string_view name : {"quiz", "flashcards", "mindmap", "glossary"}) {
    CAPTURE(std::string(name));
    CHECK(all.rows[{std::string(name), "obedient"}].statuses["completed"] > 0);
  }
}

TEST_CASE(
    "what a gate demands of a role is permitted by the schema it is sent, on every wire, and told in its prompt") {
  std::set<std::string> roles;
  for (const Scenario& scenario : scenarios()) {
    for (const wire::Wire wire : {wire::Wire::openai, wire::Wire::anthropic, wire::Wire::ollama}) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        for (const Sent& sent : play({&scenario, wire, "obedient", {}, seed}).sent) {
          if (sent.contract.empty())
            continue;
          CAPTURE(Play({&scenario, wire, "obedient", {}, seed}).text());
          CAPTURE(sent.phase);
          CAPTURE(sent.role);
          const contract::Contract contract = contract::Contract::read(sent.contract).value();
          roles.insert(std::string(scenario.name) + " " + sent.phase + " " + sent.role + " " +
                       std::string(contract.name()));
          json::Arena arena;
          std::vector<std::string> gates;
          gates_of(json::parse(sent.contract, arena).value(), gates);
          for (const std::string& gate : gates) {
            CAPTURE(gate);
            CHECK(sent.prompt.find(gate) != std::string::npos);
          }
          const json::Value* id = json::parse(sent.contract, arena).value().find("$id");
          for (const auto& [name, wanted] : demanded) {
            const std::string_view member = wanted;
            if (id != nullptr && id->str() == name && !sent.schema.empty()) {
              CAPTURE(std::string(member));
              CHECK(sent.schema.find("\"" + std::string(member) + "\"") != std::string::npos);
            }
          }
          if (sent.schema.empty() || seed > 1)
            continue;
          // Something is both what its contract accepts and what the schema permits.
          const std::string both =
              R"({"allOf":[)" + sent.contract + R"(,{"$id":"https://example.org/sent",)" + sent.schema.substr(1) + "]}";
          const Result<contract::Contract> joined = contract::Contract::read(both);
          REQUIRE(joined);
          bool permitted = false;
          for (const sample::SampleKind kind : {sample::SampleKind::minimal, sample::SampleKind::rich}) {
            sample::SampleOptions options;
            options.kind = kind;
            permitted = permitted || !sample::make_samples(joined.value(), options).value().made.empty();
          }
          CHECK(permitted);
        }
      }
    }
  }
  // That all of them have been met: a role that is never asked is not tried.
  CHECK(roles.size() >= 20);
}

TEST_CASE("the documentation lists every refusal as the sample has it, and every word of its manner") {
  const std::string text = document();
  for (const stranger::Refusal& row : stranger::refusals()) {
    const std::string line = "| `" + std::string(row.id) + "` | " + std::string(row.what) + " | " +
                             std::string(row.document) + " | " + std::string(row.date) + " |";
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  for (const stranger::MannerWord& word : stranger::manner_words()) {
    CAPTURE(std::string(word.word));
    CHECK(text.find("`" + std::string(word.word) + "`") != std::string::npos);
  }
}
