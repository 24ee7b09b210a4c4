// uniqueItems, distinct and acyclic: values that must not be there twice, among the items of an array, among what a
// pointer reaches in each item, in a tree, or among the ancestors of a node.
//
// They share the sets of what has been seen (engine/seen.hpp), and two rules over the same tree share one.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

// An item has ended in an array with uniqueItems or distinct over the items themselves.
void item_seen(Engine& engine, json::Kind kind, std::string_view text, bool boolean, const json::Value* value);
// A value that `by` reaches has ended.
void collect(Engine& engine, std::uint32_t rule, std::uint32_t owner, json::Kind kind, std::string_view text,
             bool boolean, const json::Value* value);
// Nodes of trees: the set of a rule over one, whether it looks for cycles, and a node that begins or ends.
std::uint32_t tree_set_number(const Node& node, std::uint32_t tree);
bool looks_for_cycles(const Node& node, std::uint32_t tree);
void tree_begin(Engine& engine, std::uint32_t tree, std::uint32_t owner);
void tree_end(Engine& engine, std::uint32_t tree, std::uint32_t owner);

}  // namespace plumb::contract
