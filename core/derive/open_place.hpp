// Open places of a contract: places where it accepts any value, or members of any name. A target that narrows one must
// not be enforced, because the model could then not give the answer that the contract asks for. Use a weaker target.
#pragma once

#include <algorithm>
#include <string_view>

#include "core/derive/derive.hpp"

namespace plumb::derive {

// The kind of such a narrowing, as derive reports it.
inline constexpr std::string_view open_place = "open place";

inline bool narrows_open_place(const Derived& derived) {
  return std::any_of(derived.narrows.begin(), derived.narrows.end(),
                     [](const Narrowing& one) { return one.kind == open_place; });
}

}  // namespace plumb::derive
