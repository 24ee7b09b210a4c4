#include "native/outcome/outcome_table.hpp"

#include <algorithm>

#include "core/json/record.hpp"

namespace plumb::outcome {

namespace {

// The rows lie in the order of their enum, so that one is found by it.
constexpr bool rows_in_order() {
  for (std::size_t i = 0; i < outcome_rows.size(); ++i) {
    if (outcome_rows[i].came_to != static_cast<run::CameTo>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(rows_in_order());

}  // namespace

const OutcomeRow& row_of(run::CameTo came_to) { return outcome_rows[static_cast<std::size_t>(came_to)]; }

bool is_only_unverified(const run::Outcome& outcome) {
  return outcome.came_to == run::CameTo::undecided &&
         std::all_of(outcome.reasons.begin(), outcome.reasons.end(), [](const run::OutcomeReason& one) {
           return one.code == "not_verified" || one.code == "judge_not_trusted";
         });
}

void write_outcome(json::Writer& json, const run::Outcome& outcome) {
  json.member("outcome", run::came_to_name(outcome.came_to));
  if (outcome.reasons.empty()) {
    return;
  }
  json.key("reasons").begin_array();
  for (const run::OutcomeReason& one : outcome.reasons) {
    json.raw(json::record_text(one));
  }
  json.end_array();
}

std::string outcome_words(const run::Outcome& outcome) {
  std::string out(row_of(outcome.came_to).words);
  std::string numbers;
  for (const run::OutcomeReason& one : outcome.reasons) {
    for (const json::Member& member : one.data.value().object()) {
      numbers += (numbers.empty() ? "" : ", ") + std::string(member.key) + " " + std::string(member.value.str());
    }
  }
  return numbers.empty() ? out : out + " (" + numbers + ")";
}

}  // namespace plumb::outcome
