// How every host reports the outcome of a run (core/run/outcome.hpp). Exit codes: 0 means good; 1 means decided and not
// good, or only partly good; 2 means undecided.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "core/run/outcome.hpp"

namespace plumb::outcome {

struct OutcomeRow {
  run::CameTo came_to;
  int exit_code;           // of every command that runs a pipeline or writes a run's result
  int status;              // HTTP status of a run that has a result; a run without one answers 409
  std::string_view event;  // the job event is "artifact." and this word
  std::string_view words;  // shown in lists; empty if the outcome needs no remark
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
// Whether the outcome is undecided only because no judge, or none that is trusted, has verified the result.
bool is_only_unverified(const run::Outcome& outcome);

// Writes the members `outcome` and, if there are reasons, `reasons` into the current object.
void write_outcome(json::Writer& json, const run::Outcome& outcome);
// "partial (asked 5, kept 3)"; empty if the outcome needs no remark.
std::string outcome_words(const run::Outcome& outcome);

}  // namespace plumb::outcome
