// Calls that go round in circles.
//
//   identical        the same tool with equal arguments (as JSON: the order of members and the form of numbers do not
//                    matter) and, where it is known, the same result: 3 of them among the last 20 calls
//   near_identical   the same tool with arguments that say the same in other words or spelling
//                    (core/text/novelty.hpp): 4 of them. Another number or name is another question: page 1 and page 2
//                    are not near, and arguments of more than 2,000 bytes are only compared whole
//
// Calls need not follow one another directly, so A B A B A B is a loop. No loop: calls of tools declared as
// `polling`, which are meant to be repeated; the same call with another result each time, which is progress; and calls
// with one between them that changed something (`changes`), because then it makes sense to look again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::budget {

struct Call {
  std::string_view tool;
  const json::Value* arguments = nullptr;  // null: none
  const json::Value* result = nullptr;     // null: not known
  bool changes = false;
};

struct LoopSettings {
  std::uint32_t identical_min = 3;
  std::uint32_t near_min = 4;
  std::uint32_t calls_looked_at = 20;     // the last ones; at most 100
  std::vector<std::string_view> polling;  // names of tools
};

struct Loop {
  bool identical = false;  // else near identical
  std::string tool;
  std::vector<std::uint32_t> calls;  // indices into all calls
  std::string explanation;
};

// The loops among the last calls, each call in one of them at most: identical ones first, then by their first call.
std::vector<Loop> find_loops(std::span<const Call> calls, const LoopSettings& settings = {});

}  // namespace plumb::budget
