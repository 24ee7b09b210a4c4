#include "core/stranger/grammar.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/sample/mending.hpp"

namespace plumb::stranger {

namespace {

using json::Kind;
using json::Value;
using sample::Draft;
using wire::Wire;

constexpr std::size_t rounds_max = 64;
constexpr std::uint64_t steps_max = 2'000;

// Those that llama.cpp makes rules of, or that say where others are.
constexpr std::array<std::string_view, 19> ollama_keywords = {"$schema",    "$id",         "$ref",
                                                              "$defs",      "definitions", "type",
                                                              "properties", "required",    "additionalProperties",
                                                              "items",      "minItems",    "maxItems",
                                                              "enum",       "const",       "anyOf",
                                                              "oneOf",      "allOf",       "minLength",
                                                              "maxLength"};

bool holds_schemas_by_name(std::string_view key) {
  return key == "$defs" || key == "definitions" || key == "properties";
}

void write_schema(json::Writer& json, const Value& schema) {
  if (!schema.is(Kind::object)) {
    json.value(schema);
    return;
  }
  json.begin_object();
  const bool names = schema.find("properties") != nullptr;
  if (names && schema.find("type") == nullptr) {
    json.member("type", "object");
  }
  for (const json::Member& member : schema.object()) {
    if (std::find(ollama_keywords.begin(), ollama_keywords.end(), member.key) == ollama_keywords.end()) {
      continue;
    }
    json.key(member.key);
    if (holds_schemas_by_name(member.key)) {
      json.begin_object();
      for (const json::Member& one : member.value.object()) {
        json.key(one.key);
        write_schema(json, one.value);
      }
      json.end_object();
    } else if (member.value.is(Kind::array) && member.key.ends_with("Of")) {
      json.begin_array();
      for (const Value& one : member.value.array()) {
        write_schema(json, one);
      }
      json.end_array();
    } else if (member.key == "enum" || member.key == "const") {
      json.value(member.value);
    } else {
      write_schema(json, member.value);
    }
  }
  if (names && schema.find("additionalProperties") == nullptr) {
    json.member_boolean("additionalProperties", false);
  }
  json.end_object();
}

bool is_closing(std::string_view rule) {
  return rule == "additionalProperties" || rule == "unevaluatedProperties" || rule == "maxItems";
}

// Takes out what is too much; false where nothing was.
bool leave_out(const contract::Contract& grammar, Draft& draft) {
  for (const contract::Finding& finding : contract::check_text(grammar, sample::text_of(draft)).findings) {
    if (!is_closing(finding.rule)) {
      continue;
    }
    sample::Path path = sample::path_of(finding.at);
    if (finding.rule == "maxItems") {
      if (Draft* list = sample::find(draft, path); list != nullptr && !list->children.empty()) {
        list->children.pop_back();
        return true;
      }
      continue;
    }
    if (path.empty()) {
      continue;
    }
    const std::string key = path.back();
    path.pop_back();
    Draft* object = sample::find(draft, path);
    if (object == nullptr) {
      continue;
    }
    const auto gone = std::find_if(object->children.begin(), object->children.end(),
                                   [&](const Draft& child) { return child.key == key; });
    if (gone != object->children.end()) {
      object->children.erase(gone);
      return true;
    }
  }
  return false;
}

}  // namespace

std::string grammar_of(Wire wire, std::string_view schema, bool strict) {
  if (schema.empty() || (wire != Wire::ollama && !strict)) {
    return {};
  }
  if (wire != Wire::ollama) {
    return std::string(schema);
  }
  json::Arena arena;
  const Result<Value> tree = json::parse(schema, arena);
  if (!tree) {
    return {};
  }
  std::string out;
  json::Writer json(out);
  write_schema(json, tree.value());
  return out;
}

std::string held_to(const contract::Contract& grammar, std::string_view value, std::string_view fresh,
                    std::uint64_t seed) {
  json::Arena arena;
  const Result<Value> read = json::parse(value, arena);
  if (!read) {
    return std::string(fresh);
  }
  if (contract::check_text(grammar, value).valid) {
    return std::string(value);
  }
  sample::Pair pair;
  pair.artifact = Draft::of(read.value());
  for (std::size_t round = 0; round < rounds_max && leave_out(grammar, pair.artifact); ++round) {
  }
  sample::Random dice(sample::Random::mixed(seed));
  sample::Budget budget{steps_max};
  sample::Maker maker(grammar.shared_program(), dice, budget);
  const sample::Wish root = maker.wish_for(grammar.program().root);
  if (sample::mend_all(grammar, maker, root, pair).valid) {
    return sample::text_of(pair.artifact);
  }
  return std::string(fresh);
}

}  // namespace plumb::stranger
