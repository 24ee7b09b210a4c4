// enum and const: a value that is one of a list. A string that comes in pieces is held against the sorted list as it
// comes, and is wrong with the character after which no member agrees; any other value at its end.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;
struct StringPiece;

// How far a string that is being read agrees with the members.
struct EnumRun {
  std::uint32_t evaluation = none32;
  const ScalarPart* part = nullptr;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t size = 0;  // bytes read
  bool dead = false;
};

// Whether a string is certainly one of them. Only where all members are strings.
inline bool members_accept(const ScalarPart& part, std::string_view text) {
  bool member = false;
  for (const std::uint32_t i : part.strings) {
    member = member || part.members[i].value.str() == text;
  }
  return member;
}

// A string begins at an evaluation whose schema object has members; those that no string keeps are told.
void begin_members(Engine& engine, std::uint32_t index);
void begin_members_done(Engine& engine, std::uint64_t decided);
// Holds a piece of the string against them; what becomes certain with it is due.
void feed_members(Engine& engine, EnumRun& run, const StringPiece& piece);
// Judges the scalar of the token, or a container that has ended, where there are members.
void judge_members(Engine& engine, std::uint32_t index);
void judge_members_of(Engine& engine, std::uint32_t index, const json::Value& value);
void report_members(Engine& engine, std::uint32_t index, const ScalarPart& part, std::uint64_t decided);

}  // namespace plumb::contract
