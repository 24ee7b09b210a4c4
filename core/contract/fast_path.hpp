// Plans for fast acceptance, with which the engine accepts a whole value at once.
//
// Most values are valid, and for a valid value the engine need not remember places, paths or evaluations. At a
// container it first runs the container's plan over the bytes. This plain walk has two answers: nothing is wrong, or
// cannot tell. After the first, the engine continues behind the value. After the second, nothing has changed, and the
// engine judges the value in full. A plan never reports a finding, so every finding comes from one place. A container
// that continues in the next piece is held back until then (fast_path_walk.hpp).
//
// A schema object has a plan if everything that it and the schemas below it require can be accepted that way: types,
// bounds, properties, lengths, patterns, `distinct` over strings, memberOf in a list beside the value, and texts that
// a `distinct` or `acyclic` above collects. A schema object with applicators at the same instance, rules, or other
// cross-field rules has no plan.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::contract {

struct Node;

// What an outer rule reads in a value: the state of its automaton, and its owner, as an index into the readings of the
// container where the plan begins.
struct FastAutomaton {
  std::uint32_t state = 0;
  std::uint32_t origin = 0;
  bool operator==(const FastAutomaton& o) const { return state == o.state && origin == o.origin; }
};

// How one value is accepted.
struct Plan {
  const Node* node = nullptr;  // nullptr: any value is accepted
  std::uint8_t types = 0;
  bool usable = false;       // if false, the value is left to the engine
  bool free_string = false;  // a string may be anything
  bool blank_only = false;   // a string may be anything that is not blank
  bool member = false;       // memberOf: one of the strings of the array in another slot
  bool distinct = false;     // an array of strings that must all differ
  bool collects = false;     // a string that outer rules collect
  std::uint64_t calm = 0;    // bytes of an unfinished string within which nothing can become certain
  std::uint32_t items = 0;   // the plan of the items
  std::uint32_t other = 0;   // the plan of members that the schema does not name
  std::uint64_t items_min = 0;
  std::uint64_t items_max = ~std::uint64_t{0};
  std::uint64_t members_min = 0;
  std::uint64_t members_max = ~std::uint64_t{0};
  struct Key {
    // The key with its closing quote, as far as it fits in sixteen bytes, for one comparison.
    std::uint64_t words[2] = {};
    std::uint64_t masks[2] = {};
    std::string_view text;
    std::uint32_t plan = 0;
  };
  std::vector<Key> keys;  // in the order of ObjectPart::slots
  std::uint64_t required = 0;
  std::uint64_t lists = 0;  // a bit for the slot whose array memberOf reads, or 0
  // If the first slots are there, so must the second be.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> dependents;
  // The rule, as in AutomatonState::collect, and its origin.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> collect_rules;
};

// The plan of a container's items, which depends on what outer rules read in them.
struct FastStart {
  const Node* node = nullptr;
  std::vector<std::uint32_t> states;  // of the container's readings
  std::uint32_t plan = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> trees;  // rules over trees that collect in it, and their origin
};

struct FastPaths {
  std::vector<Plan> plans;        // the first plan accepts anything
  std::vector<FastStart> starts;  // containers in which outer rules read
};

struct Program;
// Makes the plans of a contract whose nodes are complete. At most 4,096 plans; nodes beyond them have none.
void plan_fast_paths(Program& program);

}  // namespace plumb::contract
