// What making samples knows of each keyword: one row each. A keyword without a row is neither broken nor mended by
// itself; its schemas are made and broken where they apply.
#pragma once

#include "core/sample/breaking.hpp"
#include "core/sample/mending.hpp"

namespace plumb::sample {

struct KeywordRow {
  Kw kw = Kw::none;
  // Proposals that break it. The value is of the kind that the keyword is about.
  void (*broken)(Breaking& b) = nullptr;
  // What it finds in a value by itself is put right in the whole artifact (mending.hpp).
  bool mended_later = false;
  bool (*mended)(Maker& maker, const Wish& root, Pair& pair, const contract::CrossRule& rule,
                 const Path& path) = nullptr;
  // What the context holds where the rule reads it. Null: a word.
  Draft (*in_context)(Random& random, const contract::CrossRule& rule) = nullptr;
  bool compares = false;  // the context holds what the value may be
};

// An empty row where it has none.
const KeywordRow& keyword_row(Kw kw);

// break_scalar.cpp
void break_type(Breaking& b);
void break_members(Breaking& b);
void break_step(Breaking& b);
void break_limit(Breaking& b);
void break_min_length(Breaking& b);
void break_max_length(Breaking& b);
void break_length(Breaking& b);
void break_not_blank(Breaking& b);
void break_pattern(Breaking& b);
void break_format(Breaking& b);
void break_max_sentences(Breaking& b);
void break_avoids(Breaking& b);
void break_single_unknown(Breaking& b);
void break_facts(Breaking& b);
// break_container.cpp
void break_min_items(Breaking& b);
void break_max_items(Breaking& b);
void break_unique_items(Breaking& b);
void break_distinct_items(Breaking& b);
void break_contains(Breaking& b);
void break_max_contains(Breaking& b);
void break_required(Breaking& b);
void break_dependent_required(Breaking& b);
void break_min_properties(Breaking& b);
void break_max_properties(Breaking& b);
void break_alternatives(Breaking& b);
void break_not(Breaking& b);
void break_rules(Breaking& b);
// break_across.cpp
void break_member_of(Breaking& b);
void break_distinct(Breaking& b);
void break_acyclic(Breaking& b);
void break_total(Breaking& b);
void break_same_set_as(Breaking& b);
void break_mentions(Breaking& b);
void break_novel(Breaking& b);
void break_quoted_from(Breaking& b);
// mending.cpp
bool mend_member_of(Maker& maker, const Wish& root, Pair& pair, const contract::CrossRule& rule, const Path& path);
bool mend_total(Maker& maker, const Wish& root, Pair& pair, const contract::CrossRule& rule, const Path& path);
bool mend_same_set_as(Maker& maker, const Wish& root, Pair& pair, const contract::CrossRule& rule, const Path& path);
bool mend_mentions(Maker& maker, const Wish& root, Pair& pair, const contract::CrossRule& rule, const Path& path);
bool mend_quoted_from(Maker& maker, const Wish& root, Pair& pair, const contract::CrossRule& rule, const Path& path);

}  // namespace plumb::sample
