// Assignment: chooses the model for a task (seed 004, "SNCO-level assignment").
//
//   1. by capability: a model without the wanted capability is excluded
//   2. by capacity: the task must fit the window (core/budget/window.hpp), so a model whose window is unknown is never
//      chosen; and it must fit the model's sweet spot. If it fits no sweet spot, the effective context is enough, which
//      is reported. A model without a known sweet spot has none
//   3. by history: of models with at least `calls_min` calls in this phase, those with more answers that were valid at
//      first come first; a model without history counts as one with half of its answers valid
//   4. best fit: among equals, fewer repairs per call, then the smallest sweet spot (or effective context) that fits,
//      then the given order
//
// Hosts count the history from finished runs (004-5) and pass it in. Rates are compared as fractions, after one valid
// and one invalid call are added, so that three good calls do not beat ninety of a hundred. A row of history counts
// for the model that it names best (same_model). Reasons are given for the chosen model, and for each other one.
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
  std::string phase;  // empty: any phase
  std::uint64_t calls = 0;
  std::uint64_t valid_at_first = 0;
  std::uint64_t repairs = 0;
  std::uint64_t tokens = 0;
  std::uint64_t time_ms = 0;
};

struct Wanted {
  std::string capability;  // empty: no particular one
  std::string phase;
  WindowPlan window;            // the sizes of the task and the rest; its profile is replaced by each model's
  std::uint64_t calls_min = 5;  // fewer calls count as no history
};

enum class Capacity : std::uint8_t { sweet_spot, effective_context, too_small, unknown };

struct Candidate {
  bool capable = false;
  Capacity capacity = Capacity::unknown;
  WindowBudget window;         // what the task leaves of the window
  bool contradictory = false;  // if true, its profile is not used
  std::uint64_t calls = 0;     // in this phase
  std::uint64_t valid_at_first = 0;
  std::uint64_t repairs = 0;
  std::string reason;
};

struct Assignment {
  std::size_t model = static_cast<std::size_t>(-1);  // index of the chosen model; -1: none fits
  bool beyond_sweet_spot = false;
  std::string reason;
  std::vector<Candidate> candidates;  // one per model
};

Assignment assign(const Wanted& wanted, std::span<const ModelProfile> models, std::span<const History> history);

}  // namespace plumb::budget
