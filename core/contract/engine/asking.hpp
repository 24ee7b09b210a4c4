// Which schemas are wanted at an instance, each run once however many references lead to it.
//
// The common case is an instance with one schema object and no applicator in place: then there is one evaluation a
// container and none a scalar. Everything else goes through begin_place(): it asks for the schemas wanted at the
// instance and closes over $ref, allOf, anyOf and the like.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/contract/engine/evaluations.hpp"

namespace plumb::contract {

// A schema asked for at the next instance.
struct Wanted {
  const Node* node = nullptr;
  std::uint32_t parent = none32;
  Kw kw = Kw::none;
  Position position = 0;
  std::uint32_t order = 0;
  std::uint32_t group = none32;
  std::uint32_t branch = 0;
  std::uint32_t sink = 0;
  std::uint32_t scope = 0;
  bool in_place = false;
};

// A dynamic scope: the resources on the way to a schema, outermost first.
struct Scope {
  std::vector<std::uint32_t> resources;
};

// The evaluations of a place that has many of them, by schema object and scope.
using PlaceIndex = std::unordered_multimap<std::uint64_t, std::uint32_t>;

// Opens the evaluations wanted at the next instance. Returns where they begin in Engine::place.
std::uint32_t begin_place(Engine& engine);
// Closes them: the instance has ended.
void end_place(Engine& engine, std::uint32_t place_from);
// A schema asked for an item or member, whose outcome is its owner's to use: in a group of its own, with one branch.
// `w` says who asks. Returns the sink of that branch.
std::uint32_t want_alone(Engine& engine, Wanted w, const Node* node, Kw kw, Position position, std::uint32_t number);
// Schemas that a contract puts on its context. The context does not change, so each is judged once for a check.
void context_schemas(Engine& engine, std::uint32_t index);
// `pointers`, and rules with `each`: schemas for a place that a pattern reaches.
void want_applied(Engine& engine, const AutomatonState& reading, std::uint32_t owner);

}  // namespace plumb::contract
