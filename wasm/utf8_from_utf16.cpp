#include "wasm/utf8_from_utf16.hpp"

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace plumb::wasm {

namespace {

bool is_high(char16_t unit) { return (unit & 0xFC00U) == 0xD800U; }
bool is_low(char16_t unit) { return (unit & 0xFC00U) == 0xDC00U; }

char continuation(std::uint32_t point) { return static_cast<char>(0x80U | (point & 0x3FU)); }

}  // namespace

std::size_t utf8_from_utf16(const std::uint16_t* units, std::size_t count, char* to) {
  char* const first = to;
  std::size_t i = 0;
  while (i < count) {
#ifdef __wasm_simd128__
    while (count - i >= 16) {  // sixteen units of ASCII at once
      const v128_t a = wasm_v128_load(units + i);
      const v128_t b = wasm_v128_load(units + i + 8);
      if (wasm_v128_any_true(wasm_v128_and(wasm_v128_or(a, b), wasm_i16x8_splat(static_cast<short>(0xFF80))))) {
        break;
      }
      wasm_v128_store(to, wasm_u8x16_narrow_i16x8(a, b));
      to += 16;
      i += 16;
    }
    if (i == count) {
      break;
    }
#endif
    // Up to the next stretch of ASCII, or as far as one step of the above would have gone.
    const std::size_t stop = count - i < 16 ? count : i + 16;
    while (i < stop) {
      std::uint32_t point = units[i++];
      if (point < 0x80) {
        *to++ = static_cast<char>(point);
        continue;
      }
      if (point < 0x800) {
        *to++ = static_cast<char>(0xC0U | (point >> 6U));
        *to++ = continuation(point);
        continue;
      }
      if (is_high(static_cast<char16_t>(point)) && i < count && is_low(units[i])) {
        point = 0x10000U + ((point & 0x3FFU) << 10U) + (units[i++] & 0x3FFU);
        *to++ = static_cast<char>(0xF0U | (point >> 18U));
        *to++ = continuation(point >> 12U);
      } else {
        *to++ = static_cast<char>(0xE0U | (point >> 12U));
      }
      *to++ = continuation(point >> 6U);
      *to++ = continuation(point);
    }
  }
  return static_cast<std::size_t>(to - first);
}

}  // namespace plumb::wasm
