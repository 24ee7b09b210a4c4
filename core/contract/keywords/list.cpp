#include <array>

#include "core/contract/keywords/keyword.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

extern const Keyword all_of_keyword;
extern const Keyword any_of_keyword;
extern const Keyword one_of_keyword;
extern const Keyword not_keyword;
extern const Keyword if_keyword;
extern const Keyword dependent_schemas_keyword;
extern const Keyword dependencies_keyword;
extern const Keyword type_keyword;
extern const Keyword enum_keyword;
extern const Keyword const_keyword;
extern const Keyword multiple_of_keyword;
extern const Keyword maximum_keyword;
extern const Keyword exclusive_maximum_keyword;
extern const Keyword minimum_keyword;
extern const Keyword exclusive_minimum_keyword;
extern const Keyword min_length_keyword;
extern const Keyword max_length_keyword;
extern const Keyword pattern_keyword;
extern const Keyword format_keyword;
extern const Keyword max_items_keyword;
extern const Keyword min_items_keyword;
extern const Keyword max_properties_keyword;
extern const Keyword min_properties_keyword;
extern const Keyword required_keyword;
extern const Keyword dependent_required_keyword;
extern const Keyword unique_items_keyword;
extern const Keyword distinct_keyword;
extern const Keyword acyclic_keyword;
extern const Keyword prefix_items_keyword;
extern const Keyword items_keyword;
extern const Keyword additional_items_keyword;
extern const Keyword contains_keyword;
extern const Keyword min_contains_keyword;
extern const Keyword max_contains_keyword;
extern const Keyword unevaluated_items_keyword;
extern const Keyword properties_keyword;
extern const Keyword pattern_properties_keyword;
extern const Keyword additional_properties_keyword;
extern const Keyword property_names_keyword;
extern const Keyword unevaluated_properties_keyword;
extern const Keyword member_of_keyword;
extern const Keyword count_of_keyword;
extern const Keyword sum_of_keyword;
extern const Keyword same_set_as_keyword;
extern const Keyword pointers_keyword;
extern const Keyword rules_keyword;
extern const Keyword not_blank_keyword;
extern const Keyword length_keyword;

namespace {

// Those that compare values and places.
constexpr KeywordRow structural[] = {
    {Kw::all_of, &all_of_keyword},
    {Kw::any_of, &any_of_keyword},
    {Kw::one_of, &one_of_keyword},
    {Kw::not_, &not_keyword},
    {Kw::if_, &if_keyword},
    {Kw::dependent_schemas, &dependent_schemas_keyword},
    {Kw::type, &type_keyword},
    {Kw::enum_, &enum_keyword},
    {Kw::const_, &const_keyword},
    {Kw::multiple_of, &multiple_of_keyword},
    {Kw::maximum, &maximum_keyword},
    {Kw::exclusive_maximum, &exclusive_maximum_keyword},
    {Kw::minimum, &minimum_keyword},
    {Kw::exclusive_minimum, &exclusive_minimum_keyword},
    {Kw::min_length, &min_length_keyword},
    {Kw::max_length, &max_length_keyword},
    {Kw::pattern, &pattern_keyword},
    {Kw::format, &format_keyword},
    {Kw::max_items, &max_items_keyword},
    {Kw::min_items, &min_items_keyword},
    {Kw::max_properties, &max_properties_keyword},
    {Kw::min_properties, &min_properties_keyword},
    {Kw::required, &required_keyword},
    {Kw::dependent_required, &dependent_required_keyword},
    {Kw::dependencies, &dependencies_keyword},
    {Kw::unique_items, &unique_items_keyword},
    {Kw::distinct, &distinct_keyword},
    {Kw::acyclic, &acyclic_keyword},
    {Kw::prefix_items, &prefix_items_keyword},
    {Kw::items, &items_keyword},
    {Kw::additional_items, &additional_items_keyword},
    {Kw::contains, &contains_keyword},
    {Kw::min_contains, &min_contains_keyword},
    {Kw::max_contains, &max_contains_keyword},
    {Kw::unevaluated_items, &unevaluated_items_keyword},
    {Kw::properties, &properties_keyword},
    {Kw::pattern_properties, &pattern_properties_keyword},
    {Kw::additional_properties, &additional_properties_keyword},
    {Kw::property_names, &property_names_keyword},
    {Kw::unevaluated_properties, &unevaluated_properties_keyword},
    {Kw::member_of, &member_of_keyword},
    {Kw::count_of, &count_of_keyword},
    {Kw::sum_of, &sum_of_keyword},
    {Kw::same_set_as, &same_set_as_keyword},
    {Kw::pointers, &pointers_keyword},
    {Kw::rules, &rules_keyword},
    {Kw::not_blank, &not_blank_keyword},
    {Kw::length, &length_keyword},
};

constexpr auto by_kw = [] {
  std::array<const Keyword*, static_cast<std::size_t>(Kw::count_)> out = {};
  for (const KeywordRow& row : structural) {
    out[static_cast<std::size_t>(row.kw)] = row.keyword;
  }
  return out;
}();

}  // namespace

std::span<const KeywordRow> structural_keywords() { return structural; }
bool dialect_knows(Dialect dialect, Kw kw) {
  const Keyword* known = kw == Kw::none ? nullptr : keyword_of(kw);
  return known == nullptr || known->since <= dialect;
}
const Keyword* keyword_of(Kw kw) {
  const Keyword* const known = by_kw[static_cast<std::size_t>(kw)];
  return known != nullptr ? known : text_keyword_of(kw);
}

std::string must_have(const Found& found) {
  return "Must have " + found.finding.requirement + (found.size.empty() ? "" : " (has " + found.size + ")");
}

std::string must_be_shown(const Found& found) {
  const std::string& provided = found.finding.provided;
  return must_be(found) + (provided.empty() ? "" : " (is " + json::excerpt(provided, 80) + ")");
}

std::string must_be(const Found& found) { return "Must be " + found.finding.requirement; }

}  // namespace plumb::contract
