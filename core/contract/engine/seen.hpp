// What has been seen before, for the rules on repeated values (keywords/distinct.hpp).
//
// Texts are folded into one buffer for each set; a few are compared one by one, more get a hash table that grows with
// them and is thrown away when it was large, so that a big artifact does not slow the small ones after it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/engine/evaluations.hpp"
#include "core/contract/pool.hpp"
#include "core/json/arena.hpp"

namespace plumb::contract {

// Texts and values seen so far by one `distinct`, uniqueItems or acyclic.
struct SeenSet {
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t text_from = 0;  // in `texts`; for values: unused
    std::uint32_t text_size = 0;
    const json::Value* value = nullptr;
    std::uint32_t open = 0;  // acyclic: how often it is among the ancestors of the place
  };
  std::vector<Entry> entries;
  std::vector<std::uint32_t> table;  // open addressing, index + 1; built beyond a few entries
  std::string texts;
  bool reported = false;
  // Trees: the labels of the nodes that are open, by entry; none32 while a node's label has not been read.
  struct TreeNode {
    std::uint32_t entry = none32;
    std::uint32_t depth = 0;        // of the node's instance
    std::uint32_t first_below = 0;  // labels.size() when it began
  };
  std::vector<TreeNode> open_nodes;
  std::vector<std::uint32_t> labels;  // entries in the order of reading, kept while a node without label is open
  std::uint32_t unlabelled = 0;

  void clear() {
    constexpr std::size_t kept_max = 65536;
    entries.clear();
    texts.clear();
    table.clear();
    if (texts.capacity() > kept_max) {  // a big artifact must not slow the small ones after it
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
  json::Arena arena;  // of the values in them
  std::uint32_t open = 0;

  void reset() {
    sets.give_all(0, [](SeenSet& set) { set.clear(); });
    arena.clear();
    open = 0;
  }
};

SeenSet& seen_set(Engine& engine, Evaluation& e, std::uint32_t number);
// The entry of a value, new where nothing equal was there.
std::uint32_t insert(Engine& engine, SeenSet& set, json::Kind kind, std::string_view text, bool boolean,
                     const json::Value* value, const DistinctPart* part, bool& fresh);
// Takes back the texts that were inserted last, until `size` are left.
void forget(SeenSet& set, std::size_t size);

}  // namespace plumb::contract
