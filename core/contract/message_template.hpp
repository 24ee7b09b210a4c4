// Texts with variables, for `errorMessage` and `itemLabel`: "Must have at least 4 options (has {size})".
//
//   {n}         the item's index in its array, counted from 1
//   {size}      length of the string in code points (after the rule's folding), number of items or members
//   {limit}     the rule's limit
//   {value}     the value itself, a string without quotes, bounded
//   {property}  the member's name: the missing one for `required`, else the instance's own
//   {path}      where the instance is, in item labels
//   {/pointer}  what is there: a JSON Pointer from the instance, or a relative one ({1/label}: of the parent)
//
// Two braces {{ or }} stand for one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace plumb::contract {

struct MessageTemplate {
  enum class Part : std::uint8_t { literal, n, size, limit, value, property, path, pointer };
  struct Piece {
    Part part = Part::literal;
    std::string text;           // literal text, or the pointer as written
    std::uint32_t pattern = 0;  // pointer: index into Program::pointer_patterns, set by the compiler
  };
  std::vector<Piece> pieces;

  // The error's message names the variable that is not known; Error::column is its place in the text, from 1.
  static Result<MessageTemplate> read(std::string_view text);
};

}  // namespace plumb::contract
