// Places of a contract that are open: it takes anything there, or members of any name. Whoever holds a model to a
// target that narrows one sends a weaker target instead: the model could not answer what is asked.
#pragma once

#include <algorithm>
#include <string_view>

#include "core/derive/derive.hpp"

namespace plumb::derive {

// The kind of such a narrowing.
inline constexpr std::string_view open_place = "open place";

inline bool narrows_open_place(const Derived& derived) {
  return std::any_of(derived.narrows.begin(), derived.narrows.end(),
                     [](const Narrowing& one) { return one.kind == open_place; });
}

}  // namespace plumb::derive
