// Plans for fast acceptance: how the engine accepts a whole value at once.
//
// Most of what is checked is sound, and for a sound value nothing has to be remembered: no place, no path, no
// evaluation. So where the engine meets a container, it first runs the container's plan over the bytes, a plain walk
// that knows two answers: nothing is wrong here, or cannot tell. After the first the engine goes on behind the value;
// after the second nothing has happened, and it judges the value in full. A plan never finds anything, so what a
// verdict says comes from one place only. A container that goes on in the next piece is held back meanwhile
// (fast_path_walk.hpp).
//
// A schema object has a plan when all that it and those below it ask for can be accepted that way: types, bounds,
// properties, lengths, patterns, `distinct` over strings, memberOf in a list beside the value, and the texts that a
// `distinct` or `acyclic` above collects. Applicators at the same instance, rules and other cross-field rules have
// none.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::contract {

struct Node;

// What an outer rule reads in a value: the state of its automaton, and whose it is, as an index into the readings of
// the container in which the plan begins.
struct FastAutomaton {
  std::uint32_t state = 0;
  std::uint32_t origin = 0;
  bool operator==(const FastAutomaton& o) const { return state == o.state && origin == o.origin; }
};

// How one value is accepted.
struct Plan {
  const Node* node = nullptr;  // null: anything is
  std::uint8_t types = 0;
  bool usable = false;       // without, the value is left to the engine
  bool free_string = false;  // nothing is asked of a string
  bool blank_only = false;   // but that it is not blank
  bool member = false;       // memberOf: one of the strings of the array at another slot
  bool distinct = false;     // an array of strings that all differ
  bool collects = false;     // a string that outer rules collect
  std::uint64_t calm = 0;    // bytes of an unfinished string by which nothing is certain about it
  std::uint32_t items = 0;   // plan of the items
  std::uint32_t other = 0;   // plan of members that the schema does not name
  std::uint64_t items_min = 0;
  std::uint64_t items_max = ~std::uint64_t{0};
  std::uint64_t members_min = 0;
  std::uint64_t members_max = ~std::uint64_t{0};
  struct Key {
    // The key and its closing quote, as far as sixteen bytes reach, to be compared at once.
    std::uint64_t words[2] = {};
    std::uint64_t masks[2] = {};
    std::string_view text;
    std::uint32_t plan = 0;
  };
  std::vector<Key> keys;  // as ObjectPart::slots
  std::uint64_t required = 0;
  std::uint64_t lists = 0;                                             // the slot, if any, whose array memberOf reads
  std::vector<std::pair<std::uint64_t, std::uint64_t>> dependents;     // where the first, all of the second
  std::vector<std::pair<std::uint32_t, std::uint32_t>> collect_rules;  // rule as in AutomatonState::collect, and origin
};

// The plan that a container's items have, by what is read in them.
struct FastStart {
  const Node* node = nullptr;
  std::vector<std::uint32_t> states;  // of the container
  std::uint32_t plan = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> trees;  // rules over trees that collect in it, and origin
};

struct FastPaths {
  std::vector<Plan> plans;        // the first accepts anything
  std::vector<FastStart> starts;  // where outer rules read
};

struct Program;
// Makes the plans of a contract whose nodes are ready. Bounds: 4,096 plans; what is beyond has none.
void plan_fast_paths(Program& program);

}  // namespace plumb::contract
