// What a gate demands of a role is permitted by the schema that its provider is sent, on every wire. A provider that
// returns only what the schema allows must be able to satisfy us.
#include <doctest/doctest.h>

#include <array>

#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "native/provider/structured_output.hpp"
#include "research_runs.hpp"

using namespace plumb;
using json::list_of;
using json::text_of;
using json::Value;
using test::ResearchRun;

namespace {

constexpr const char* request =
    R"({"question":"Which option of apt-get removes configuration files?","judge":"model"})";

// Answers of each role that pass every gate, with all that a strict wire requires.
struct Answers {
  const char* pin;
  std::vector<std::string> texts;
};
const std::vector<Answers>& good_answers() {
  static const std::string brain_question =
      R"({"question":"Which option of apt-get removes configuration files?","description":"It gives the objective the )"
      R"(name of the option, as the manual has it.","goal":"The option, quoted from a source."})";
  static const std::vector<Answers> all = {
      {"contract-intake",
       {R"({"calls":[{"tool":"startResearch","arguments":{"message":"I look.","reason":"It is clear.","objective":)"
        R"("Which option of apt-get removes configuration files?","successCriteria":["The option is stated with one )"
        R"(source."]}}]})",
        R"({"calls":[{"tool":"textInput","arguments":{"message":"Which release do you mean?","reason":"Both are."}}]})",
        R"({"calls":[{"tool":"multiChoiceSelect","arguments":{"message":"Which one is meant?","options":[{"label":)"
        R"("the tool"},{"label":"the town"}],"reason":"Both have the name."}}]})"}},
      {"contract-intake-lookup", {R"({"calls":[{"tool":"quick_web_search","arguments":{"query":"apt-get"}}]})"}},
      {"brain-evaluate",
       {R"({"reasoning":"Nothing is known.","decision":"continue","questions":[)" + brain_question +
            R"(],"criteria":[]})",
        R"({"reasoning":"It is known.","decision":"done","questions":[],"criteria":[{"criterion":0,"met":true,)"
        R"("why":"It is quoted."}]})",
        R"({"reasoning":"It is open.","decision":"done","questions":[],"criteria":[{"criterion":0,"met":null,)"
        R"("why":"Nothing decides it."}]})"}},
      {"researcher-evaluate",
       {R"({"reasoning":"The one missing evidence piece is: the purge option of apt-get.","decision":"continue",)"
        R"("query":"Where is the purge option of apt-get described?","missing":{"entity":"apt-get","attribute":)"
        R"("purge option","scope":""},"specificity":"high","evidence_delta":"progress","novelty":"new",)"
        R"("grounding":"cited"})",
        R"({"reasoning":"It is known.","decision":"done","query":"","missing":{"entity":"","attribute":"","scope":""},)"
        R"("specificity":"high","evidence_delta":"progress","novelty":"new","grounding":"cited"})"}},
      {"contract-answer",
       {R"({"answer":[{"claim":"The option is --purge.","source":1,"quote":"The option --purge of apt-get removes )"
        R"(configuration files"}],"confidence":"high","missing":""})"}},
      {"contract-report", {R"({"claims":[{"claim":"The option is --purge.","citations":[1]}]})"}},
      {"contract-judge", {R"({"claims":[]})"}}};
  return all;
}

std::string pin_text(std::string_view name) {
  json::Arena arena;
  const Result<Value> value = json::parse(request, arena);
  const Result<pipelines::Prepared> prepared = pipelines::known_pipeline("research")->prepare(value.value(), {});
  REQUIRE(prepared);
  for (const auto& [pin, text] : prepared.value().pins) {
    if (pin == name)
      return std::string(text.text());
  }
  return {};
}

struct Wire {
  const char* name;
  wire::Wire wire;
  provider::Structured strongest;
};
constexpr std::array<Wire, 5> wires = {{{"openai strict", wire::Wire::openai, provider::Structured::strict},
                                        {"openai schema", wire::Wire::openai, provider::Structured::schema},
                                        {"ollama strict", wire::Wire::ollama, provider::Structured::strict},
                                        {"ollama schema", wire::Wire::ollama, provider::Structured::schema},
                                        {"anthropic", wire::Wire::anthropic, provider::Structured::schema}}};

const Value* resolved(const Value& root, const Value& schema) {
  const std::string_view ref = text_of(schema, "$ref");
  constexpr std::string_view prefix = "#/$defs/";
  const Value* defs = root.find("$defs");
  return ref.substr(0, prefix.size()) == prefix && defs != nullptr ? defs->find(ref.substr(prefix.size())) : &schema;
}

