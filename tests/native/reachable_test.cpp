// Whatever a role may decide can be written under the schema that it is sent, on every wire: a gate that no model could
// pass, or none could fail, is none.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/sample/sample.hpp"
#include "core/stranger/grammar.hpp"
#include "core/wire/strict_schema.hpp"
#include "native/provider/structured_output.hpp"
#include "stranger_runs.hpp"

using namespace plumb;
using namespace plumb::test;
using json::Kind;
using json::Value;

namespace {

// A member that decides something, and what it may say: each of an enum, of true and false, null and something else,
// anything where anything is allowed.
struct Decision {
  std::vector<std::string> way;  // properties, NAME, items, ...
  std::vector<std::string> values;
};

bool says_nothing(const Value& schema) {
  return std::all_of(schema.object().begin(), schema.object().end(),
                     [](const json::Member& member) { return member.key == "description" || member.key == "title"; });
}

std::vector<std::string> values_of(const Value& schema) {
  std::vector<std::string> out;
  if (const Value* values = schema.find("enum")) {
    for (const Value& one : values->array()) {
      out.push_back(json::value_text(one));
    }
  } else if (says_nothing(schema)) {
    out = {R"({"a":[{"b":1}]})", R"([1,"2"])", "\"text\"", "null"};
  } else if (const Value* type = schema.find("type")) {
    const auto takes = [&](std::string_view name) {
      return type->str() == name || std::any_of(type->array().begin(), type->array().end(),
                                                [&](const Value& one) { return one.str() == name; });
    };
    for (const auto& [name, value] :
         {std::pair{"boolean", "true"}, std::pair{"boolean", "false"}, std::pair{"null", "null"}}) {
      if (takes(name)) {
        out.emplace_back(value);
      }
    }
  }
  return out;
}

void decisions_of(const Value& schema, std::vector<std::string>& way, std::vector<Decision>& out) {
  if (!schema.is(Kind::object) || way.size() > 16) {
    return;
  }
  for (const std::string_view list : {"properties", "$defs"}) {
    const Value* members = schema.find(list);
    for (const json::Member& member : members == nullptr ? std::span<const json::Member>() : members->object()) {
      way.emplace_back(list);
      way.emplace_back(member.key);
      if (list == "properties" && !values_of(member.value).empty()) {
        out.push_back({way, values_of(member.value)});
      }
      decisions_of(member.value, way, out);
      way.resize(way.size() - 2);
    }
  }
  if (const Value* items = schema.find("items")) {
    way.emplace_back("items");
    if (says_nothing(*items)) {
      out.push_back({way, values_of(*items)});
    }
    decisions_of(*items, way, out);
    way.pop_back();
  }
}

// The schema in which that place must be there, and has this value.
void write_decided(json::Writer& json, const Value& schema, const std::vector<std::string>& way, std::size_t step,
                   const std::string& value) {
  if (step == way.size()) {
    json.begin_object().key("const").raw(value).end_object();
    return;
  }
  const bool list = way[step] == "items";
  json.begin_object();
  for (const json::Member& member : schema.object()) {
    if (member.key == "required" && way[step] == "properties") {
      continue;
    }
    if (list && member.key == "minItems") {
      continue;
    }
    json.key(member.key);
    if (member.key != way[step]) {
      json.value(member.value);
    } else if (list) {
      write_decided(json, member.value, way, step + 1, value);
    } else {
      json.begin_object();
      for (const json::Member& one : member.value.object()) {
        json.key(one.key);
        if (one.key == way[step + 1]) {
          write_decided(json, one.value, way, step + 2, value);
        } else {
          json.value(one.value);
        }
      }
      json.end_object();
    }
  }
  if (list) {
    json.member_uint("minItems", 1);
  }
  if (way[step] == "properties") {
    json.key("required").begin_array();
    if (const Value* required = schema.find("required")) {
      for (const Value& one : required->array()) {
        if (one.str() != way[step + 1]) {
          json.value(one);
        }
      }
    }
    json.string(way[step + 1]).end_array();
  }
  json.end_object();
}

std::string decided(const Value& schema, const Decision& what, const std::string& value) {
  std::string out;
  json::Writer json(out);
  write_decided(json, schema, what.way, 0, value);
  return out;
}

bool is_possible(const std::string& contract) {
  const Result<contract::Contract> read = contract::Contract::read(contract);
  if (!read) {
    return false;
  }
  for (const sample::SampleKind kind : {sample::SampleKind::minimal, sample::SampleKind::rich}) {
    sample::SampleOptions options;
    options.kind = kind;
    const Result<sample::Samples> samples = sample::make_samples(read.value(), options);
    if (samples && !samples.value().made.empty()) {
      return true;
    }
  }
  return false;
}

std::string both(const std::string& contract, const std::string& grammar) {
  return R"({"allOf":[)" + contract + R"(,{"$id":"https://example.org/grammar",)" + grammar.substr(1) + "]}";
}

// The grammars that a provider may be held to for this contract, over wires and modes; each once.
std::set<std::string> grammars_of(const std::string& contract) {
  static provider::ContractShelf shelf;
  std::set<std::string> out;
  const auto known = shelf.read(contract).value();
  for (const wire::Wire wire : {wire::Wire::openai, wire::Wire::anthropic, wire::Wire::ollama}) {
    for (const provider::Structured mode : {provider::Structured::strict, provider::Structured::schema}) {
      const provider::StructuredOutput output = known->output(wire, mode);
      if (output.format.kind == wire::FormatKind::schema) {
        const bool strict = output.format.strict && wire::takes_strict(wire, output.format.schema);
        out.insert(stranger::grammar_of(wire, output.format.schema, strict));
      }
    }
  }
  out.erase("");
  return out;
}

}  // namespace

