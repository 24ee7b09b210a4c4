// UTF-8 from the UTF-16 units of a JavaScript string. A surrogate without its other half becomes three bytes of its
// own, so that the engine finds it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::wasm {

// Writes at most three bytes a unit to `to`; how many.
std::size_t utf8_from_utf16(const std::uint16_t* units, std::size_t count, char* to);

}  // namespace plumb::wasm
