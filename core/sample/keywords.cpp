#include "core/sample/keywords.hpp"

#include <algorithm>
#include <iterator>

#include "core/json/number_text.hpp"
#include "core/sample/words.hpp"

namespace plumb::sample {

using contract::CrossRule;

namespace {

Draft number_in_context(Random& random, const CrossRule&) {
  return Draft::number(json::uint_text(1 + random.below(9)));
}
Draft question_in_context(Random& random, const CrossRule&) { return Draft::string(question(random)); }

Draft source_in_context(Random& random, const CrossRule& rule) {
  std::string text = sentence(random) + " " + sentence(random);
  while (text.size() < rule.min_points && text.size() < 20'000) {
    text += " " + sentence(random);
  }
  return Draft::string(text);
}

constexpr KeywordRow sample_rows[] = {
    {Kw::type, break_type},
    {Kw::enum_, break_members},
    {Kw::const_, break_members},
    {Kw::multiple_of, break_step},
    {Kw::maximum, break_limit},
    {Kw::exclusive_maximum, break_limit},
    {Kw::minimum, break_limit},
    {Kw::exclusive_minimum, break_limit},
    {Kw::max_length, break_max_length},
    {Kw::min_length, break_min_length},
    {Kw::pattern, break_pattern},
    {Kw::format, break_format},
    {Kw::contains, break_contains},
    {Kw::min_contains, break_contains},
    {Kw::max_contains, break_max_contains},
    {Kw::min_items, break_min_items},
    {Kw::max_items, break_max_items},
    {Kw::unique_items, break_unique_items},
    {Kw::min_properties, break_min_properties},
    {Kw::max_properties, break_max_properties},
    {Kw::required, break_required},
    {Kw::dependent_required, break_dependent_required},
    {Kw::dependencies, break_dependent_required},
    {Kw::any_of, break_alternatives},
    {Kw::one_of, break_alternatives},
    {Kw::not_, break_not},
    {Kw::member_of, break_member_of, true, mend_member_of, nullptr, true},
    {Kw::distinct, break_distinct, true},
    {Kw::acyclic, break_acyclic, true},
    {Kw::count_of, break_total, true, mend_total},
    {Kw::sum_of, break_total, true, mend_total, number_in_context},
    {Kw::same_set_as, break_same_set_as, true, mend_same_set_as, nullptr, true},
    {Kw::not_blank, break_not_blank},
    {Kw::length, break_length},
    {Kw::max_sentences, break_max_sentences},
    {Kw::avoids, break_avoids},
    {Kw::single_unknown, break_single_unknown},
    {Kw::mentions, break_mentions, true, mend_mentions},
    {Kw::facts, break_facts},
    {Kw::novel, break_novel, true, nullptr, question_in_context},
    {Kw::quoted_from, break_quoted_from, true, mend_quoted_from, source_in_context},
    {Kw::rules, break_rules},
    {},
};

}  // namespace

const KeywordRow& keyword_row(Kw kw) {
  return *std::find_if(std::begin(sample_rows), std::end(sample_rows) - 1,
                       [kw](const KeywordRow& row) { return row.kw == kw; });
}

}  // namespace plumb::sample
