// The outcome of a run: one of seven words, and the reasons as codes with data. The run's end stores it. One table,
// native/outcome/outcome_table.hpp, maps it to an exit code, an HTTP status and a word in lists.
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
  accepted,                // the result is complete and good
  accepted_with_warnings,  // the result is complete and good, and has warnings that do not block it
  partial,                 // only a part of the result is good, and that part is delivered
  undecided,               // the run could not verify the result, or did not finish
  failed,                  // the run decided that the result is not good
  outage,                  // a provider or a search did not answer
  cancelled,               // a person or a program cancelled the run
};
std::span<const std::string_view> names_of(CameTo);
std::string_view came_to_name(CameTo one);

// `code` is one of docs/runs.md#outcomes; `data` is a JSON object, or null.
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
