// What is remembered of the text, and read from other places: by rules across fields, and by messages.
//
// While a schema object's instance is open, its readings (reading.hpp) are walked along with the text, and the values
// that they ask for are kept. A rule that reads another place is judged as soon as all that it reads has been read,
// else when the place that it reads from closes; until then it is deferred, at the container it waits for.
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

// A cross rule that waits for what it reads.
struct Deferred {
  std::uint32_t evaluation = none32;
  const CrossRule* rule = nullptr;
  std::uint32_t next = none32;
  std::uint32_t depth = 0;
  json::Value value;  // of its own instance
};

struct Memory {
  std::vector<AutomatonAt> readings;       // of the open containers
  std::vector<AutomatonAt> next_readings;  // for the next instance
  std::vector<AutomatonAt> arrived;
  std::vector<json::Member> values;  // remembered children of the open containers
  json::Arena arena;
  std::uint32_t recording = 0;  // open containers that are remembered
  Reused<std::vector<Deferred>> deferred;

  void reset() {
    readings.clear();
    values.clear();
    arena.clear();
    recording = 0;
    deferred.clear();
  }
};

// Below a value that is there.
void gather_in(const json::Value& value, const PointerPattern& pattern, std::size_t token,
               std::vector<const json::Value*>& out);
// In a container that is still open: what has been remembered of it, and the child that is open within.
void gather_open(const Engine& engine, std::uint32_t at, const PointerPattern& pattern, std::size_t token,
                 std::vector<const json::Value*>& out);
// What a pattern reaches from an instance. False when it reaches into a context that holds nothing there.
bool gather(const Engine& engine, std::uint32_t index, std::uint32_t instance_depth, const json::Value* own,
            std::vector<const json::Value*>& out);
// Whether a pattern reaches into something that is there: with a star, a list or object to go through; else any value.
// Where it does not, whatever is missing has its own finding, and rules that compare with what is there have nothing to
// say.
bool reads_a_list(const Engine& engine, std::uint32_t index, std::uint32_t instance_depth, const json::Value& own);
// The open container that a rule still waits for, or none32. `closing` is one that counts as read.
std::uint32_t waits_for(const Engine& engine, const CrossRule& rule, std::uint32_t instance_depth,
                        std::uint32_t closing);

}  // namespace plumb::contract
