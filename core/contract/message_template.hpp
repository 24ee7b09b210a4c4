// MessageTemplate: a text with variables, for `errorMessage` and `itemLabel`: "Must have at least 4 options (has
// {size})".
//
//   {n}         the item's index in its array, counted from 1
//   {size}      length of the string in code points (after the rule's folding), or number of items or members
//   {limit}     the rule's limit
//   {value}     the value itself, at most 200 code points, a string without quotes
//   {property}  the member's name: the missing one for `required`, else the instance's own
//   {path}      the place of the instance, for item labels
//   {/pointer}  the value at a JSON Pointer from the instance, or at a relative one ({1/label}: from the parent)
//
// Double braces, {{ and }}, stand for one.
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
    std::string text;           // the literal text, or the pointer as written
    std::uint32_t pattern = 0;  // pointer: index into Program::pointer_patterns, which the compiler sets
  };
  std::vector<Piece> pieces;

  // The error's message names the unknown variable. Error::column is its place in the text, counted from 1.
  static Result<MessageTemplate> read(std::string_view text);
};

}  // namespace plumb::contract
