// What structured outputs take of JSON Schema: a list of what is known, not of what is not.
#include "core/wire/strict_schema.hpp"

#include <algorithm>
#include <array>

#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"

namespace plumb::wire {

namespace {

using json::Kind;
using json::Value;

constexpr std::array<std::string_view, 24> openai_keywords = {"type",
                                                              "properties",
                                                              "required",
                                                              "additionalProperties",
                                                              "items",
                                                              "anyOf",
                                                              "enum",
                                                              "const",
                                                              "$ref",
                                                              "$defs",
                                                              "pattern",
                                                              "format",
                                                              "minimum",
                                                              "maximum",
                                                              "exclusiveMinimum",
                                                              "exclusiveMaximum",
                                                              "title",
                                                              "multipleOf",
                                                              "description",
                                                              "minItems",
                                                              "maxItems",
                                                              "definitions",
                                                              "$schema",
                                                              "$id"};
constexpr std::array<std::string_view, 20> anthropic_keywords = {
    "type",     "properties", "required", "additionalProperties",
    "items",    "anyOf",      "allOf",    "enum",
    "const",    "$ref",       "$defs",    "format",
    "minItems", "pattern",    "title",    "definitions",
    "$schema",  "$id",        "default",  "description"};

constexpr std::size_t levels_max = 10;
constexpr std::size_t properties_max = 5'000;
constexpr std::size_t names_max = 120'000;
constexpr std::size_t enum_values_max = 1'000;
constexpr std::size_t schemas_max = 100'000;

class Walk {
 public:
  Walk(Wire wire, const Value& root) : wire_(wire), root_(root) {}

  std::optional<StrictProblem> problem() {
    const Value* type = root_.find("type");
    if (wire_ == Wire::openai &&
        (type == nullptr || type->str() != "object" || root_.find("anyOf") != nullptr || !root_.is(Kind::object))) {
      no("openai-root", "schema must be a JSON Schema of 'type: \"object\"'", "");
      return std::move(refused_);
    }
    walk(root_, "", 1);
    if (!refused_ && wire_ == Wire::openai &&
        (properties_ > properties_max || names_ > names_max || enum_values_ > enum_values_max)) {
      no("openai-size",
         "the schema has " + json::uint_text(properties_) + " properties, " + json::uint_text(enum_values_) +
             " enum values and " + json::uint_text(names_) + " characters of names, which is more than is taken",
         "");
    }
    return std::move(refused_);
  }

 private:
  void no(std::string_view id, std::string message, const std::string& at) {
    if (!refused_) {
      refused_ = StrictProblem{id, "In context=" + (at.empty() ? "()" : at) + ", " + std::move(message)};
    }
  }

  void walk(const Value& schema, const std::string& at, std::size_t level) {
    const bool openai = wire_ == Wire::openai;
    if (refused_ || ++schemas_ > schemas_max) {
      return;
    }
    if (!schema.is(Kind::object)) {
      no(openai ? "openai-type" : "anthropic-keyword", "a schema must be an object", at);
      return;
    }
    for (const json::Member& member : schema.object()) {
      const bool known =
          openai
              ? std::find(openai_keywords.begin(), openai_keywords.end(), member.key) != openai_keywords.end()
              : std::find(anthropic_keywords.begin(), anthropic_keywords.end(), member.key) != anthropic_keywords.end();
      if (!known) {
        no(openai ? "openai-keyword" : "anthropic-keyword", "'" + std::string(member.key) + "' is not permitted", at);
        return;
      }
    }
    if (openai) {
      openai_rules(schema, at, level);
    } else {
      anthropic_rules(schema, at);
    }
    object_rules(schema, at, level);
    if (const Value* items = schema.find("items")) {
      walk(*items, at + "/items", level + 1);
    }
    for (const std::string_view list : {"anyOf", "allOf"}) {
      if (const Value* branches = schema.find(list)) {
        for (std::size_t i = 0; i < branches->array().size(); ++i) {
          walk(branches->array()[i], at + "/" + std::string(list) + "/" + json::uint_text(i), level);
        }
      }
    }
    for (const std::string_view list : {"$defs", "definitions"}) {
      if (const Value* definitions = schema.find(list)) {
        for (const json::Member& one : definitions->object()) {
          names_ += one.key.size();
          walk(one.value, at + "/" + std::string(list) + "/" + std::string(one.key), 1);
        }
      }
    }
    if (const Value* reference = schema.find("$ref")) {
      follow(reference->str(), at);
    }
  }

