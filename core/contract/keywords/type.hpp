// type: what kind of value it is. Known with the first byte of the value, but for `integer`, which a number decides at
// its end.
#pragma once

#include <cstdint>
#include <string>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

// ", a string or null" for a schema object that wants certain types; empty where it takes any.
std::string type_requirement(const Node& node);
// Judges the kind of a value that begins.
void judge_type(Engine& engine, std::uint32_t index, json::Kind kind, std::uint64_t decided);
// Judges whether the number of the token is whole, where that is asked.
void judge_integer(Engine& engine, std::uint32_t index);

}  // namespace plumb::contract
