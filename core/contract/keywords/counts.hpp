// minItems, maxItems, minProperties and maxProperties: how many items or members a container has. One too many is told
// as it begins, too few when the container ends.
#pragma once

#include <cstdint>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

// One item or member too many begins.
void report_too_many(Engine& engine, std::uint32_t index, const ArrayPart& a, std::uint64_t decided);
void report_too_many(Engine& engine, std::uint32_t index, const ObjectPart& o, std::uint64_t decided);
// A container of as many ends.
void judge_count(Engine& engine, std::uint32_t index, const ArrayPart& a, std::uint64_t count);
void judge_count(Engine& engine, std::uint32_t index, const ObjectPart& o, std::uint64_t count);

}  // namespace plumb::contract
