// Memory: the values of the text that cross rules and messages read.
//
// While a schema object's instance is open, its automata (pointer_automaton.hpp) move along with the text, and the
// values that they ask for are kept. A rule that reads another place is judged as soon as everything it reads has been
// read, and at the latest when the container that it reads from closes. Until then it is deferred at the container
// that it waits for.
#pragma once

#include <cstdint>
#include <vector>

#include "core/contract/engine/reused.hpp"
#include "core/contract/program.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

struct Engine;

struct AutomatonAt {
  std::uint32_t state = 0;
  std::uint32_t owner = none32;
};

// A cross rule that waits for a place it reads.
struct Deferred {
  std::uint32_t evaluation = none32;
  const CrossRule* rule = nullptr;
  std::uint32_t next = none32;
  std::uint32_t depth = 0;
  json::Value value;  // its own instance
};

struct Memory {
  std::vector<AutomatonAt> readings;       // of the open containers
  std::vector<AutomatonAt> next_readings;  // for the next instance
  std::vector<AutomatonAt> arrived;
  std::vector<json::Member> values;  // remembered children of the open containers
  json::Arena arena;
  std::uint32_t recording = 0;  // number of open containers that are remembered
  Reused<std::vector<Deferred>> deferred;

  void reset() {
    readings.clear();
    values.clear();
    arena.clear();
    recording = 0;
    deferred.clear();
  }
};

// Finds the pattern's values below a value that is complete.
void gather_in(const json::Value& value, const PointerPattern& pattern, std::size_t token,
               std::vector<const json::Value*>& out);
// The same in an open container: in its remembered children, and in the child that is open.
void gather_open(const Engine& engine, std::uint32_t at, const PointerPattern& pattern, std::size_t token,
                 std::vector<const json::Value*>& out);
// Finds the values that a pattern reaches from an instance. False if it leads into a context that has nothing there.
bool gather(const Engine& engine, std::uint32_t index, std::uint32_t instance_depth, const json::Value* own,
            std::vector<const json::Value*>& out);
// True if there is something to read: for a pattern with a star, a list or object to go through; otherwise any value.
// If there is nothing, the missing value has a finding of its own, and rules that compare with it are silent.
bool reads_a_list(const Engine& engine, std::uint32_t index, std::uint32_t instance_depth, const json::Value& own);
// The open container that a rule still waits for, or none32. The container `closing` counts as read.
std::uint32_t waits_for(const Engine& engine, const CrossRule& rule, std::uint32_t instance_depth,
                        std::uint32_t closing);

}  // namespace plumb::contract
