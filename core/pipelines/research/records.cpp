#include "core/pipelines/research/records.hpp"

namespace plumb::pipelines::research {

using json::Field;
using json::field;
using json::field_if_set;

std::span<const Field> Objective::fields() {
  static constexpr Field table[] = {field<&Objective::text>("objective"), field<&Objective::criteria>("criteria"),
                                    field<&Objective::stopped>("stopped"), field<&Objective::error>("error"),
                                    field<&Objective::tokens>("tokens")};
  return table;
}

std::span<const Field> Criterion::fields() {
  static constexpr Field table[] = {
      field<&Criterion::criterion>("criterion"), field<&Criterion::met>("met"),
      field_if_set<&Criterion::state>("state"),  // none in runs that were begun before there was one
      field<&Criterion::why>("why"), field_if_set<&Criterion::floor>("floor")};
  return table;
}

std::span<const Field> Question::fields() {
  static constexpr Field table[] = {field<&Question::question>("question"),
                                    field<&Question::description>("description"), field<&Question::goal>("goal"),
                                    field_if_set<&Question::number>("number"), field_if_set<&Question::flags>("flags")};
  return table;
}

std::span<const Field> Round::fields() {
  static constexpr Field table[] = {field<&Round::decision>("decision"),   field<&Round::error>("error"),
                                    field<&Round::cancelled>("cancelled"), field<&Round::tokens>("tokens"),
                                    field<&Round::criteria>("criteria"),   field<&Round::questions>("questions"),
                                    field_if_set<&Round::reason>("reason")};
  return table;
}

std::span<const Field> Ended::fields() {
  static constexpr Field table[] = {field<&Ended::ended>("ended"), field_if_set<&Ended::error>("error"),
                                    field_if_set<&Ended::retry_after_ms>("retry_after_ms")};
  return table;
}

std::span<const Field> Claim::fields() {
  static constexpr Field table[] = {field<&Claim::claim>("claim"),           field<&Claim::quote>("quote"),
                                    field<&Claim::verified>("verified"),     field_if_set<&Claim::supports>("stands"),
                                    field_if_set<&Claim::floor>("floor"),    field_if_set<&Claim::title>("title"),
                                    field_if_set<&Claim::url>("url"),        field_if_set<&Claim::file>("file"),
                                    field_if_set<&Claim::line>("line"),      field_if_set<&Claim::heading>("heading"),
                                    field_if_set<&Claim::passage>("passage")};
  return table;
}

std::span<const Field> Answered::fields() {
  static constexpr Field table[] = {
      field<&Answered::claims>("claims"),         field<&Answered::verified>("verified"),
      field<&Answered::total>("total"),           field_if_set<&Answered::supporting>("stands"),
      field<&Answered::confidence>("confidence"), field<&Answered::missing>("missing"),
      field<&Answered::error>("error"),           field<&Answered::tokens>("tokens"),
      field_if_set<&Answered::reason>("reason")};
  return table;
}

std::span<const Field> QuestionMetrics::fields() {
  static constexpr Field table[] = {field<&QuestionMetrics::searches>("searches"),
                                    field<&QuestionMetrics::failed>("failed"),
                                    field<&QuestionMetrics::duplicate_queries>("duplicate_queries"),
                                    field<&QuestionMetrics::duplicates_refused>("duplicates_refused"),
                                    field<&QuestionMetrics::no_change_streak>("no_change_streak"),
                                    field<&QuestionMetrics::facts>("facts"),
                                    field<&QuestionMetrics::sources>("sources"),
                                    field<&QuestionMetrics::domains>("domains"),
                                    field<&QuestionMetrics::rejections>("rejections"),
                                    field<&QuestionMetrics::disagreements>("disagreements"),
                                    field<&QuestionMetrics::ms>("ms")};
  return table;
}

std::span<const Field> QuestionResult::fields() {
  static constexpr Field table[] = {field<&QuestionResult::number>("number"),
                                    field<&QuestionResult::round>("round"),
                                    field<&QuestionResult::question>("question"),
                                    field<&QuestionResult::goal>("goal"),
                                    field<&QuestionResult::ended>("ended"),
                                    field<&QuestionResult::answered>("answered"),
                                    field<&QuestionResult::found>("found"),
                                    field<&QuestionResult::claims>("claims"),
                                    field<&QuestionResult::confidence>("confidence"),
                                    field<&QuestionResult::missing>("missing"),
                                    field<&QuestionResult::error>("error"),
                                    field<&QuestionResult::tokens>("tokens"),
                                    field_if_set<&QuestionResult::retry_after_ms>("retry_after_ms"),
                                    field<&QuestionResult::metrics>("metrics"),
                                    field_if_set<&QuestionResult::history>("history")};
  return table;
}

}  // namespace plumb::pipelines::research
