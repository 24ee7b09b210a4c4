#include "core/contract/keywords.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>

#include "core/contract/keywords/keyword.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

struct KwRow {
  Kw kw = Kw::none;
  std::string_view name;
  KwGroup group = KwGroup::none;
  std::optional<Kind> kind = {};
  InPlaceForm form = InPlaceForm::none;
  const Keyword* keyword = nullptr;
};

constexpr KwRow kw_rows[] = {
    {},
    {Kw::ref, "$ref", KwGroup::reference, {}, InPlaceForm::reference},
    {Kw::dynamic_ref, "$dynamicRef", KwGroup::reference, {}, InPlaceForm::dynamic},
    {Kw::recursive_ref, "$recursiveRef", KwGroup::reference, {}, InPlaceForm::dynamic},
    {Kw::all_of, "allOf", KwGroup::standard, {}, InPlaceForm::all, &all_of_keyword},
    {Kw::any_of, "anyOf", KwGroup::standard, {}, InPlaceForm::alternatives, &any_of_keyword},
    {Kw::one_of, "oneOf", KwGroup::standard, {}, InPlaceForm::alternatives, &one_of_keyword},
    {Kw::not_, "not", KwGroup::standard, {}, InPlaceForm::negation, &not_keyword},
    {Kw::if_, "if", KwGroup::standard, {}, InPlaceForm::condition, &if_keyword},
    {Kw::then_, "then", KwGroup::standard},
    {Kw::else_, "else", KwGroup::standard},
    {Kw::dependent_schemas,
     "dependentSchemas",
     KwGroup::standard,
     {},
     InPlaceForm::dependent,
     &dependent_schemas_keyword},
    {Kw::dependencies, "dependencies", KwGroup::standard, Kind::object, {}, &dependencies_keyword},
    {Kw::type, "type", KwGroup::standard, {}, {}, &type_keyword},
    {Kw::enum_, "enum", KwGroup::standard, {}, {}, &enum_keyword},
    {Kw::const_, "const", KwGroup::standard, {}, {}, &const_keyword},
    {Kw::multiple_of, "multipleOf", KwGroup::standard, Kind::number, {}, &multiple_of_keyword},
    {Kw::maximum, "maximum", KwGroup::standard, Kind::number, {}, &maximum_keyword},
    {Kw::exclusive_maximum, "exclusiveMaximum", KwGroup::standard, Kind::number, {}, &exclusive_maximum_keyword},
    {Kw::minimum, "minimum", KwGroup::standard, Kind::number, {}, &minimum_keyword},
    {Kw::exclusive_minimum, "exclusiveMinimum", KwGroup::standard, Kind::number, {}, &exclusive_minimum_keyword},
    {Kw::max_length, "maxLength", KwGroup::standard, Kind::string, {}, &max_length_keyword},
    {Kw::min_length, "minLength", KwGroup::standard, Kind::string, {}, &min_length_keyword},
    {Kw::pattern, "pattern", KwGroup::standard, Kind::string, {}, &pattern_keyword},
    {Kw::format, "format", KwGroup::standard, Kind::string, {}, &format_keyword},
    {Kw::prefix_items, "prefixItems", KwGroup::standard, Kind::array, {}, &prefix_items_keyword},
    {Kw::items, "items", KwGroup::standard, Kind::array, {}, &items_keyword},
    {Kw::additional_items, "additionalItems", KwGroup::standard, {}, {}, &additional_items_keyword},
    {Kw::contains, "contains", KwGroup::standard, Kind::array, InPlaceForm::contained, &contains_keyword},
    {Kw::min_contains, "minContains", KwGroup::standard, Kind::array, {}, &min_contains_keyword},
    {Kw::max_contains, "maxContains", KwGroup::standard, Kind::array, {}, &max_contains_keyword},
    {Kw::min_items, "minItems", KwGroup::standard, Kind::array, {}, &min_items_keyword},
    {Kw::max_items, "maxItems", KwGroup::standard, Kind::array, {}, &max_items_keyword},
    {Kw::unique_items, "uniqueItems", KwGroup::standard, Kind::array, {}, &unique_items_keyword},
    {Kw::unevaluated_items,
     "unevaluatedItems",
     KwGroup::standard,
     {},
     InPlaceForm::unevaluated,
     &unevaluated_items_keyword},
    {Kw::properties, "properties", KwGroup::standard, {}, {}, &properties_keyword},
    {Kw::pattern_properties, "patternProperties", KwGroup::standard, {}, {}, &pattern_properties_keyword},
    {Kw::additional_properties, "additionalProperties", KwGroup::standard, {}, {}, &additional_properties_keyword},
    {Kw::property_names, "propertyNames", KwGroup::standard, {}, {}, &property_names_keyword},
    {Kw::min_properties, "minProperties", KwGroup::standard, Kind::object, {}, &min_properties_keyword},
    {Kw::max_properties, "maxProperties", KwGroup::standard, Kind::object, {}, &max_properties_keyword},
    {Kw::required, "required", KwGroup::standard, Kind::object, {}, &required_keyword},
    {Kw::dependent_required, "dependentRequired", KwGroup::standard, Kind::object, {}, &dependent_required_keyword},
    {Kw::unevaluated_properties,
     "unevaluatedProperties",
     KwGroup::standard,
     {},
     InPlaceForm::unevaluated,
     &unevaluated_properties_keyword},
    {Kw::member_of, "memberOf", KwGroup::ours, {}, {}, &member_of_keyword},
    {Kw::distinct, "distinct", KwGroup::ours, {}, {}, &distinct_keyword},
    {Kw::acyclic, "acyclic", KwGroup::ours, {}, {}, &acyclic_keyword},
    {Kw::count_of, "countOf", KwGroup::ours, {}, {}, &count_of_keyword},
    {Kw::sum_of, "sumOf", KwGroup::ours, {}, {}, &sum_of_keyword},
    {Kw::same_set_as, "sameSetAs", KwGroup::ours, Kind::array, {}, &same_set_as_keyword},
    {Kw::not_blank, "notBlank", KwGroup::ours, Kind::string, {}, &not_blank_keyword},
    {Kw::length, "length", KwGroup::ours, Kind::string, {}, &length_keyword},
    {Kw::max_sentences, "maxSentences", KwGroup::texts, Kind::string},
    {Kw::avoids, "avoids", KwGroup::texts, Kind::string},
    {Kw::single_unknown, "singleUnknown", KwGroup::texts, Kind::string},
    {Kw::mentions, "mentions", KwGroup::texts, Kind::string},
    {Kw::facts, "facts", KwGroup::texts, Kind::string},
    {Kw::novel, "novel", KwGroup::texts, Kind::string},
    {Kw::quoted_from, "quotedFrom", KwGroup::texts, Kind::string},
    {Kw::pointers, "pointers", KwGroup::ours, {}, InPlaceForm::pointed, &pointers_keyword},
    {Kw::rules, "rules", KwGroup::ours, {}, InPlaceForm::checked, &rules_keyword},
    {Kw::syntax, "syntax", KwGroup::text_itself},
    {Kw::duplicate_key, "duplicateKey", KwGroup::text_itself},
    {Kw::lone_surrogate, "loneSurrogate", KwGroup::text_itself},
    {Kw::limit, "limit", KwGroup::text_itself},
};

