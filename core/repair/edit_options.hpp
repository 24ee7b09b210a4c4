// EditOptions: the edits that may be made. For each class the caller's level decides, then the contract's level at the
// place (keyword `edits`), then the caller's general level. If the general level is `none`, nothing is edited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/contract/edit.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::repair {

struct EditOptions {
  contract::EditLevel level = contract::EditLevel::none;
  contract::EditLevels classes = {};
  std::size_t edits_max = 100000;  // more are not made: a signal reports it, and the rest is judged as it is
  bool keep_text = false;          // Check::text() gives the edited text
};

// Reads "none", "certain" or "guess", or an object that maps classes to them. Its member `default` is the general
// level, `certain` if it is missing.
Result<bool> read_edit_options(const json::Value& said, EditOptions& out);
// Sets the level of one class, from the command line: "innerQuote", "guess".
Result<bool> set_edit_level(std::string_view edit_class, std::string_view level, EditOptions& out);

}  // namespace plumb::repair