TEST_CASE("whatever a role may decide can be written under the schema that it is sent, on every wire") {
  std::set<std::string> contracts;
  for (const Scenario& scenario : scenarios()) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      for (const Sent& sent : play({&scenario, wire::Wire::openai, "obedient", {}, seed}).sent) {
        contracts.insert(sent.contract);
      }
      for (const Sent& sent : play({&scenario, wire::Wire::ollama, "sloppy", {}, seed}).sent) {
        contracts.insert(sent.contract);
      }
    }
  }
  for (const pipelines::BuiltInPrompt& one : pipelines::built_in_prompts()) {
    contracts.insert(pipelines::read_prompt(one.name, one.text, one.name, {}).value().answer);
  }
  contracts.erase("");
  std::size_t tried = 0;
  for (const std::string& contract : contracts) {
    json::Arena arena;
    const Value tree = json::parse(contract, arena).value();
    std::vector<Decision> decisions;
    std::vector<std::string> way;
    decisions_of(tree, way, decisions);
    for (const Decision& decision : decisions) {
      for (const std::string& value : decision.values) {
        const std::string with = decided(tree, decision, value);
        if (!is_possible(with)) {
          continue;  // the contract itself forbids it, by another of its rules
        }
        for (const std::string& grammar : grammars_of(contract)) {
          std::string place;
          for (const std::string& step : decision.way) {
            place += "/" + step;
          }
          CAPTURE(std::string(contract::Contract::read(contract).value().name()));
          CAPTURE(place);
          CAPTURE(value);
          CAPTURE(grammar);
          CHECK(is_possible(both(with, grammar)));
          ++tried;
        }
      }
    }
  }
  CHECK(contracts.size() >= 30);
  CHECK(tried >= 100);
}

TEST_CASE("what a role is sent lets every rule of its contract be kept, and be broken") {
  std::set<std::string> seen;
  std::size_t tried = 0;
  for (const Scenario& scenario : scenarios()) {
    for (const Sent& sent : play({&scenario, wire::Wire::openai, "obedient", {}, 1}).sent) {
      if (sent.contract.empty() || !seen.insert(sent.contract).second) {
        continue;
      }
      for (const std::string& grammar : grammars_of(sent.contract)) {
        const std::string joined = both(sent.contract, grammar);
        CAPTURE(sent.contract);
        CAPTURE(grammar);
        CHECK(is_possible(joined));
        const contract::Contract contract = contract::Contract::read(joined).value();
        const contract::Contract own = contract::Contract::read(sent.contract).value();
        for (const sample::RuleSite& site : sample::breakable_rules(own)) {
          if (site.schema_location.find("/rules/") == std::string::npos) {
            continue;
          }
          sample::SampleOptions options;
          options.kind = sample::SampleKind::broken;
          options.rule = site.rule;
          const Result<sample::Samples> alone = sample::make_samples(own, options);
          if (!alone || alone.value().made.empty()) {
            continue;
          }
          CAPTURE(site.rule);
          const Result<sample::Samples> broken = sample::make_samples(contract, options);
          CHECK((broken && !broken.value().made.empty()));
          ++tried;
        }
      }
    }
  }
  CHECK(tried >= 5);
}

TEST_CASE("a schema with a place for anything is sent so that anything can be written there") {
  provider::ContractShelf shelf;
  for (const std::string_view open :
       {R"({"type":"object","required":["value"],"properties":{"value":{}}})",
        R"({"type":"object","required":["value"],"properties":{"value":{"type":"object"}}})",
        R"({"type":"object","required":["value"],"properties":{"value":{"type":"object",
                                          "additionalProperties":{"type":"array","items":{"type":"string"}}}}})"}) {
    const auto known = shelf.read(std::string(open)).value();
    for (const wire::Wire wire : {wire::Wire::openai, wire::Wire::anthropic, wire::Wire::ollama}) {
      const provider::StructuredOutput output = known->output(wire, provider::Structured::strict);
      CHECK(output.used == provider::Structured::schema);
      CHECK_FALSE(output.format.strict);
      const Result<contract::Contract> sent = contract::Contract::read(output.format.schema);
      REQUIRE(sent);
      CHECK(contract::check_text(sent.value(), R"({"value":{"a":["b"]}})").valid);
    }
  }
  const auto closed = shelf.read(R"({"type":"object","required":["a"],"properties":{"a":{"type":"string"}}})").value();
  CHECK(closed->output(wire::Wire::openai, provider::Structured::strict).used == provider::Structured::strict);
}
