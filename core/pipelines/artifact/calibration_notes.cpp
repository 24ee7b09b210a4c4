#include "core/pipelines/artifact/calibration_notes.hpp"

namespace plumb::pipelines::calibration {

using json::field;
using json::field_if_set;

std::span<const json::Field> Label::fields() {
  static constexpr json::Field table[] = {field<&Label::rule>("rule"), field<&Label::at>("at"),
                                          field<&Label::supported>("supported")};
  return table;
}

std::span<const json::Field> Labelled::fields() {
  static constexpr json::Field table[] = {field<&Labelled::name>("name"), field<&Labelled::source>("source"),
                                          field<&Labelled::token_budget>("token_budget"),
                                          field<&Labelled::artifact>("artifact"), field<&Labelled::labels>("labels")};
  return table;
}

std::span<const json::Field> Input::fields() {
  static constexpr json::Field table[] = {field<&Input::key>("key"), field_if_set<&Input::demanded>("demanded"),
                                          field<&Input::labelled>("labelled")};
  return table;
}

std::span<const json::Field> Difference::fields() {
  static constexpr json::Field table[] = {
      field<&Difference::name>("name"),     field<&Difference::at>("at"),
      field<&Difference::rule>("rule"),     field<&Difference::supported>("supported"),
      field<&Difference::judged>("judged"), field_if_set<&Difference::reason>("reason")};
  return table;
}

std::span<const json::Field> Judged::fields() {
  static constexpr json::Field table[] = {field<&Judged::name>("name"), field<&Judged::tally>("tally"),
                                          field_if_set<&Judged::error>("error"), field_if_set<&Judged::ends>("ends"),
                                          field_if_set<&Judged::differences>("differences")};
  return table;
}

std::span<const json::Field> Outcome::fields() {
  static constexpr json::Field table[] = {field<&Outcome::tally>("tally"),
                                          field<&Outcome::artifacts>("artifacts"),
                                          field_if_set<&Outcome::unjudged>("unjudged"),
                                          field_if_set<&Outcome::unjudged_reason>("unjudged_reason"),
                                          field_if_set<&Outcome::distrust>("distrust"),
                                          field<&Outcome::differences>("differences"),
                                          field<&Outcome::tokens>("tokens")};
  return table;
}

}  // namespace plumb::pipelines::calibration
