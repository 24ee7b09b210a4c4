#include "core/derive/schema_graph.hpp"

#include <algorithm>
#include <functional>

#include "core/contract/schema_documents.hpp"
#include "core/json/pointer.hpp"

namespace plumb::derive {

using contract::Dialect;
using json::Kind;

namespace {

constexpr std::string_view our_notes[] = {"itemLabel", "errorMessage", "severity", "stopAt", "role", "itemId"};

template <std::size_t n>
bool one_of(std::string_view key, const std::string_view (&list)[n]) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

bool known_dialect(const json::Value& schema) {
  const json::Value* named = schema.find("$schema");
  if (named == nullptr) {
    return true;
  }
  return contract::dialect_of_uri(named->str()) != nullptr || named->str().starts_with("plumb:");
}

}  // namespace

bool is_our_check(std::string_view key) {
  return one_of(key, contract::vocabulary_keywords) && !one_of(key, our_notes);
}

Role role_of(std::string_view key, Dialect dialect) {
  static constexpr std::string_view places[] = {"properties", "patternProperties", "additionalProperties",
                                                "items",      "prefixItems",       "additionalItems"};
  static constexpr std::string_view others[] = {"not",
                                                "if",
                                                "then",
                                                "else",
                                                "contains",
                                                "minContains",
                                                "maxContains",
                                                "dependencies",
                                                "dependentSchemas",
                                                "propertyNames",
                                                "unevaluatedItems",
                                                "unevaluatedProperties",
                                                "$dynamicRef",
                                                "$recursiveRef"};
  if (key == "$ref") {
    return Role::reference;
  }
  if (key == "allOf") {
    return Role::every;
  }
  if (key == "anyOf" || key == "oneOf") {
    return Role::unions;
  }
  if (one_of(key, places)) {
    if ((key == "prefixItems" && dialect < Dialect::draft2020_12) ||
        (key == "additionalItems" && dialect >= Dialect::draft2020_12)) {
      return Role::note;
    }
    return Role::places;
  }
  if (one_of(key, others)) {
    return Role::other;
  }
  if (is_our_check(key)) {
    return Role::check;
  }
  return contract::facets_of(contract::kw_named(key)).group == contract::KwGroup::standard ? Role::check : Role::note;
}

SchemaGraph::SchemaGraph(const contract::Contract& contract) : program_(contract.program()) {
  const std::size_t count = program_.nodes.size();
  by_value_.reserve(count);
  warns_.resize(count, false);
  opaque_.resize(count, false);
  left_.resize(count);
  for (std::uint32_t id = 0; id < count; ++id) {
    const contract::Node& one = program_.nodes[id];
    by_value_.emplace_back(one.schema, id);
    if (&one == program_.root) {
      root_ = id;
    }
  }
  std::sort(by_value_.begin(), by_value_.end(),
            [](const auto& a, const auto& b) { return std::less<const json::Value*>()(a.first, b.first); });
  // What is left of a contract of draft 4 could not be written as such: it is held in draft 6's form.
  movable_ = !program_.uses_dynamic_scope && dialect(root_) != Dialect::draft4;
  for (std::uint32_t id = 0; id < count; ++id) {
    const contract::Node& one = program_.nodes[id];
    const json::Value& value = *one.schema;
    bool known = known_dialect(value);
    const contract::Resource& resource = program_.resources[one.resource];
    known = known && resource.root != nullptr && known_dialect(*resource.root->schema);
    movable_ = movable_ && known && dialect(id) == dialect(root_);
    warns_[id] = !known || one.severity != contract::Severity::error;
    bool unevaluated = false;
    for (const json::Member& member : value.object()) {
      unevaluated = unevaluated ||
                    (counts(id, member) && (member.key == "unevaluatedItems" || member.key == "unevaluatedProperties"));
      if (member.key == "$dynamicRef" || member.key == "$recursiveRef") {
        movable_ = false;
      }
    }
    opaque_[id] = warns_[id] || unevaluated;
  }
}

Dialect SchemaGraph::dialect(SchemaId id) const { return program_.resources[program_.nodes[id].resource].dialect; }

std::string SchemaGraph::location(SchemaId id, std::string_view key) const {
  std::string out = location(id);
  json::append_token(out, key);
  return out;
}

SchemaId SchemaGraph::find(const json::Value& value) const {
  auto at = std::lower_bound(by_value_.begin(), by_value_.end(), &value, [](const auto& entry, const json::Value* v) {
    return std::less<const json::Value*>()(entry.first, v);
  });
  return at != by_value_.end() && at->first == &value ? at->second : no_schema;
}

Role SchemaGraph::role(SchemaId id, const json::Member& member) const {
  if (!counts(id, member) || !contract::dialect_knows(dialect(id), contract::kw_named(member.key))) {
    return Role::note;
  }
  if (member.key == "format") {
    return node(id).string && node(id).string->format ? Role::check : Role::note;
  }
  return role_of(member.key, dialect(id));
}

SchemaId SchemaGraph::target(SchemaId id) const {
  for (const contract::InPlace& in : node(id).in_place) {
    if (in.form == contract::InPlaceForm::reference && in.node != nullptr) {
      return find(*in.node->schema);
    }
  }
  return no_schema;
}

bool SchemaGraph::counts(SchemaId id, const json::Member& member) const {
  return !contract::ref_stands_alone(dialect(id)) || member.key == "$ref" || schema(id).find("$ref") == nullptr;
}

std::vector<SchemaId> SchemaGraph::below(SchemaId id, const json::Member& member) const {
  std::vector<SchemaId> out;
  auto add = [&](const json::Value& value) {
    const SchemaId found = value.is(Kind::object) || value.is(Kind::boolean) ? find(value) : no_schema;
    if (found != no_schema) {
      out.push_back(found);
    }
  };
  if (!counts(id, member)) {
    return out;
  }
  if (member.key == "$ref") {
    const SchemaId to = target(id);
    if (to != no_schema) {
      out.push_back(to);
    }
    return out;
  }
  using contract::Below;
  switch (contract::below_keyword(member.key, dialect(id))) {
    case Below::nothing:
      break;
    case Below::schema:
      add(member.value);
      break;
    case Below::schemas:
      for (const json::Value& one : member.value.array()) {
        add(one);
      }
      break;
    case Below::schema_map:
    case Below::dependencies:
      if (member.key != "$defs" && member.key != "definitions") {
        for (const json::Member& one : member.value.object()) {
          add(one.value);
        }
      }
      break;
    case Below::schema_or_schemas:
      add(member.value);
      for (const json::Value& one : member.value.array()) {
        add(one);
      }
      break;
    case Below::our_rules:
      for (const json::Value& one : member.value.array()) {
        if (const json::Value* check = one.find("check")) {
          add(*check);
        }
      }
      break;
  }
  return out;
}

void SchemaGraph::leave(SchemaId id, std::string_view key) {
  std::span<const json::Member> members = schema(id).object();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].key == key && role(id, members[i]) != Role::note) {
      left_[id].resize(members.size(), false);
      left_[id][i] = true;
    }
  }
}

void SchemaGraph::leave_all(SchemaId id) {
  for (const json::Member& member : schema(id).object()) {
    leave(id, member.key);
  }
}

bool SchemaGraph::left(SchemaId id, std::uint32_t position) const {
  return position < left_[id].size() && left_[id][position];
}

std::vector<bool> SchemaGraph::residues() const {
  std::vector<std::vector<SchemaId>> from(size());  // child -> parents
  std::vector<bool> out(size(), false);
  std::vector<SchemaId> todo;
  for (SchemaId id = 0; id < size(); ++id) {
    if (std::find(left_[id].begin(), left_[id].end(), true) != left_[id].end()) {
      out[id] = true;
      todo.push_back(id);
    }
    for (const json::Member& member : schema(id).object()) {
      for (SchemaId child : below(id, member)) {
        from[child].push_back(id);
      }
    }
  }
  while (!todo.empty()) {
    const SchemaId id = todo.back();
    todo.pop_back();
    for (SchemaId parent : from[id]) {
      if (!out[parent]) {
        out[parent] = true;
        todo.push_back(parent);
      }
    }
  }
  return out;
}

}  // namespace plumb::derive