  void object_rules(const Value& schema, const std::string& at, std::size_t level) {
    const Value* properties = schema.find("properties");
    const Value* type = schema.find("type");
    const bool object = properties != nullptr || (type != nullptr && says_object(*type));
    if (!object) {
      return;
    }
    const Value* extra = schema.find("additionalProperties");
    if (extra == nullptr || !extra->is(Kind::boolean) || extra->boolean) {
      no(wire_ == Wire::openai ? "openai-closed" : "anthropic-closed",
         "'additionalProperties' is required to be supplied and to be false", at);
      return;
    }
    const Value* required = schema.find("required");
    for (const json::Member& member : properties == nullptr ? std::span<const json::Member>() : properties->object()) {
      ++properties_;
      names_ += member.key.size();
      const bool there = required != nullptr && std::any_of(required->array().begin(), required->array().end(),
                                                            [&](const Value& one) { return one.str() == member.key; });
      if (wire_ == Wire::openai && !there) {
        no("openai-required",
           "'required' is required to be supplied and to be an array including every key in properties. Missing '" +
               std::string(member.key) + "'.",
           at);
        return;
      }
      walk(member.value, at + "/properties/" + std::string(member.key), level + 1);
    }
  }

  static bool says_object(const Value& type) {
    return type.str() == "object" || std::any_of(type.array().begin(), type.array().end(),
                                                 [](const Value& one) { return one.str() == "object"; });
  }

  void openai_rules(const Value& schema, const std::string& at, std::size_t level) {
    if (level > levels_max) {
      no("openai-depth", "the schema nests deeper than 10 levels", at);
    }
    const bool typed = schema.find("type") != nullptr || schema.find("enum") != nullptr ||
                       schema.find("const") != nullptr || schema.find("anyOf") != nullptr ||
                       schema.find("$ref") != nullptr;
    if (!typed) {
      no("openai-type", "schema must have a 'type' key.", at);
    }
    const Value* items = schema.find("items");
    const Value* type = schema.find("type");
    if (type != nullptr && type->str() == "array" && items == nullptr) {
      no("openai-type", "array schema missing items", at);
    }
    if (const Value* values = schema.find("enum")) {
      std::size_t bytes = 0;
      for (const Value& one : values->array()) {
        bytes += one.is(Kind::string) ? one.size : 0;
      }
      enum_values_ += values->size;
      names_ += bytes;
      if (values->size > 250 && bytes > 15'000) {
        no("openai-size", "an enum of more than 250 values has more than 15,000 characters", at);
      }
      if (values->size == 0) {
        no("openai-type", "an enum without values", at);
      }
    }
  }

  void anthropic_rules(const Value& schema, const std::string& at) {
    if (const Value* min = schema.find("minItems"); min != nullptr && min->str() != "0" && min->str() != "1") {
      no("anthropic-keyword", "For 'array' type, 'minItems' values other than 0 or 1 are not supported", at);
    }
    if (const Value* pattern = schema.find("pattern")) {
      for (const std::string_view part : {"(?=", "(?!", "(?<", "\\b", "\\B", "\\1", "\\2"}) {
        if (pattern->str().find(part) != std::string_view::npos) {
          no("anthropic-keyword", "the pattern uses " + std::string(part) + ", which is not supported", at);
        }
      }
    }
    if (const Value* values = schema.find("enum")) {
      for (const Value& one : values->array()) {
        if (one.is(Kind::object) || one.is(Kind::array)) {
          no("anthropic-keyword", "an enum holds only texts, numbers, truth values and null", at);
        }
      }
    }
  }

  void follow(std::string_view reference, const std::string& at) {
    const bool openai = wire_ == Wire::openai;
    const Value* target = reference == "#"              ? &root_
                          : reference.starts_with("#/") ? json::resolve(root_, reference.substr(1))
                                                        : nullptr;
    if (target == nullptr) {
      no(openai ? "openai-reference" : "anthropic-recursive", "reference can only point to definitions in the schema",
         at);
      return;
    }
    if (!openai && (reference == "#" || reaches(*target, *target, 0))) {
      no("anthropic-recursive", "recursive schemas are not supported", at);
    }
  }

  // Whether a reference below `schema` leads to `goal`.
  bool reaches(const Value& schema, const Value& goal, std::size_t depth) {
    if (depth > 64) {
      return true;
    }
    if (schema.is(Kind::object)) {
      if (const Value* reference = schema.find("$ref"); reference != nullptr && reference->str().starts_with("#/")) {
        const Value* target = json::resolve(root_, reference->str().substr(1));
        if (target != nullptr && (target == &goal || reaches(*target, goal, depth + 1))) {
          return true;
        }
      }
      for (const json::Member& member : schema.object()) {
        if (member.key != "$ref" && reaches(member.value, goal, depth + 1)) {
          return true;
        }
      }
    }
    for (const Value& item : schema.array()) {
      if (reaches(item, goal, depth + 1)) {
        return true;
      }
    }
    return false;
  }

  Wire wire_;
  const Value& root_;
  std::optional<StrictProblem> refused_;
  std::size_t schemas_ = 0;
  std::size_t properties_ = 0;
  std::size_t names_ = 0;
  std::size_t enum_values_ = 0;
};

}  // namespace

std::optional<StrictProblem> strict_problem(Wire wire, const Value& schema) { return Walk(wire, schema).problem(); }

bool takes_strict(Wire wire, std::string_view schema) {
  json::Arena arena;
  const Result<Value> read = json::parse(schema, arena);
  return read && wire != Wire::ollama && !strict_problem(wire, read.value());
}

}  // namespace plumb::wire
