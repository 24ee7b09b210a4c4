// What hosts make of what a run has come to (core/run/outcome.hpp): one row for each, for all of them. 0: it is good;
// 1: it was decided, and is not good, or not all of it; 2: it could not be decided.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "core/run/outcome.hpp"

namespace plumb::outcome {

struct OutcomeRow {
  run::CameTo came_to;
  int exit_code;           // of every command that ends with a run or writes its result
  int status;              // of HTTP for a result that is there; where there is none it is never a success
  std::string_view event;  // what the end of a job is announced as, after "artifact."
  std::string_view words;  // in lists; empty for what nobody need be told
};

inline constexpr std::array<OutcomeRow, 7> outcome_rows = {{
    {run::CameTo::accepted, 0, 200, "completed", ""},
    {run::CameTo::accepted_with_warnings, 0, 200, "completed", "accepted with warnings"},
    {run::CameTo::partial, 1, 200, "completed", "partial"},
    {run::CameTo::undecided, 2, 200, "completed", "undecided"},
    {run::CameTo::failed, 1, 409, "failed", "failed"},
    {run::CameTo::outage, 2, 409, "failed", "outage"},
    {run::CameTo::cancelled, 2, 409, "cancelled", "cancelled"},
}};
const OutcomeRow& row_of(run::CameTo came_to);
// Undecided, and only because nobody could verify it.
bool is_only_unverified(const run::Outcome& outcome);

// Members of an object: `outcome`, and `reasons` where there are some.
void write_outcome(json::Writer& json, const run::Outcome& outcome);
// "partial (asked 5, kept 3)"; empty for what nobody need be told.
std::string outcome_words(const run::Outcome& outcome);

}  // namespace plumb::outcome
