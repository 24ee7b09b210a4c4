// The kind of value that a character begins. Internal to Reader.
#pragma once

#include <cstdint>

#include "core/ascii.hpp"
#include "core/contract/program.hpp"

namespace plumb::repair {

// The kind of value that begins with `c`, as a bit of contract::TypeBit; 0 if no value does.
inline std::uint8_t kind_begun_by(char c) {
  switch (c) {
    case '{':
      return contract::type_object;
    case '[':
      return contract::type_array;
    case '"':
      return contract::type_string;
    case 't':
    case 'f':
    case 'T':
    case 'F':
      return contract::type_boolean;
    case 'n':
    case 'N':
      return contract::type_null;
    default:
      return ascii::is_digit(c) || c == '-' ? contract::type_number : 0;
  }
}

}  // namespace plumb::repair
