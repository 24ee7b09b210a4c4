// What a run has come to: one of seven words, with the reasons as codes and data. It is in the run's end; what hosts
// make of it (an exit code, a status of HTTP, a word in a list) is in one table, native/outcome/outcome_table.hpp.
//
//   {"came_to": "partial", "reasons": [{"code": "fewer_than_asked", "data": {"asked": 50, "kept": 7}}]}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/data_record.hpp"

namespace plumb::run {

enum class CameTo : std::uint8_t {
  accepted,                // all that was asked for, and it is good
  accepted_with_warnings,  // the same, with warnings that block nothing
  partial,                 // some of what was asked for is good, and is the result
  undecided,               // nobody could tell whether it is good, or it was not finished
  failed,                  // it was decided: it is not good
  outage,                  // the world did not answer: a provider, a search
  cancelled,               // somebody ended it
};
std::span<const std::string_view> names_of(CameTo);
std::string_view came_to_name(CameTo one);

// A code of docs/runs.md, with its data: one JSON object, or null.
struct OutcomeReason {
  std::string code;
  Data data;
  static std::span<const json::Field> fields();
};

struct Outcome {
  CameTo came_to = CameTo::undecided;
  std::vector<OutcomeReason> reasons;
  static std::span<const json::Field> fields();
};

}  // namespace plumb::run