// The answer of a provider that returns only what the schema allows: members that it does not name are gone.
void strip(json::Writer& json, const Value& root, const Value& schema_or_ref, const Value& value) {
  const Value& schema = *resolved(root, schema_or_ref);
  for (const Value& branch : list_of(schema, "anyOf")) {
    const Value* tool = value.find("tool");
    const Value* properties = resolved(root, branch)->find("properties");
    const Value* named = properties == nullptr ? nullptr : properties->find("tool");
    if (tool != nullptr && named != nullptr && json::value_text(*named).find(tool->str()) != std::string::npos)
      return strip(json, root, branch, value);
  }
  if (value.is(json::Kind::object)) {
    const Value* properties = schema.find("properties");
    const Value* more = schema.find("additionalProperties");
    const bool closed = more != nullptr && more->is(json::Kind::boolean) && !more->boolean;
    json.begin_object();
    for (const json::Member& member : value.object()) {
      const Value* inner = properties == nullptr ? nullptr : properties->find(member.key);
      if (inner != nullptr) {
        json.key(member.key);
        strip(json, root, *inner, member.value);
      } else if (!closed) {
        json.key(member.key).value(member.value);
      }
    }
    json.end_object();
  } else if (value.is(json::Kind::array) && schema.find("items") != nullptr) {
    json.begin_array();
    for (const Value& item : value.array())
      strip(json, root, *schema.find("items"), item);
    json.end_array();
  } else {
    json.value(value);
  }
}

std::string held_to(const Wire& wire, const std::string& contract, const std::string& text) {
  const Result<contract::Contract> read = contract::Contract::read(contract);
  REQUIRE(read);
  const provider::StructuredOutput output = provider::structured_output(read.value(), wire.wire, wire.strongest);
  REQUIRE(output.format.kind == wire::FormatKind::schema);
  json::Arena arena;
  const Result<Value> schema = json::parse(output.format.schema, arena);
  const Result<Value> value = json::parse(text, arena);
  REQUIRE(schema);
  REQUIRE(value);
  std::string out;
  json::Writer json(out);
  strip(json, schema.value(), schema.value(), value.value());
  return out;
}

}  // namespace

TEST_CASE("research: what the gates of each role demand is permitted by the schema sent, on every wire") {
  for (const Answers& one : good_answers()) {
    const std::string text = pin_text(one.pin);
    REQUIRE_MESSAGE(!text.empty(), one.pin);
    const Result<contract::Contract> contract = contract::Contract::read(text);
    REQUIRE(contract);
    for (const Wire& wire : wires) {
      const provider::StructuredOutput output =
          provider::structured_output(contract.value(), wire.wire, wire.strongest);
      INFO(one.pin, " on ", wire.name, ": ", output.format.schema);
      REQUIRE(output.used == wire.strongest);  // never less than the wire can hold an answer to
      const Result<contract::Contract> schema = contract::Contract::read(output.format.schema);
      REQUIRE(schema);
      for (const std::string& answer : one.texts) {
        const contract::Verdict verdict = contract::check_text(schema.value(), answer, {});
        CHECK_MESSAGE(verdict.valid, answer);
        CHECK(held_to(wire, text, answer) == answer);
      }
    }
  }
}

TEST_CASE("research: a provider that returns only what the schema allows comes to a met criterion, on every wire") {
  for (const Wire& wire : wires) {
    ResearchRun run;
    run.held = [&](const std::string& contract, const std::string& text) { return held_to(wire, contract, text); };
    const std::vector<Answers>& good = good_answers();
    run.script["intake"] = {good[0].texts[0]};
    run.script["brain"] = {good[2].texts[0], good[2].texts[1]};
    run.script["researcher"] = {good[3].texts[1]};
    run.script["answer"] = good[4].texts;
    run.script["report"] = good[5].texts;
    run.script["judge"] = good[6].texts;
    run.go(request);
    INFO(wire.name, ": ", run.view());
    REQUIRE(run.machine().state() == run::State::done);
    CHECK(text_of(run.result(), "ended") == "done");
    CHECK(run.gates().empty());
    CHECK(text_of(list_of(run.result(), "success_criteria")[0], "state") == "met");
    CHECK(run.calls("brain") == 2);
    CHECK(list_of(run.result(), "citations").size() == 1);
  }
}

TEST_CASE("research: a call of the intake is taken as the object that is asked for, as a list, and as one call") {
  for (const std::string call :
       {R"({"calls":[{"tool":"textInput","arguments":{"message":"Which release do you mean?"}}]})",
        R"([{"tool":"textInput","arguments":{"message":"Which release do you mean?"}}])",
        R"({"tool":"textInput","arguments":{"message":"Which release do you mean?"}})",
        "Sure:\n```json\n{\"calls\":[{\"tool\":\"textInput\",\"arguments\":{\"message\":\"Which release do you "
        "mean?\"}}]}\n"
        "```"}) {
    ResearchRun run;
    run.script["intake"] = {call};
    run.go(request);
    INFO(call);
    CHECK(run.gates().empty());
    CHECK(run.view().find("\"question\":\"Which release do you mean?\"") != std::string::npos);
  }
}

TEST_CASE("research: every decision is asked for in the phase of its role, and judged in that of its author") {
  ResearchRun run;
  const std::vector<Answers>& good = good_answers();
  run.script["intake"] = {good[0].texts[0]};
  run.script["brain"] = {good[2].texts[0], good[2].texts[1]};
  run.go(request);
  for (const std::string& one : run.phases) {
    const std::string role = one.substr(0, one.find(' '));
    const std::string phase = one.substr(one.find(' ') + 1);
    INFO(one);
    CHECK((role == "judge" ? phase == "intake" || phase == "brain" || phase == "researcher"
                           : phase == (role == "answer" || role == "report" ? "finish" : role)));
  }
  CHECK(run.calls("judge") >= 1);
}
