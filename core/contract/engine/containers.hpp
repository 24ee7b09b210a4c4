// Objects and arrays while they are open, and the beginning of their items.
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
  bool records = false;  // its children are parts of a remembered value
  bool records_all = false;
  bool listens = false;              // each child that ends is looked at
  bool item_hooks = false;           // uniqueItems or `distinct` look at each item
  bool needs_value = false;          // a rule of its own needs the whole value
  bool kept = false;                 // its parent remembers it
  bool collects = false;             // the value is given to a `distinct` or `acyclic`
  bool simple_items = false;         // an array whose items are asked for one schema at most
  bool items_kept = false;           // simple_items: all items are remembered
  bool has_trees = false;            // it may contain a node of a tree
  bool releases = false;             // the arena returns to `mark` when it closes
  bool known_key = false;            // `key` belongs to the contract, else to the key buffer
  std::uint32_t count = 0;           // members or items begun
  std::uint32_t items_room = 0;      // simple_items: items that may still begin before maxItems breaks
  const Node* item_node = nullptr;   // simple_items: the schema of the items, or nullptr
  std::uint32_t fast_path = none32;  // simple_items: the plan of the items, or none32
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
  std::uint32_t key_offset = 0;  // offset in the key buffer
  std::uint32_t key_size = 0;
  const char* key_known = nullptr;
  std::uint64_t key_from = 0;
  std::uint64_t key_to = 0;
  std::uint64_t from = 0;
  json::Place place;  // the place of `from`, set when the piece with it is over
  bool placed = false;
  json::Arena::Mark mark;
};

Frame& open_frame(Engine& engine, json::Kind kind, std::uint64_t from);
void close_frame(Engine& engine, std::uint64_t to);
// Begins an item: asks for its schemas, and reports the bounds that it breaks. Members begin with their key instead.
void item_begin(Engine& engine);
// Moves the readings of a container on to its next child.
void readings_for_child(Engine& engine, const Frame& frame);
// A value has ended. Its container remembers it if something asks for it, and lets its rules look at it. `value` is
// the whole value of a container that was remembered, for rules on items.
void after_value(Engine& engine, const json::Value* remembered, json::Kind kind, std::string_view text, bool boolean,
                 const json::Value* value);

}  // namespace plumb::contract
