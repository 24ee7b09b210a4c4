// What may be edited. The caller's word for a class goes first, then the contract's at the place (the keyword `edits`),
// then the caller's general level; with the level `none` nothing is edited at all.
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
  std::size_t edits_max = 100000;  // more are not made: a signal tells it, and the text is judged as it goes on
  bool keep_text = false;          // Check::text() gives the edited text
};

// "none", "certain" or "guess"; or an object from classes to these, in which `default` is the general level (certain,
// where it is not said).
Result<bool> read_edit_options(const json::Value& said, EditOptions& out);
// The same for one class, as a command line says it: "innerQuote", "guess".
Result<bool> set_edit_level(std::string_view edit_class, std::string_view level, EditOptions& out);

}  // namespace plumb::repair
