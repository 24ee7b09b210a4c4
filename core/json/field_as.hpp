// A member of a record that is read and written in a way of its own, beside core/json/record.hpp.
//
//   constexpr json::FieldType day_type = {read, write, is_set};         // "day" or "night", of a flag
//   json::field_as<&Sky::day>("time", day_type)
#pragma once

#include "core/json/record.hpp"

namespace plumb::json {

// `type` is that of the member, and outlives the table.
template <auto member>
constexpr Field field_as(std::string_view name, const FieldType& type, bool always = true) {
  using Holder = typename MemberOf<decltype(member)>::Holder;
  return {name, &type, [](const void* record) -> const void* { return &(static_cast<const Holder*>(record)->*member); },
          always};
}

}  // namespace plumb::json
