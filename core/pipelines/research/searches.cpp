#include "core/pipelines/research/searches.hpp"

#include "core/contract/measured.hpp"

namespace plumb::pipelines::research {

using json::Field;
using json::field;
using json::field_if_set;

std::span<const Field> Source::fields() {
  static constexpr Field table[] = {field<&Source::title>("title"),     field<&Source::url>("url"),
                                    field<&Source::file>("file"),       field<&Source::line>("line"),
                                    field<&Source::heading>("heading"), field<&Source::passage>("passage"),
                                    field<&Source::cited>("cited")};
  return table;
}

std::span<const Field> Search::fields() {
  static constexpr Field table[] = {field<&Search::query>("query"),
                                    field<&Search::status>("status"),
                                    field<&Search::provider>("provider"),
                                    field<&Search::answer>("answer"),
                                    field_if_set<&Search::error>("error"),
                                    field_if_set<&Search::retry_after_ms>("retry_after_ms"),
                                    field<&Search::sources>("sources"),
                                    field_if_set<&Search::readings>("readings"),
                                    field_if_set<&Search::separator>("separator"),
                                    field<&Search::evidence_delta>("evidence_delta"),
                                    field<&Search::novelty>("novelty"),
                                    field<&Search::grounding>("grounding"),
                                    field<&Search::facts>("facts"),
                                    field<&Search::domains>("domains"),
                                    field<&Search::streak>("streak"),
                                    field<&Search::cancelled>("cancelled"),
                                    field<&Search::narrative>("narrative"),
                                    field<&Search::labels>("labels")};
  return table;
}

std::span<const Field> Page::fields() {
  static constexpr Field table[] = {field<&Page::title>("title"), field<&Page::url>("url")};
  return table;
}

std::span<const Field> Past::fields() {
  static constexpr Field table[] = {field<&Past::query>("query"), field<&Past::answer>("answer"),
                                    field<&Past::sources>("sources"),
                                    field_if_set<&Past::evidence_delta>("evidence_delta")};
  return table;
}

std::span<const Field> History::fields() {
  static constexpr Field table[] = {field<&History::history>("history")};
  return table;
}

std::span<const Field> LastMeasured::fields() {
  static constexpr Field table[] = {
      field<&LastMeasured::evidence_delta>("evidence_delta"), field<&LastMeasured::novelty>("novelty"),
      field<&LastMeasured::grounding>("grounding"), field<&LastMeasured::facts_new>("facts_new")};
  return table;
}

std::span<const Field> Measured::fields() {
  static constexpr Field table[] = {field<&Measured::duplicate_queries>("duplicate_queries"),
                                    field<&Measured::no_change_streak>("no_change_streak"),
                                    field<&Measured::facts>("facts"),
                                    field<&Measured::sources>("sources"),
                                    field<&Measured::domains>("domains"),
                                    field<&Measured::last>("last")};
  return table;
}

Measured measured(const std::vector<Past>& searches) {
  const run::Data history = run::Data::of(History{searches});
  return run::Data::written(contract::measure_history(*history.value().find("history"))).as<Measured>();
}

}  // namespace plumb::pipelines::research
