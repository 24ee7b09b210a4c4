#include "core/derive/schema_copy.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/contract/schema_documents.hpp"

namespace plumb::derive {

using contract::Below;
using contract::Dialect;
using json::Kind;

namespace {

bool is_wording(std::string_view key) {
  return key == "errorMessage" || key == "itemLabel" || key == "severity" || key == "stopAt";
}

bool is_description(std::string_view key) {
  return key == "title" || key == "description" || key == "default" || key == "examples" || key == "deprecated" ||
         key == "readOnly" || key == "writeOnly" || key == "format";
}

// The last word of a location: "node" of "/$defs/node".
std::string last_word(std::string_view location) {
  const std::size_t slash = location.rfind('/');
  std::string out;
  for (char c : slash == std::string_view::npos ? std::string_view("contract") : location.substr(slash + 1)) {
    const bool plain = ascii::is_word(c) || c == '-';
    out += plain ? c : '_';
  }
  return out.empty() ? std::string("contract") : out;
}

}  // namespace

SchemaCopy::SchemaCopy(const SchemaGraph& graph, json::Writer& json, const Limits& limits)
    : graph_(graph), json_(json), limits_(limits), residues_(graph.residues()) {}

bool SchemaCopy::any_residue(SchemaId id, const json::Member& member) const {
  const std::vector<SchemaId> all = graph_.below(id, member);
  return std::any_of(all.begin(), all.end(), [this](SchemaId one) { return residues_[one]; });
}

std::string SchemaCopy::name_for(SchemaId target, Copy how) {
  for (const Definition& one : definitions_) {
    if (one.schema == target && one.how == how) {
      return one.name;
    }
  }
  const std::string base = last_word(graph_.location(target));
  std::string name = base;
  for (std::size_t n = 2;; ++n) {
    if (std::none_of(definitions_.begin(), definitions_.end(),
                     [&](const Definition& one) { return one.name == name; })) {
      break;
    }
    name = base + "_" + std::to_string(n);
  }
  definitions_.push_back({target, how, name});
  return name;
}

void SchemaCopy::reference(SchemaId target, Copy how) {
  const bool old = contract::ref_stands_alone(graph_.dialect(graph_.root())) && how != Copy::kept;
  std::string to = old ? "#/definitions/" : "#/$defs/";
  to += name_for(target, how);
  json_.string(to);
}

void SchemaCopy::schema_or_raw(const json::Value& schema, Copy how) {
  const SchemaId id = schema.is(Kind::object) || schema.is(Kind::boolean) ? graph_.find(schema) : no_schema;
  if (id == no_schema) {
    json_.value(schema);
  } else {
    value(id, how);
  }
}

void SchemaCopy::value(SchemaId id, Copy how) {
  const json::Value& schema = graph_.schema(id);
  if (schema.is(Kind::boolean)) {
    json_.boolean(schema.boolean);
    return;
  }
  if (depth_ > limits_.depth_max) {
    if (!failed_) {
      failed_ = true;
      error_ = {ErrorCode::limit, "schemas are nested more than " + std::to_string(limits_.depth_max) + " deep",
                graph_.location(id), 0, 0};
    }
    json_.boolean(true);
    return;
  }
  ++depth_;
  json_.begin_object();
  members(id, how);
  json_.end_object();
  --depth_;
}

// The value of an applicator, with all schemas in it copied.
void SchemaCopy::below(const json::Value& holder, std::string_view key, SchemaId id, Copy how) {
  switch (contract::below_keyword(key, graph_.dialect(id))) {
    case Below::nothing:
      json_.value(holder);
      return;
    case Below::schema:
      schema_or_raw(holder, how);
      return;
    case Below::schema_or_schemas:
      if (!holder.is(Kind::array)) {
        schema_or_raw(holder, how);
        return;
      }
      [[fallthrough]];
    case Below::schemas:
      json_.begin_array();
      for (const json::Value& one : holder.array()) {
        schema_or_raw(one, how);
      }
      json_.end_array();
      return;
    case Below::schema_map:
    case Below::dependencies:
      json_.begin_object();
      for (const json::Member& one : holder.object()) {
        json_.key(one.key);
        if (key == "dependencies" && how == Copy::kept && one.value.is(Kind::array)) {
          json_.begin_object().key("required").value(one.value).end_object();
        } else {
          schema_or_raw(one.value, how);
        }
      }
      json_.end_object();
      return;
    case Below::our_rules:
      json_.begin_array();
      for (const json::Value& rule : holder.array()) {
        json_.begin_object();
        for (const json::Member& part : rule.object()) {
          json_.key(part.key);
          if (part.key == "check") {
            schema_or_raw(part.value, how);
          } else {
            json_.value(part.value);
          }
        }
        json_.end_object();
      }
      json_.end_array();
      return;
  }
}

// `named`: the keyword for what is not named here stays, so that the names must stay too.
void SchemaCopy::rest_of_places(SchemaId id, const json::Member& member, bool named) {
  auto rest_or_true = [this](const json::Value& schema) {
    const SchemaId one = graph_.find(schema);
    if (one != no_schema && residues_[one]) {
      value(one, Copy::rest);
    } else {
      json_.boolean(true);
    }
  };
  auto wanted = [this, named](const json::Value& schema) {
    const SchemaId one = graph_.find(schema);
    return named || (one != no_schema && residues_[one]);
  };
  json_.key(member.key);
  if (contract::below_keyword(member.key, graph_.dialect(id)) == Below::schema_map) {
    json_.begin_object();
    for (const json::Member& one : member.value.object()) {
      if (wanted(one.value)) {
        json_.key(one.key);
        rest_or_true(one.value);
      }
    }
    json_.end_object();
  } else if (member.value.is(Kind::array)) {
    std::size_t count = member.value.size;
    while (count > 1 && !wanted(member.value.items[count - 1])) {
      --count;
    }
    json_.begin_array();
    for (std::size_t i = 0; i < count; ++i) {
      rest_or_true(member.value.items[i]);
    }
    json_.end_array();
  } else {
    rest_or_true(member.value);
  }
}

// The keyword's name in the copy: a kept one is of 2020-12, whatever the contract is. Empty where it says nothing.
std::string_view SchemaCopy::key_of(SchemaId id, const json::Member& member, Copy how) const {
  if (how != Copy::kept || graph_.dialect(id) >= Dialect::draft2020_12) {
    return member.key;
  }
  const json::Value* items = graph_.schema(id).find("items");
  const bool by_place = items != nullptr && items->is(Kind::array);
  if (member.key == "items" && by_place) {
    return "prefixItems";
  }
  if (member.key == "additionalItems") {
    return by_place ? "items" : "";
  }
  return member.key == "dependencies" ? "dependentSchemas" : member.key;
}

void SchemaCopy::member(SchemaId id, const json::Member& member, Copy how) {
  const json::Value& schema = graph_.schema(id);
  const std::uint32_t position = static_cast<std::uint32_t>(&member - schema.members);
  const Role role = graph_.role(id, member);
  if (role == Role::note) {
    if (how == Copy::kept ? is_description(member.key) && !(member.key == "format" && graph_.left(id, position))
                          : is_wording(member.key) || member.key == "format") {
      json_.key(member.key).value(member.value);
    }
    return;
  }
  const bool left = graph_.left(id, position);
  if (how == Copy::kept && left) {
    return;
  }
  if (how == Copy::rest && !left) {
    // What follows `properties` and the like depends on which names they have.
    auto stays = [&](std::string_view key) {
      for (std::size_t i = 0; i < schema.size; ++i) {
        const json::Member& other = schema.members[i];
        if (other.key == key && graph_.role(id, other) == Role::places) {
          return graph_.left(id, static_cast<std::uint32_t>(i)) || any_residue(id, other);
        }
      }
      return false;
    };
    const bool some = any_residue(id, member);
    if (role == Role::reference) {
      if (some) {
        json_.key(member.key);
        reference(graph_.target(id), Copy::rest);
      }
    } else if (role == Role::every) {
      if (some) {
        json_.key(member.key).begin_array();
        for (SchemaId one : graph_.below(id, member)) {
          if (residues_[one]) {
            value(one, Copy::rest);
          }
        }
        json_.end_array();
      }
    } else if (role == Role::places) {
      bool named = (member.key == "properties" || member.key == "patternProperties") && stays("additionalProperties");
      named = named || (member.key == "prefixItems" && stays("items"));
      named = named || (member.key == "items" && member.value.is(Kind::array) && stays("additionalItems"));
      if (some || named) {
        rest_of_places(id, member, named);
      }
    } else if (some) {  // which branch holds is decided by all of it
      json_.key(member.key);
      below(member.value, member.key, id, Copy::whole);
    }
    return;
  }
  const Copy inner = how == Copy::kept ? Copy::kept : Copy::whole;
  const std::string_view key = key_of(id, member, how);
  if (key.empty()) {
    return;
  }
  json_.key(key);
  if (role == Role::reference) {
    reference(graph_.target(id), inner);
  } else {
    below(member.value, member.key, id, inner);
  }
}

void SchemaCopy::members(SchemaId id, Copy how) {
  const Copy own = how == Copy::rest && graph_.opaque(id) ? Copy::whole : how;
  for (const json::Member& one : graph_.schema(id).object()) {
    member(id, one, own);
  }
}

void SchemaCopy::root_members(SchemaId root, Copy how) {
  const bool all = graph_.schema(root).is(Kind::boolean) && !graph_.schema(root).boolean;
  if (all) {
    json_.key("not").begin_object().end_object();
  }
  members(root, how);
  const bool old = contract::ref_stands_alone(graph_.dialect(root)) && how != Copy::kept;
  if (definitions_.empty()) {
    return;
  }
  json_.key(old ? "definitions" : "$defs").begin_object();
  for (std::size_t i = 0; i < definitions_.size() && !failed_; ++i) {  // grows while it is written
    const Definition one = definitions_[i];
    json_.key(one.name);
    value(one.schema, one.how);
  }
  json_.end_object();
}

}  // namespace plumb::derive
