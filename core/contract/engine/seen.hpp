// Values seen before, for the rules on repeated values (keywords/distinct.hpp).
//
// Each set folds its texts into one buffer. It compares a few texts one by one, and more with a hash table that grows.
// A table that has become large is freed at the end, so that a big artifact does not slow down the small ones after
// it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/engine/evaluations.hpp"
#include "core/contract/pool.hpp"
#include "core/json/arena.hpp"

namespace plumb::contract {

// The texts and values seen by one `distinct`, uniqueItems or acyclic.
struct SeenSet {
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t text_from = 0;  // offset in `texts`; unused for values
    std::uint32_t text_size = 0;
    const json::Value* value = nullptr;
    std::uint32_t open = 0;  // acyclic: how often it occurs among the ancestors
  };
  std::vector<Entry> entries;
  std::vector<std::uint32_t> table;  // open addressing, index + 1; built beyond a few entries
  std::string texts;
  bool reported = false;
  // Trees: the open nodes, each with the entry of its label; none32 until the label has been read.
  struct TreeNode {
    std::uint32_t entry = none32;
    std::uint32_t depth = 0;        // of the node's instance
    std::uint32_t first_below = 0;  // labels.size() when the node began
  };
  std::vector<TreeNode> open_nodes;
  std::vector<std::uint32_t> labels;  // entries in reading order, kept while a node without label is open
  std::uint32_t unlabelled = 0;

  void clear() {
    constexpr std::size_t kept_max = 65536;
    entries.clear();
    texts.clear();
    table.clear();
    if (texts.capacity() > kept_max) {  // a large set frees its memory, for the sake of small artifacts
      std::string().swap(texts);
      std::vector<Entry>().swap(entries);
      std::vector<std::uint32_t>().swap(table);
    }
    open_nodes.clear();
    labels.clear();
    reported = false;
    unlabelled = 0;
  }
};

struct SeenSets {
  Reused<Pool<SeenSet>> sets;
  json::Arena arena;  // holds the values in the sets
  std::uint32_t open = 0;

  void reset() {
    sets.give_all(0, [](SeenSet& set) { set.clear(); });
    arena.clear();
    open = 0;
  }
};

SeenSet& seen_set(Engine& engine, Evaluation& e, std::uint32_t number);
// The entry of a value. `fresh`: it is new, because nothing equal was there.
std::uint32_t insert(Engine& engine, SeenSet& set, json::Kind kind, std::string_view text, bool boolean,
                     const json::Value* value, const DistinctPart* part, bool& fresh);
// Removes the texts that were inserted last, until `size` entries remain.
void forget(SeenSet& set, std::size_t size);

}  // namespace plumb::contract
