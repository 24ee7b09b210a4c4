#include "core/compare/keywords.hpp"

#include <algorithm>
#include <iterator>

namespace plumb::compare {

using contract::Kw;

namespace {

constexpr Kw by_meaning[] = {Kw::ref,
                             Kw::all_of,
                             Kw::any_of,
                             Kw::one_of,
                             Kw::not_,
                             Kw::if_,
                             Kw::then_,
                             Kw::else_,
                             Kw::dependent_schemas,
                             Kw::dependencies,
                             Kw::type,
                             Kw::enum_,
                             Kw::const_,
                             Kw::multiple_of,
                             Kw::maximum,
                             Kw::exclusive_maximum,
                             Kw::minimum,
                             Kw::exclusive_minimum,
                             Kw::max_length,
                             Kw::min_length,
                             Kw::prefix_items,
                             Kw::items,
                             Kw::additional_items,
                             Kw::contains,
                             Kw::min_contains,
                             Kw::max_contains,
                             Kw::min_items,
                             Kw::max_items,
                             Kw::unique_items,
                             Kw::properties,
                             Kw::pattern_properties,
                             Kw::additional_properties,
                             Kw::property_names,
                             Kw::min_properties,
                             Kw::max_properties,
                             Kw::required,
                             Kw::dependent_required,
                             Kw::not_blank,
                             Kw::length,
                             Kw::rules};
constexpr Kw where_same[] = {Kw::dynamic_ref,
                             Kw::recursive_ref,
                             Kw::pattern,
                             Kw::format,
                             Kw::unevaluated_items,
                             Kw::unevaluated_properties,
                             Kw::member_of,
                             Kw::distinct,
                             Kw::acyclic,
                             Kw::count_of,
                             Kw::sum_of,
                             Kw::same_set_as,
                             Kw::max_sentences,
                             Kw::avoids,
                             Kw::single_unknown,
                             Kw::mentions,
                             Kw::facts,
                             Kw::novel,
                             Kw::quoted_from,
                             Kw::pointers};

template <std::size_t n>
bool lists(const Kw (&list)[n], Kw kw) {
  return std::find(std::begin(list), std::end(list), kw) != std::end(list);
}

}  // namespace

Compared compared(Kw kw) {
  return lists(by_meaning, kw)   ? Compared::by_meaning
         : lists(where_same, kw) ? Compared::where_same
                                 : Compared::not_yet;
}

}  // namespace plumb::compare
