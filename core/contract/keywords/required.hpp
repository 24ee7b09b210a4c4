// required, dependentRequired and the lists of keys of `dependencies`: members that must be there. Decided when the
// object ends; which have been seen is a bit for each slot (keys.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "core/contract/compiler.hpp"
#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;
struct Evaluation;
struct Found;

// Reads the keys that must be there where the member `key` is, for dependentRequired or `dependencies`. False: a fault
// was told.
bool compile_dependent_keys(Compiler& compiler, const Compiler::At& at, Kw kw, std::uint32_t order,
                            const json::Member& entry, const std::string& where);
// Judges the members of an object that ends.
void judge_required(Engine& engine, Evaluation& e, std::uint32_t index, const ObjectPart& o);
void judge_dependents(Engine& engine, std::uint32_t index, const ObjectPart& o);

// "Missing the member 'x'".
std::string missing_member(const Found& found);
// Of one that is missing.
std::string nothing_provided(const Found& found);

}  // namespace plumb::contract
