// Kw: every rule that a finding can name. These are the keywords of JSON Schema, those of the Plumbline vocabulary,
// and faults of the text itself, which need no schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/contract/dialect.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

enum class Kw : std::uint8_t {
  none,
  // applicators at the same instance
  ref,
  dynamic_ref,
  recursive_ref,
  all_of,
  any_of,
  one_of,
  not_,
  if_,
  then_,
  else_,
  dependent_schemas,
  dependencies,
  // any value
  type,
  enum_,
  const_,
  // numbers
  multiple_of,
  maximum,
  exclusive_maximum,
  minimum,
  exclusive_minimum,
  // strings
  max_length,
  min_length,
  pattern,
  format,
  // arrays
  prefix_items,
  items,
  additional_items,
  contains,
  min_contains,
  max_contains,
  min_items,
  max_items,
  unique_items,
  unevaluated_items,
  // objects
  properties,
  pattern_properties,
  additional_properties,
  property_names,
  min_properties,
  max_properties,
  required,
  dependent_required,
  unevaluated_properties,
  // the Plumbline vocabulary
  member_of,
  distinct,
  acyclic,
  count_of,
  sum_of,
  same_set_as,
  not_blank,
  length,
  max_sentences,
  avoids,
  single_unknown,
  mentions,
  facts,
  novel,
  quoted_from,
  pointers,
  rules,
  // the text itself
  syntax,
  duplicate_key,
  lone_surrogate,
  limit,
  count_
};

enum class KwGroup : std::uint8_t {
  none,
  reference,
  standard,     // JSON Schema's own
  ours,         // the Plumbline vocabulary
  texts,        // those of it that read texts (text_list.cpp)
  text_itself,  // no member of a schema
};

// How a keyword applies schemas whose outcome decides for its own: to the same value, or to one member or item after
// the other (contained, unevaluated).
enum class InPlaceForm : std::uint8_t {
  none,
  reference,
  dynamic,
  all,
  alternatives,
  negation,
  condition,
  dependent,
  pointed,
  contained,
  unevaluated,
  checked,  // a rule's check
};

// What every room may ask about a keyword. What one room alone knows is in that room's table.
struct KwFacets {
  Kw kw = Kw::none;
  std::string_view name;
  KwGroup group = KwGroup::none;
  std::optional<json::Kind> kind = {};  // of the values that it is about; none: any, or it asks nothing by itself
  InPlaceForm form = InPlaceForm::none;
};

// In the order of the reference, `none` first.
std::span<const KwFacets> all_kw_facets();
const KwFacets& facets_of(Kw kw);

// The name in contracts and findings, such as "minItems". Empty for Kw::none.
std::string_view kw_name(Kw kw);
// Kw::none if no rule has this name.
Kw kw_named(std::string_view name);
// True if schemas of this dialect may use the rule. True for Kw::none.
bool dialect_knows(Dialect dialect, Kw kw);

// The optional prefix of Plumbline keywords, for validators that refuse unknown keywords: `x-plumb-quotedFrom` is
// `quotedFrom`. SchemaDocuments removes it while it reads.
inline constexpr std::string_view vocabulary_prefix = "x-plumb-";
// The keywords of the Plumbline vocabulary, rules and annotations, in the order of the reference.
inline constexpr std::string_view vocabulary_keywords[] = {
    "itemLabel", "errorMessage", "severity",  "stopAt",     "rules",    "memberOf",     "distinct", "acyclic",
    "countOf",   "sumOf",        "sameSetAs", "notBlank",   "length",   "maxSentences", "avoids",   "singleUnknown",
    "mentions",  "facts",        "novel",     "quotedFrom", "pointers", "role",         "itemId",   "edits"};

}  // namespace plumb::contract
