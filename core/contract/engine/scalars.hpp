// Strings, numbers and literals, judged in place. Most pass by the fast tests of accept.hpp. The others are judged in
// full, with the byte after which each rule was certain.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/contract/engine/evaluations.hpp"
#include "core/json/decimal.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

// The scalar that is being read, or was read last.
struct Token {
  json::Kind kind = json::Kind::null;
  bool value = false;       // of a boolean
  bool active = false;      // evaluations are open for it
  bool verbatim = false;    // `text` stays where it is until the check is over
  bool wants_text = false;  // needs the whole text, else only its beginning for messages
  std::string_view text;    // string: the kept part, decoded; number: as written
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t points = 0;          // code points
  std::uint64_t points_trimmed = 0;  // code points without white space at both ends
  std::uint64_t leading = 0;
  bool blank = true;
  bool ended = false;
  std::uint32_t open_found = none32;
  json::Decimal decimal;
  bool has_decimal = false;
  bool is_name = false;          // it is a key, judged by propertyNames
  std::uint32_t place_from = 0;  // first index of its evaluations in Engine::place
};

// The scanner's events.
void begin_scalar(Engine& engine, json::Kind kind, std::uint64_t from);
void read_number(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, std::uint64_t decided);
void read_literal(Engine& engine, json::Kind kind, bool value, std::uint64_t from, std::uint64_t to);

// Opens the evaluations of a scalar.
void scalar_place(Engine& engine, json::Kind kind, std::uint64_t from);
// scalar_finish() judges the token's scalar and closes its evaluations. scalar_end() also tells its container.
void scalar_finish(Engine& engine, std::uint64_t to);
void scalar_end(Engine& engine, std::uint64_t to);
void check_type(Engine& engine, std::uint32_t index, json::Kind kind, std::uint64_t from);

}  // namespace plumb::contract
