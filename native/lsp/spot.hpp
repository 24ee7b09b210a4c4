// What is at a place of a contract that is being written: whether a keyword may be there, or the value of which
// keyword. The text need not be JSON: strings that are not closed end with their line, and commas may be missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/dialect.hpp"
#include "native/lsp/positions.hpp"

namespace plumb::lsp {

struct Spot {
  enum class What : std::uint8_t {
    other,
    keyword,  // the name of a member of a schema
    value,    // what a keyword of a schema has as its value, or an item of the list that it has
  } what = What::other;
  std::string keyword;              // what is there; for `value`: of the member
  Bytes token;                      // what is there, quotes included; empty: nothing is
  bool colon_follows = false;       // behind the token
  std::vector<std::string> beside;  // other members of the same schema, before and after
  contract::Dialect dialect = contract::Dialect::draft2020_12;
};

Spot spot_at(std::string_view text, std::uint64_t byte);

}  // namespace plumb::lsp
