// Reads a contract as the loader gives it: its text, and an object {name?, uri?, dialect?:
// "2019-09"|"draft-07"|"draft-06"|"draft-04", assertFormats?, documents?: {URI: text}}, in which there may be
// other members.
#pragma once

#include <string_view>

#include "core/contract/contract.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"
#include "wasm/read_json.hpp"

namespace plumb::wasm {

// Without the text; documents are views of what was given.
inline contract::ReadOptions read_options(const json::Value& given) {
  contract::ReadOptions read;
  read.name = view_text(given, "name");
  read.uri = view_text(given, "uri");
  read.assert_formats = read_flag(given, "assertFormats");
  read.dialect = contract::dialect_named(view_text(given, "dialect"));
  for (const json::Member& document : read_members(given, "documents")) {
    read.documents.push_back({document.key, document.value.str()});
  }
  return read;
}

inline Result<contract::Contract> read_contract(std::string_view text, const json::Value& given) {
  return contract::Contract::read(text, read_options(given));
}

}  // namespace plumb::wasm
