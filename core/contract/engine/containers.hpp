// Objects and arrays while they are open, and their items as they begin.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/engine/evaluations.hpp"
#include "core/json/arena.hpp"
#include "core/json/positions.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

// A container that is open.
struct Frame {
  json::Kind kind = json::Kind::array;
  bool records = false;  // its children become part of a remembered value
  bool records_all = false;
  bool listens = false;              // something is done with each child that has ended
  bool item_hooks = false;           // uniqueItems or distinct look at each item
  bool needs_value = false;          // a rule of its own looks at the whole of it
  bool kept = false;                 // its parent remembers it
  bool collects = false;             // it is given to a distinct or acyclic
  bool simple_items = false;         // an array in which all items are asked for one schema, at most
  bool items_kept = false;           // and remembered, or not, all alike
  bool has_trees = false;            // a node of some tree
  bool releases = false;             // the arena goes back to `mark` when it closes
  bool known_key = false;            // `key` belongs to the contract, not to the key buffer
  std::uint32_t count = 0;           // members or items begun
  std::uint32_t items_room = 0;      // simple_items: as many may begin before maxItems speaks
  const Node* item_node = nullptr;   // simple_items: what they are asked for, or null
  std::uint32_t fast_path = none32;  // simple_items: the plan of the items, where there is one
  std::uint32_t evaluations_from = 0;
  std::uint32_t evaluations_to = 0;
  std::uint32_t readings_from = 0;
  std::uint32_t readings_to = 0;
  std::uint32_t keys_from = 0;
  std::uint32_t key_bytes_from = 0;
  std::uint32_t values_from = 0;
  std::uint32_t key_table = none32;
  std::uint32_t open_found = none32;
  std::uint32_t deferred = none32;
  std::uint32_t key_offset = 0;  // in the key buffer
  std::uint32_t key_size = 0;
  const char* key_known = nullptr;
  std::uint64_t key_from = 0;
  std::uint64_t key_to = 0;
  std::uint64_t from = 0;
  json::Place place;  // of `from`, once its piece is over
  bool placed = false;
  json::Arena::Mark mark;
};

Frame& open_frame(Engine& engine, json::Kind kind, std::uint64_t from);
void close_frame(Engine& engine, std::uint64_t to);
// An item begins: the schemas that are wanted there, and the bounds that it breaks. Members begin with their key.
void item_begin(Engine& engine);
// Moves the readings of a container on to its child.
void readings_for_child(Engine& engine, const Frame& frame);
// A value has ended: its container remembers it where it should, and looks at it. `value` is the whole of a container
// that was remembered, for rules that look at items.
void after_value(Engine& engine, const json::Value* remembered, json::Kind kind, std::string_view text, bool boolean,
                 const json::Value* value);

}  // namespace plumb::contract