// As other rooms read them.
constexpr auto kw_facets = [] {
  std::array<KwFacets, std::size(kw_rows)> out = {};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = {kw_rows[i].kw, kw_rows[i].name, kw_rows[i].group, kw_rows[i].kind, kw_rows[i].form};
  }
  return out;
}();

constexpr std::size_t kw_count = static_cast<std::size_t>(Kw::count_);
static_assert(std::size(kw_rows) == kw_count, "a row for every rule");
static_assert(kw_count <= 128, "a set of rules has room for each (KwSet)");

// Rows by Kw, and again by length and text of their names.
constexpr auto by_kw = [] {
  std::array<std::uint8_t, kw_count> out = {};
  for (std::size_t i = 0; i < kw_count; ++i) {
    out[static_cast<std::size_t>(kw_rows[i].kw)] = static_cast<std::uint8_t>(i);
  }
  return out;
}();
constexpr auto name_before = [](std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
};
constexpr auto by_name = [] {
  std::array<std::uint8_t, kw_count> out = {};
  for (std::size_t i = 0; i < kw_count; ++i) {
    std::size_t at = i;
    for (; at > 0 && name_before(kw_rows[i].name, kw_rows[out[at - 1]].name); --at) {
      out[at] = out[at - 1];
    }
    out[at] = static_cast<std::uint8_t>(i);
  }
  return out;
}();

}  // namespace

std::span<const KwFacets> all_kw_facets() { return kw_facets; }
const KwFacets& facets_of(Kw kw) { return kw_facets[by_kw[static_cast<std::size_t>(kw)]]; }
std::string_view kw_name(Kw kw) { return facets_of(kw).name; }

Kw kw_named(std::string_view name) {
  const auto found = std::lower_bound(by_name.begin(), by_name.end(), name, [](std::uint8_t i, std::string_view text) {
    return name_before(kw_rows[i].name, text);
  });
  return found != by_name.end() && kw_rows[*found].name == name ? kw_rows[*found].kw : Kw::none;
}

bool dialect_knows(Dialect dialect, Kw kw) {
  const Keyword* known = kw == Kw::none ? nullptr : keyword_of(kw);
  return known == nullptr || known->since <= dialect;
}
const Keyword* keyword_of(Kw kw) {
  const Keyword* const known = kw_rows[by_kw[static_cast<std::size_t>(kw)]].keyword;
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
