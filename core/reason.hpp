// Reasons: why an operation failed, where a caller acts on it.
//
//   if (error.reason == Reason::in_use) { ... }     // never: if (error.message.starts_with("is in use by"))
//
// A message is for people, and its words may change. A journal stores a reason by its name, in the member `reason`.
// core/run/reasons.hpp derives the reasons of older journals, which lack that member.
#pragma once

#include <span>
#include <string_view>

#include "core/result.hpp"

namespace plumb {

enum class Reason : unsigned char {
  none,
  invalid,           // what was sent cannot be taken as it is
  in_use,            // another process writes this store
  gone,              // what was to be removed is not there
  unreachable,       // the servers of a store cannot be reached
  no_program,        // there is no program of that name
  not_text,          // a file is not UTF-8
  over_budget,       // the next call would exceed the tokens of the run
  over_window,       // the next call does not fit into the window of the model
  too_long,          // the request is longer than the model can read; another one may
  decided,           // somebody has decided already
  not_better,        // a repair is no improvement on the version before
  journal_mismatch,  // a pipeline asks for something else than its journal has
};

// In the order of the enum.
inline std::span<const std::string_view> names_of(Reason) {
  static constexpr std::string_view names[] = {
      "",           "invalid",    "in_use",          "gone",        "unreachable",
      "no_program", "not_text",   "over_budget",     "over_window", "too_long",
      "decided",    "not_better", "journal_mismatch"};
  return names;
}

inline std::string_view reason_name(Reason reason) { return names_of(reason)[static_cast<unsigned char>(reason)]; }

}  // namespace plumb
