// Finds tool calls that are repeated without progress.
//
//   identical        the same tool with equal arguments (as JSON: the order of members and the form of numbers do not
//                    matter) and, if it is known, the same result: 3 of them among the last 20 calls
//   near_identical   the same tool with arguments that differ only in wording or spelling (core/text/novelty.hpp): 4 of
//                    them. Another number or name is another question: page 1 and page 2 are not near. Arguments of
//                    more than 2,000 bytes are compared only as a whole
//
// The calls need not be adjacent: A B A B A B is a loop. These are no loops: calls of tools declared as `polling`,
// which are meant to be repeated; the same call with a different result each time, which is progress; and calls with
// one between them that changed something (`changes`), because then it makes sense to look again.
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
  const json::Value* arguments = nullptr;  // nullptr: none
  const json::Value* result = nullptr;     // nullptr: unknown
  bool changes = false;
};

struct LoopSettings {
  std::uint32_t identical_min = 3;
  std::uint32_t near_min = 4;
  std::uint32_t calls_looked_at = 20;     // the last ones; at most 100
  std::vector<std::string_view> polling;  // names of tools that are meant to be repeated
};

struct Loop {
  bool identical = false;  // otherwise near identical
  std::string tool;
  std::vector<std::uint32_t> calls;  // indices into all calls
  std::string explanation;
};

// The loops among the last calls. Each call is in at most one loop. Identical loops come first, then the order is that
// of their first calls.
std::vector<Loop> find_loops(std::span<const Call> calls, const LoopSettings& settings = {});

}  // namespace plumb::budget
