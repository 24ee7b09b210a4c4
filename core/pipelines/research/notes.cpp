#include "core/pipelines/research/notes.hpp"

namespace plumb::pipelines::research {

using json::Field;
using json::field;
using json::field_if_set;

std::span<const Field> Gate::fields() {
  static constexpr Field table[] = {
      field<&Gate::role>("role"),     field<&Gate::rule>("rule"),       field<&Gate::title>("title"),
      field<&Gate::at>("at"),         field<&Gate::message>("message"), field<&Gate::provided>("provided"),
      field<&Gate::action>("action"), field<&Gate::outcome>("outcome"), field<&Gate::attempt>("attempt")};
  return table;
}

std::span<const Field> IntakeDecision::fields() {
  static constexpr Field table[] = {field<&IntakeDecision::type>("type"),
                                    field<&IntakeDecision::message>("message"),
                                    field<&IntakeDecision::reasoning>("reasoning"),
                                    field<&IntakeDecision::options>("options"),
                                    field_if_set<&IntakeDecision::objective>("objective"),
                                    field_if_set<&IntakeDecision::criteria>("success_criteria"),
                                    field<&IntakeDecision::rewritten>("rewritten"),
                                    field<&IntakeDecision::gates>("gates")};
  return table;
}

std::span<const Field> IntakeAnswer::fields() {
  static constexpr Field table[] = {field<&IntakeAnswer::question>("question"), field<&IntakeAnswer::answer>("answer"),
                                    field_if_set<&IntakeAnswer::given>("given")};
  return table;
}

std::span<const Field> PersonQuestion::fields() {
  static constexpr Field table[] = {field<&PersonQuestion::question>("question"), field<&PersonQuestion::kind>("kind"),
                                    field<&PersonQuestion::options>("options"),
                                    field<&PersonQuestion::reason>("reason"), field<&PersonQuestion::signal>("signal")};
  return table;
}

std::span<const Field> LookupNote::fields() {
  static constexpr Field table[] = {field<&LookupNote::query>("query"), field<&LookupNote::status>("status"),
                                    field<&LookupNote::citations>("citations"), field<&LookupNote::summary>("summary"),
                                    field_if_set<&LookupNote::error>("error")};
  return table;
}

std::span<const Field> RoundQuestion::fields() {
  static constexpr Field table[] = {field<&RoundQuestion::number>("question"), field<&RoundQuestion::text>("text"),
                                    field<&RoundQuestion::why>("why"), field<&RoundQuestion::goal>("goal"),
                                    field_if_set<&RoundQuestion::flags>("flags")};
  return table;
}

std::span<const Field> BrainRound::fields() {
  static constexpr Field table[] = {
      field<&BrainRound::round>("round"),         field<&BrainRound::decision>("decision"),
      field<&BrainRound::rationale>("rationale"), field<&BrainRound::questions>("questions"),
      field<&BrainRound::criteria>("criteria"),   field<&BrainRound::rewritten>("rewritten"),
      field<&BrainRound::gates>("gates"),         field_if_set<&BrainRound::dropped>("dropped")};
  return table;
}

std::span<const Field> QuestionNote::fields() {
  static constexpr Field table[] = {field<&QuestionNote::number>("question"), field<&QuestionNote::round>("round"),
                                    field<&QuestionNote::text>("text"), field<&QuestionNote::goal>("goal")};
  return table;
}

std::span<const Field> Place::fields() {
  static constexpr Field table[] = {field<&Place::title>("title"), field<&Place::url>("url"),
                                    field<&Place::file>("file"), field<&Place::line>("line")};
  return table;
}

std::vector<Place> places_of(const Search& search) {
  std::vector<Place> out;
  for (const Source& one : search.sources) {
    if (one.cited) {
      out.push_back({one.title, one.url, one.file, one.line});
    }
  }
  return out;
}

std::span<const Field> SearchNote::fields() {
  static constexpr Field table[] = {
      field<&SearchNote::query>("query"),        field<&SearchNote::status>("status"),
      field<&SearchNote::provider>("provider"),  field<&SearchNote::again>("again"),
      field<&SearchNote::sources>("sources"),    field<&SearchNote::domains>("domains"),
      field<&SearchNote::facts>("facts"),        field<&SearchNote::found>("found"),
      field_if_set<&SearchNote::error>("error"), field_if_set<&SearchNote::retry_after_ms>("retry_after_ms"),
      field<&SearchNote::results>("results")};
  return table;
}

std::span<const Field> CycleNote::fields() {
  static constexpr Field table[] = {field<&CycleNote::question>("question"),
                                    field<&CycleNote::cycle>("cycle"),
                                    field<&CycleNote::query>("query"),
                                    field<&CycleNote::status>("status"),
                                    field_if_set<&CycleNote::error>("error"),
                                    field<&CycleNote::answer>("answer"),
                                    field<&CycleNote::evidence_delta>("evidence_delta"),
                                    field<&CycleNote::novelty>("novelty"),
                                    field<&CycleNote::grounding>("grounding"),
                                    field<&CycleNote::facts>("facts"),
                                    field<&CycleNote::streak>("streak"),
                                    field<&CycleNote::labels>("labels"),
                                    field<&CycleNote::sources>("sources"),
                                    field<&CycleNote::decision>("decision"),
                                    field<&CycleNote::reasoning>("reasoning"),
                                    field_if_set<&CycleNote::next>("next"),
                                    field_if_set<&CycleNote::decision_labels>("decision_labels"),
                                    field_if_set<&CycleNote::own_labels>("own_labels"),
                                    field<&CycleNote::gates>("gates"),
                                    field_if_set<&CycleNote::rewritten>("rewritten"),
                                    field_if_set<&CycleNote::disagrees>("disagrees")};
  return table;
}

std::span<const Field> ReportNote::fields() {
  static constexpr Field table[] = {
      field<&ReportNote::ended>("ended"),         field<&ReportNote::claims>("claims"),
      field<&ReportNote::citations>("citations"), field<&ReportNote::nearest>("nearest"),
      field<&ReportNote::uncited>("uncited"),     field_if_set<&ReportNote::judge_only>("judge_only")};
  return table;
}

}  // namespace plumb::pipelines::research
