// Kw: every rule that a finding can name. These are the keywords of JSON Schema, those of the Plumbline vocabulary,
// and faults of the text itself, which need no schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/contract/dialect.hpp"

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

// A set of rules.
class KwSet {
 public:
  void set(Kw kw) { words_[index(kw) / 64] |= std::uint64_t{1} << (index(kw) % 64); }
  bool test(Kw kw) const { return (words_[index(kw) / 64] >> (index(kw) % 64) & 1U) != 0; }

 private:
  static std::size_t index(Kw kw) { return static_cast<std::size_t>(kw); }
  std::uint64_t words_[2] = {};
};
static_assert(static_cast<std::size_t>(Kw::count_) <= 128);

// "minItems". For `none` the empty string.
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
