#include "core/pipelines/research/calls.hpp"

#include <algorithm>
#include <array>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::pipelines::research {

namespace {

using json::Kind;
using json::Value;

constexpr std::string_view lookup_branch =
    R"({"properties":{"tool":{"const":"quick_web_search"},"arguments":{"type":"object","required":["query"],)"
    R"("properties":{"query":{"description":"The unfamiliar term.","type":"string","notBlank":true}}}}})";

// The calls one by one, with one more to choose from.
void write_items(json::Writer& json, const Value& items, bool offered) {
  json.begin_object();
  for (const json::Member& member : items.object()) {
    json.key(member.key);
    if (!offered || member.key != "oneOf") {
      json.value(member.value);
      continue;
    }
    json.begin_array();
    for (const Value& one : member.value.array()) {
      json.value(one);
    }
    json.raw(lookup_branch).end_array();
  }
  json.end_object();
}

bool is_call(const Value& value) {
  const Value* tool = value.find("tool");
  return tool != nullptr && tool->is(Kind::string);
}

}  // namespace

std::string calls_contract(const Value& intake, bool offered) {
  // What is said of the list as a whole: the rules about it are those of the contract that judges the answer.
  static constexpr std::array<std::string_view, 7> whole = {"$schema", "$id",  "title",   "role",
                                                            "rules",   "type", "minItems"};
  std::string out;
  json::Writer json(out);
  json.begin_object().member("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.member("$id", offered ? "plumb:intake-calls-lookup" : "plumb:intake-calls").member("title", "Intake decision");
  json.member("type", "object").key("required").begin_array().string("calls").end_array();
  json.key("properties").begin_object().key("calls").begin_object();
  json.member("description", "Exactly one tool call.").member("type", "array");
  json.member_uint("minItems", 1).member_uint("maxItems", 1);
  for (const json::Member& member : intake.object()) {
    if (std::find(whole.begin(), whole.end(), member.key) == whole.end() && member.key != "maxItems") {
      json.key(member.key);
      member.key == "items" ? write_items(json, member.value, offered) : static_cast<void>(json.value(member.value));
    }
  }
  json.end_object().end_object().end_object();
  return out;
}

std::string calls_of(std::string_view text) {
  json::Arena arena;
  const Result<Value> value = json::parse(text, arena);
  if (!value || !value.value().is(Kind::object)) {
    return std::string(text);
  }
  if (const Value* calls = value.value().find("calls"); calls != nullptr && calls->is(Kind::array)) {
    return json::value_text(*calls);
  }
  return is_call(value.value()) ? "[" + std::string(text) + "]" : std::string(text);
}

}  // namespace plumb::pipelines::research
