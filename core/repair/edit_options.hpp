// What may be edited. The caller's word for a class goes first, then the contract's at the place (the keyword `edits`),
// then the caller's general level; with the level `none` nothing is edited at all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/contract/edit.hpp"

namespace plumb::repair {

struct EditOptions {
  contract::EditLevel level = contract::EditLevel::none;
  contract::EditLevels classes = {};
  std::size_t edits_max = 100000;  // more are not made: a signal tells it, and the text is judged as it goes on
  bool keep_text = false;          // Check::text() gives the edited text
};

}  // namespace plumb::repair
