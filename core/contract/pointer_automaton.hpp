// Pointer automata: what a rule reads outside its own instance, and how the engine remembers only that.
//
// A pointer pattern ("1/options/*") names a base, some levels above the instance, and a way down from there. The
// compiler moves every pattern to the schema object of its base. There the patterns become one small automaton over
// keys and indices, whose states are AutomatonStates. While the base is open, the engine moves through the automaton
// along with the text, and remembers the values that a state asks for. The result is a partial tree, in which every
// pattern finds what it would find in the whole artifact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/pointer.hpp"

namespace plumb::contract {

using json::PointerPattern;

// Set in AutomatonState::collect for a rule over a tree.
inline constexpr std::uint32_t tree_collect_flag = 0x80000000U;

struct AutomatonState {
  std::vector<std::pair<std::string, std::uint32_t>> children;  // key or index, and the state that follows
  std::uint32_t star = ~std::uint32_t{0};                       // the state that follows any member or item
  bool keep = false;      // remember the value: a scalar, or the parts of a container that are asked for
  bool keep_all = false;  // remember the value with everything in it
  // The value that ends here is given to this `distinct` or `acyclic` of the base's node.
  std::uint32_t collect = ~std::uint32_t{0};
  // A node of this tree begins here (`distinct` and `acyclic` with `from`).
  std::uint32_t tree_node = ~std::uint32_t{0};
  std::vector<std::uint32_t> applies;  // indices into ExtraPart::pointed of the base's node

  bool empty() const { return children.empty() && star == ~std::uint32_t{0}; }
};

}  // namespace plumb::contract
