#include "core/compare/keywords.hpp"

namespace plumb::compare {

using contract::Kw;

Compared compared(Kw kw) {
  switch (kw) {
    case Kw::ref:
    case Kw::all_of:
    case Kw::any_of:
    case Kw::one_of:
    case Kw::not_:
    case Kw::if_:
    case Kw::then_:
    case Kw::else_:
    case Kw::dependent_schemas:
    case Kw::dependencies:
    case Kw::type:
    case Kw::enum_:
    case Kw::const_:
    case Kw::multiple_of:
    case Kw::maximum:
    case Kw::exclusive_maximum:
    case Kw::minimum:
    case Kw::exclusive_minimum:
    case Kw::max_length:
    case Kw::min_length:
    case Kw::prefix_items:
    case Kw::items:
    case Kw::additional_items:
    case Kw::contains:
    case Kw::min_contains:
    case Kw::max_contains:
    case Kw::min_items:
    case Kw::max_items:
    case Kw::unique_items:
    case Kw::properties:
    case Kw::pattern_properties:
    case Kw::additional_properties:
    case Kw::property_names:
    case Kw::min_properties:
    case Kw::max_properties:
    case Kw::required:
    case Kw::dependent_required:
    case Kw::not_blank:
    case Kw::length:
    case Kw::rules:
      return Compared::by_meaning;
    case Kw::dynamic_ref:
    case Kw::recursive_ref:
    case Kw::pattern:
    case Kw::format:
    case Kw::unevaluated_items:
    case Kw::unevaluated_properties:
    case Kw::member_of:
    case Kw::distinct:
    case Kw::acyclic:
    case Kw::count_of:
    case Kw::sum_of:
    case Kw::same_set_as:
    case Kw::max_sentences:
    case Kw::avoids:
    case Kw::single_unknown:
    case Kw::mentions:
    case Kw::facts:
    case Kw::novel:
    case Kw::quoted_from:
    case Kw::pointers:
      return Compared::where_same;
    case Kw::none:
    case Kw::syntax:
    case Kw::duplicate_key:
    case Kw::lone_surrogate:
    case Kw::limit:
    case Kw::count_:
      break;
  }
  return Compared::not_yet;
}

}  // namespace plumb::compare
