// Whole numbers as decimal text, both ways, without locale and the same in every build.
//
//   append_uint(out, 12);             "12"
//   append_int(out, -3);              "-3"
//   std::uint64_t n;
//   read_uint("017", n)               false: no leading zeros, signs, blanks or overflow
//
// Numbers of an artifact are never written with these: they keep the text they came with (core/json/decimal.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::json {

void append_uint(std::string& out, std::uint64_t number);
void append_int(std::string& out, std::int64_t number);
std::string uint_text(std::uint64_t number);

// Reads `0` or digits without a leading zero, as array indices of a JSON Pointer are written. False, and `number`
// untouched, for anything else and for what does not fit.
bool read_uint(std::string_view text, std::uint64_t& number);

}  // namespace plumb::json
