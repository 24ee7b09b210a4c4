// `openai`: the contract's schemas as they are, without the Plumbline vocabulary, in one document.
//
// Taking a keyword out of a schema makes it accept more. That is sound where the schema must hold, and below anyOf; it
// is not where a schema must not hold, or where it counts how often it does. There the whole applicator is taken out.

#include <algorithm>

#include "core/derive/draft.hpp"
#include "core/derive/schema_copy.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

using json::Kind;

namespace {

bool exact_only(std::string_view key) {
  return key == "not" || key == "oneOf" || key == "contains" || key == "if" || key == "unevaluatedItems" ||
         key == "unevaluatedProperties";
}

// Of what is applied at the same place as a schema, an applicator is left: then less is evaluated there.
bool evaluates_less(const SchemaGraph& graph, SchemaId id) {
  std::vector<SchemaId> seen{id};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const json::Value& schema = graph.schema(seen[i]);
    for (std::uint32_t at = 0; at < schema.object().size(); ++at) {
      const json::Member& member = schema.members[at];
      const Role role = graph.role(seen[i], member);
      if (role == Role::note || role == Role::check || role == Role::places) {
        continue;
      }
      if (graph.left(seen[i], at)) {
        return true;
      }
      for (SchemaId below : graph.below(seen[i], member)) {
        if (std::find(seen.begin(), seen.end(), below) == seen.end()) {
          seen.push_back(below);
        }
      }
    }
  }
  return false;
}

void leave_group(SchemaGraph& graph, SchemaId id, std::string_view key) {
  graph.leave(id, key);
  if (key == "if") {
    graph.leave(id, "then");
    graph.leave(id, "else");
  } else if (key == "contains") {
    graph.leave(id, "minContains");
    graph.leave(id, "maxContains");
  }
}

}  // namespace

void leave_what_is_ours(SchemaGraph& graph) {
  for (SchemaId id = 0; id < graph.size(); ++id) {
    if (graph.warns(id)) {
      graph.leave_all(id);
    }
    for (const json::Member& member : graph.schema(id).object()) {
      if (is_our_check(member.key)) {
        graph.leave(id, member.key);
      }
    }
  }
  bool more = true;
  while (more) {  // each round takes at least one applicator out
    more = false;
    const std::vector<bool> residues = graph.residues();
    for (SchemaId id = 0; id < graph.size(); ++id) {
      const json::Value& schema = graph.schema(id);
      for (std::uint32_t i = 0; i < schema.object().size(); ++i) {
        const json::Member& member = schema.members[i];
        if (!exact_only(member.key) || graph.left(id, i) || graph.role(id, member) == Role::note) {
          continue;
        }
        const bool evaluates = member.key.starts_with("unevaluated");
        bool inexact = evaluates && evaluates_less(graph, id);
        for (const json::Member& part : schema.object()) {
          const bool of_group =
              part.key == member.key || (member.key == "if" && (part.key == "then" || part.key == "else"));
          if (of_group && !evaluates) {
            for (SchemaId one : graph.below(id, part)) {
              inexact = inexact || residues[one];
            }
          }
        }
        if (inexact) {
          leave_group(graph, id, member.key);
          more = true;
        }
      }
    }
  }
}

namespace {

// The schema itself, where the root only refers to it.
SchemaId real_root(const SchemaGraph& graph) {
  SchemaId id = graph.root();
  for (int steps = 0; steps < 100 && !graph.warns(id); ++steps) {
    SchemaId next = no_schema;
    for (const json::Member& member : graph.schema(id).object()) {
      const Role role = graph.role(id, member);
      if (role == Role::reference) {
        next = graph.target(id);
      } else if (role != Role::note) {
        return id;
      }
    }
    if (next == no_schema) {
      return id;
    }
    id = next;
  }
  return id;
}

bool bundle(Draft& draft) {
  if (draft.graph.movable()) {
    leave_what_is_ours(draft.graph);
    return true;
  }
  for (SchemaId id = 0; id < draft.graph.size(); ++id) {
    for (std::string_view key : {"$dynamicRef", "$recursiveRef"}) {
      if (draft.graph.schema(id).find(key) != nullptr) {
        draft.fail(ErrorCode::invalid_argument, draft.graph.location(id, key),
                   std::string(key) + " cannot be written for this target; refer with $ref");
      }
    }
  }
  draft.fail(ErrorCode::invalid_argument, "",
             "the contract uses several dialects, or a meta-schema of its own, which "
             "cannot be written for this target");
  return false;
}

std::string_view description_of_root(const Draft& draft) {
  const json::Value& root = draft.graph.schema(draft.graph.root());
  for (std::string_view key : {"description", "title"}) {
    const json::Value* found = root.find(key);
    if (found != nullptr && found->is(Kind::string)) {
      return found->str();
    }
  }
  return {};
}

}  // namespace

void write_openai(Draft& draft) {
  if (!bundle(draft)) {
    return;
  }
  json::Writer json(draft.text, 2);
  json.begin_object().member("type", "json_schema").key("json_schema").begin_object();
  json.member("name", plain_name(draft.contract.name()));
  if (!description_of_root(draft).empty()) {
    json.member("description", description_of_root(draft));
  }
  json.member_boolean("strict", false).key("schema").begin_object();
  SchemaCopy copy(draft.graph, json, draft.limits);
  copy.root_members(real_root(draft.graph), Copy::kept);
  json.end_object().end_object().end_object();
  draft.text += "\n";
  if (copy.error() != nullptr) {
    draft.fail(copy.error()->code, copy.error()->where, copy.error()->message);
  }
}

}  // namespace plumb::derive
