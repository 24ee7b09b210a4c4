// Which forms have a value that ends where every member is required, as `openai-strict` has it.
//
// A form ends when some value of it does though all its members are there. Optional members that would make it endless
// are left out of it, one form at a time, the first in the contract first.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/derive/form.hpp"

namespace plumb::derive {

struct Endings {
  std::vector<bool> ends;  // by form
  std::vector<std::pair<FormId, std::string_view>> without;

  bool left_out(FormId form, std::string_view key) const;
};

Endings find_endings(const Forms& forms);

// The first item of an array: the one for all places, where no place has its own.
FormId item_of(const Form& form);

}  // namespace plumb::derive
