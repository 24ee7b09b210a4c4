// The schemas that are wanted at an instance. Each is evaluated once, however many references lead to it.
//
// Most instances have one schema object and no applicator in place. Then a container has one evaluation and a scalar
// has none. All others go through begin_place(), which collects the schemas wanted at the instance and follows $ref,
// allOf, anyOf and the like.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/contract/engine/evaluations.hpp"

namespace plumb::contract {

// A schema that is asked for at the next instance. The members are those of Evaluation.
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

// The evaluations of a place with many of them, by schema object and scope.
using PlaceIndex = std::unordered_multimap<std::uint64_t, std::uint32_t>;

// Opens the evaluations wanted at the next instance. Returns their first index in Engine::place.
std::uint32_t begin_place(Engine& engine);
// Closes them, because the instance has ended.
void end_place(Engine& engine, std::uint32_t place_from);
// Asks for a schema at an item or member, for an owner that uses its outcome (contains, unevaluated*). The schema gets
// a group of its own with one branch. `w` describes the owner. Returns the sink of the branch.
std::uint32_t want_alone(Engine& engine, Wanted w, const Node* node, Kw kw, Position position, std::uint32_t number);
// Judges the schemas that a contract puts on its context. The context does not change, so this happens once per check.
void context_schemas(Engine& engine, std::uint32_t index);
// Asks for the schemas of `pointers`, and of rules with `each`, at a place that their pattern has reached.
void want_applied(Engine& engine, const AutomatonState& reading, std::uint32_t owner);

}  // namespace plumb::contract
