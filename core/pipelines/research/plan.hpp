// The planner's decisions. Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/research/loop.hpp"

namespace plumb::pipelines::research {

struct Planning {
  const Brief& brief;
  const Objective& objective;
  const std::vector<run::Data>& completed;
};

// The planner's opinion on one success criterion.
struct Settled {
  std::optional<std::uint64_t> criterion;
  std::optional<bool> met;  // null: not decided
  std::string why;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Settled::criterion>("criterion"),
                                            json::field<&Settled::met>("met"), json::field<&Settled::why>("why")};
    return table;
  }
};
struct Plan {
  std::string decision;
  std::string reasoning;
  std::vector<Question> questions;
  std::optional<std::vector<Settled>> criteria;
  std::vector<std::string> dropped;  // questions that still failed a gate after the retries
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {
        json::field<&Plan::decision>("decision"), json::field<&Plan::reasoning>("reasoning"),
        json::field<&Plan::questions>("questions"), json::field_if_set<&Plan::criteria>("criteria"),
        json::field_if_set<&Plan::dropped>("dropped")};
    return table;
  }
};

std::string context_of(const Planning& planning);
// Words that only introduce a question.
bool searches_nothing(std::string_view question);
bool any_answered(const Planning& planning);
// Returns whether a source came near an answer although no question was answered.
bool any_found(const Planning& planning);
// Returns the first plan's questions: the objective, or its parts.
std::string plan_by_rule(const Planning& planning);
// Returns whether a finding is at this place of the decision or below it.
bool is_at(std::string_view at, std::string_view place);

}  // namespace plumb::pipelines::research
