// The notes of a boundary, for views of a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/json/record.hpp"
#include "core/run/boundary.hpp"

namespace plumb::run {

// The note INPUT_VALIDATION, which describes a cycle. It also has the members of BoundaryCycle.
struct CycleNote {
  std::string boundary, agent, producer;
  std::uint64_t cycle = 0;
  struct Rejected {
    std::string id, name;
    Rejection why;
    static std::span<const json::Field> fields();
  };
  std::vector<Rejected> rejections;
  std::vector<Rejected> observations;  // what observed rules would have rejected; only the first of them
  static std::span<const json::Field> fields();
};

// The note `boundary`, which describes the end of a crossing.
struct BoundaryNote {
  std::string boundary, agent, producer;
  std::uint64_t produced = 0, accepted = 0, warned = 0, failed = 0, unverified = 0;
  std::uint64_t validation_rejections = 0, validation_retries = 0;
  std::uint64_t calls = 0, calls_max = 0, tokens = 0;
  std::uint64_t observed = 0;
  struct Item {
    std::string id, name;
    std::uint64_t rejections = 0, revisions = 0;
    Passed passed = Passed::accepted;
    static std::span<const json::Field> fields();
  };
  std::vector<Item> items;  // rejected at least once; only the first of them
  static std::span<const json::Field> fields();
};

}  // namespace plumb::run
