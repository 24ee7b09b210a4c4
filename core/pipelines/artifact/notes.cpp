#include "core/pipelines/artifact/notes.hpp"

namespace plumb::pipelines::artifact {

using json::Field;
using json::field;
using json::field_if_set;

std::span<const Field> PhaseNote::fields() {
  static constexpr Field table[] = {field<&PhaseNote::phase>("phase")};
  return table;
}

std::span<const Field> CountNote::fields() {
  static constexpr Field table[] = {field<&CountNote::count>("count"),
                                    field<&CountNote::words>("words"),
                                    field_if_set<&CountNote::plan>("plan"),
                                    field_if_set<&CountNote::is_json>("is_json"),
                                    field_if_set<&CountNote::at_limit>("at_limit"),
                                    field_if_set<&CountNote::stopped>("stopped")};
  return table;
}

std::span<const Field> Stopped::fields() {
  static constexpr Field table[] = {field<&Stopped::why>("why"), field<&Stopped::received_bytes>("received_bytes"),
                                    field<&Stopped::saved_tokens>("saved_tokens")};
  return table;
}

std::span<const Field> HiddenNote::fields() {
  static constexpr Field table[] = {field<&HiddenNote::passages>("passages"), field<&HiddenNote::words>("words")};
  return table;
}

std::span<const Field> StepNote::fields() {
  static constexpr Field table[] = {field<&StepNote::step>("step"), field<&StepNote::attempt>("attempt"),
                                    field_if_set<&StepNote::skipped>("skipped"),
                                    field_if_set<&StepNote::not_run>("not_run"), field_if_set<&StepNote::why>("why")};
  return table;
}

std::span<const Field> StructureNote::fields() {
  static constexpr Field table[] = {field<&StructureNote::attempt>("attempt"), field<&StructureNote::errors>("errors"),
                                    field<&StructureNote::text>("text"), field<&StructureNote::verdict>("verdict")};
  return table;
}

std::span<const Field> MeaningNote::fields() {
  static constexpr Field table[] = {field<&MeaningNote::attempt>("attempt"),
                                    field<&MeaningNote::judged>("judged"),
                                    field<&MeaningNote::issues>("issues"),
                                    field<&MeaningNote::undecided>("undecided"),
                                    field<&MeaningNote::semantic>("semantic"),
                                    field_if_set<&MeaningNote::error>("error"),
                                    field_if_set<&MeaningNote::judgement>("judgement")};
  return table;
}

std::span<const Field> InvalidNote::fields() {
  static constexpr Field table[] = {field<&InvalidNote::errors>("errors"), field<&InvalidNote::issues>("issues")};
  return table;
}

std::span<const Field> AgainNote::fields() {
  static constexpr Field table[] = {field<&AgainNote::count>("count"), field<&AgainNote::of>("of")};
  return table;
}

std::span<const Field> RepairNote::fields() {
  static constexpr Field table[] = {field<&RepairNote::attempt>("attempt"), field<&RepairNote::of>("of"),
                                    field_if_set<&RepairNote::uncovered>("uncovered")};
  return table;
}

std::span<const Field> PatchNote::fields() {
  static constexpr Field table[] = {field<&PatchNote::applied>("applied"), field<&PatchNote::why>("why"),
                                    field<&PatchNote::scope>("scope")};
  return table;
}

std::span<const Field> RepairedNote::fields() {
  static constexpr Field table[] = {field<&RepairedNote::attempt>("attempt"), field<&RepairedNote::kept>("kept"),
                                    field<&RepairedNote::valid>("valid"), field_if_set<&RepairedNote::why>("why"),
                                    field_if_set<&RepairedNote::reason>("reason")};
  return table;
}

std::span<const Field> SalvagedNote::fields() {
  static constexpr Field table[] = {field<&SalvagedNote::asked>("asked"), field<&SalvagedNote::kept>("kept"),
                                    field<&SalvagedNote::words>("words"), field<&SalvagedNote::reason>("reason")};
  return table;
}

std::span<const Field> UnrepairedNote::fields() {
  static constexpr Field table[] = {field<&UnrepairedNote::attempt>("attempt"), field<&UnrepairedNote::error>("error")};
  return table;
}

std::span<const Field> ExhaustedNote::fields() {
  static constexpr Field table[] = {field<&ExhaustedNote::attempts>("attempts")};
  return table;
}

std::span<const Field> FailedNote::fields() {
  static constexpr Field table[] = {field<&FailedNote::attempts>("attempts"),
                                    field<&FailedNote::violations>("violations"),
                                    field<&FailedNote::issues>("issues"),
                                    field<&FailedNote::initial_violations>("initial_violations"),
                                    field<&FailedNote::initial_issues>("initial_issues"),
                                    field<&FailedNote::artifact>("artifact"),
                                    field<&FailedNote::unverified>("unverified"),
                                    field_if_set<&FailedNote::fewer>("fewer"),
                                    field_if_set<&FailedNote::left_out>("left_out"),
                                    field_if_set<&FailedNote::asked>("asked"),
                                    field_if_set<&FailedNote::kept>("kept"),
                                    field_if_set<&FailedNote::checks_not_run>("checks_not_run")};
  return table;
}

std::span<const Field> Outcome::fields() {
  static constexpr Field table[] = {field<&Outcome::artifact>("artifact"),
                                    field<&Outcome::decision>("decision"),
                                    field_if_set<&Outcome::partial>("partial"),
                                    field_if_set<&Outcome::asked>("asked"),
                                    field_if_set<&Outcome::kept>("kept"),
                                    field_if_set<&Outcome::reason>("reason"),
                                    field<&Outcome::attempts>("attempts"),
                                    field<&Outcome::evidence>("evidence"),
                                    field<&Outcome::unverified>("unverified"),
                                    field_if_set<&Outcome::unverified_reason>("unverified_reason"),
                                    field_if_set<&Outcome::judge_distrusted>("judge_distrusted"),
                                    field_if_set<&Outcome::warnings>("warnings"),
                                    field_if_set<&Outcome::violations>("violations"),
                                    field_if_set<&Outcome::issues>("issues"),
                                    field<&Outcome::tokens>("tokens")};
  return table;
}

}  // namespace plumb::pipelines::artifact
