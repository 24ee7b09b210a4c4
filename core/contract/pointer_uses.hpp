// What schema objects read at other places, as the compiler meets it: linked when all nodes are there (link.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Want {             // something that must be remembered at an instance
  std::uint32_t levels;   // above the instance of the node
  std::uint32_t pattern;  // index into pointer_patterns, or none32: the instance itself
  bool operator<(const Want& o) const { return levels != o.levels ? levels < o.levels : pattern < o.pattern; }
};

// A dynamic reference: it may lead to any anchor of its name.
struct DynamicUse {
  Node* node;
  std::size_t in_place;
  bool recursive;
};

// distinct or acyclic over a tree.
struct TreeUse {
  Node* node;
  std::size_t tree;  // index into extra->trees
  std::uint32_t from;
  std::uint32_t children;
  std::uint32_t by;
};

struct ByUse {  // distinct with `by` over the items of an array
  Node* node;
  std::size_t distinct;
  std::uint32_t by;
};

}  // namespace plumb::contract
