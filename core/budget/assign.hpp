// Which model a task goes to (seed 004, "SNCO-level assignment").
//
//   1. by capability: a model without the one that is wanted is out
//   2. by capacity: what core/budget/window.hpp says of the task must be that it fits, so a model whose window is not
//      known is never taken; and the task fits the model's sweet spot. Where it fits none, what is effective of the
//      window will do, which is said. A sweet spot that is not known is none
//   3. by history: of models with at least `calls_min` calls in this phase, those that were valid at first more often
//      come first; models without history count as one that was valid in half of its calls
//   4. best fit: among equals fewer repairs a call, then the smallest sweet spot that fits (or what is effective),
//      then the order given
//
// History is counted by hosts from finished runs (004-5) and handed in. Rates are compared as fractions, smoothed by
// one valid and one invalid call, so that three good calls do not beat ninety of a hundred. A row counts for the model
// that it names best (same_model). The reason is told, for the
// model that was chosen and for each that was not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/budget/profile.hpp"
#include "core/budget/tokens_of.hpp"
#include "core/budget/window.hpp"

namespace plumb::budget {

struct History {
  std::string model;
  std::string phase;  // empty: any
  std::uint64_t calls = 0;
  std::uint64_t valid_at_first = 0;
  std::uint64_t repairs = 0;
  std::uint64_t tokens = 0;
  std::uint64_t time_ms = 0;
};

struct Wanted {
  std::string capability;  // empty: none in particular
  std::string phase;
  WindowPlan window;            // what the task and the rest take; its profile is each model's
  std::uint64_t calls_min = 5;  // fewer say nothing
};

enum class Capacity : std::uint8_t { sweet_spot, effective_context, too_small, unknown };

struct Candidate {
  bool capable = false;
  Capacity capacity = Capacity::unknown;
  WindowBudget window;         // what the task leaves of it
  bool contradictory = false;  // its profile is not used
  std::uint64_t calls = 0;     // in this phase
  std::uint64_t valid_at_first = 0;
  std::uint64_t repairs = 0;
  std::string reason;
};

struct Assignment {
  std::size_t model = static_cast<std::size_t>(-1);  // index; none fits: -1
  bool beyond_sweet_spot = false;
  std::string reason;
  std::vector<Candidate> candidates;  // one for each model
};

Assignment assign(const Wanted& wanted, std::span<const ModelProfile> models, std::span<const History> history);

}  // namespace plumb::budget
