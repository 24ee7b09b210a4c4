// What schema objects read at other places. The compiler notes it while it reads, and resolves it when all nodes are
// there (link.cpp). Internal to core/contract.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Want {             // a place that must be remembered at an instance
  std::uint32_t levels;   // levels above the node's instance
  std::uint32_t pattern;  // index into Program::pointer_patterns; none32: the instance itself
  bool operator<(const Want& o) const { return levels != o.levels ? levels < o.levels : pattern < o.pattern; }
};

// A dynamic reference, which may lead to any anchor with its name.
struct DynamicUse {
  Node* node;
  std::size_t in_place;
  bool recursive;
};

// `distinct` or `acyclic` over a tree.
struct TreeUse {
  Node* node;
  std::size_t tree;  // index into extra->trees
  std::uint32_t from;
  std::uint32_t children;
  std::uint32_t by;
};

struct ByUse {  // `distinct` with `by`, over the items of an array
  Node* node;
  std::size_t distinct;
  std::uint32_t by;
};

}  // namespace plumb::contract
