// The two searches that a scanner spends its time in, sixteen bytes at a time where the target can: SSE2 on x86-64,
// NEON on 64-bit ARM, SIMD128 in WebAssembly, and plain loops elsewhere. All give the same answers
// (tests/core/scan_simd_test.cpp, in each build).
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#define PLUMB_SIXTEEN_BYTES 1
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define PLUMB_SIXTEEN_BYTES 1
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define PLUMB_SIXTEEN_BYTES 1
#else
#define PLUMB_SIXTEEN_BYTES 0
#endif

#include "core/ascii.hpp"

namespace plumb::json {

// A byte that a run of plain string characters ends at: quote, backslash, a control character, or not ASCII.
inline bool ends_plain_run(char c) { return c == '"' || c == '\\' || static_cast<signed char>(c) < 0x20; }

#if PLUMB_SIXTEEN_BYTES
// A bit for each of the sixteen bytes at p that is no white space, and that ends a plain run.
#if defined(__SSE2__)
inline std::uint32_t other_than_space(const char* p) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i space =
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))),
                   _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'))));
  return ~static_cast<std::uint32_t>(_mm_movemask_epi8(space)) & 0xFFFFU;
}
inline std::uint32_t other_than_plain(const char* p) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i stop =
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))),
                   _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(stop));
}
#elif defined(__aarch64__)
// NEON has no instruction for a bit a byte: each byte keeps a bit of its own, and those of a half are added up.
inline std::uint32_t bit_a_byte(uint8x16_t marked) {
  const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t kept = vandq_u8(marked, bits);
  return static_cast<std::uint32_t>(vaddv_u8(vget_low_u8(kept))) |
         (static_cast<std::uint32_t>(vaddv_u8(vget_high_u8(kept))) << 8U);
}
inline std::uint32_t other_than_space(const char* p) {
  const uint8x16_t v = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
  const uint8x16_t space = vorrq_u8(vorrq_u8(vceqq_u8(v, vdupq_n_u8(' ')), vceqq_u8(v, vdupq_n_u8('\n'))),
                                    vorrq_u8(vceqq_u8(v, vdupq_n_u8('\r')), vceqq_u8(v, vdupq_n_u8('\t'))));
  return bit_a_byte(vmvnq_u8(space));
}
inline std::uint32_t other_than_plain(const char* p) {
  const uint8x16_t v = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
  const uint8x16_t stop = vorrq_u8(vorrq_u8(vceqq_u8(v, vdupq_n_u8('"')), vceqq_u8(v, vdupq_n_u8('\\'))),
                                   vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(0x20)));
  return bit_a_byte(stop);
}
#else
inline std::uint32_t other_than_space(const char* p) {
  const v128_t v = wasm_v128_load(p);
  const v128_t space =
      wasm_v128_or(wasm_v128_or(wasm_i8x16_eq(v, wasm_i8x16_splat(' ')), wasm_i8x16_eq(v, wasm_i8x16_splat('\n'))),
                   wasm_v128_or(wasm_i8x16_eq(v, wasm_i8x16_splat('\r')), wasm_i8x16_eq(v, wasm_i8x16_splat('\t'))));
  return ~static_cast<std::uint32_t>(wasm_i8x16_bitmask(space)) & 0xFFFFU;
}
inline std::uint32_t other_than_plain(const char* p) {
  const v128_t v = wasm_v128_load(p);
  const v128_t stop =
      wasm_v128_or(wasm_v128_or(wasm_i8x16_eq(v, wasm_i8x16_splat('"')), wasm_i8x16_eq(v, wasm_i8x16_splat('\\'))),
                   wasm_i8x16_lt(v, wasm_i8x16_splat(0x20)));
  return static_cast<std::uint32_t>(wasm_i8x16_bitmask(stop));
}
#endif

// The first byte in [p, end) that `mask` marks, or end.
template <std::uint32_t (*mask)(const char*)>
const char* find_marked(const char* p, const char* end) {
  while (end - p >= 16) {
    const std::uint32_t marked = mask(p);
    if (marked != 0) {
      return p + __builtin_ctz(marked);
    }
    p += 16;
  }
  return p;
}

// The same where 32 bytes behind the end may be read: without a branch where the text is short.
template <std::uint32_t (*mask)(const char*)>
const char* find_marked_padded(const char* p, const char* end) {
  while (end - p >= 32) {
    const std::uint32_t marked = mask(p);
    if (marked != 0) {
      return p + __builtin_ctz(marked);
    }
    p += 16;
  }
  const std::uint32_t marked = mask(p) | (mask(p + 16) << 16U) | (1U << static_cast<unsigned>(end - p));
  return p + __builtin_ctz(marked);
}
#endif

// The first byte in [p, end) that is no white space, or end. `padded`: 32 bytes behind the end may be read too, though
// they are not looked at, so that short texts go as fast as long ones.
inline const char* skip_space(const char* p, const char* end, bool padded = false) {
#if PLUMB_SIXTEEN_BYTES
  if (padded) {
    return find_marked_padded<other_than_space>(p, end);
  }
  p = find_marked<other_than_space>(p, end);
#endif
  while (p != end && ascii::is_space(*p)) {
    ++p;
  }
  return p;
}

// The first byte in [p, end) at which a run of plain string characters ends, or end. `padded` as above.
inline const char* skip_plain(const char* p, const char* end, bool padded = false) {
#if PLUMB_SIXTEEN_BYTES
  if (padded) {
    return find_marked_padded<other_than_plain>(p, end);
  }
  p = find_marked<other_than_plain>(p, end);
#endif
  while (p != end && !ends_plain_run(*p)) {
    ++p;
  }
  return p;
}

}  // namespace plumb::json
