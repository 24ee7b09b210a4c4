// The two searches that a scanner spends its time in, sixteen bytes at a time where the target can: SSE2 on x86-64,
// SIMD128 in WebAssembly, and plain loops elsewhere. All give the same answers.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace plumb::json {

// JSON white space: space, tab, line feed, carriage return.
inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// A byte that a run of plain string characters ends at: quote, backslash, a control character, or not ASCII.
inline bool ends_plain_run(char c) { return c == '"' || c == '\\' || static_cast<signed char>(c) < 0x20; }

#if defined(__SSE2__) || defined(__wasm_simd128__)
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
#if defined(__SSE2__) || defined(__wasm_simd128__)
  if (padded) {
    return find_marked_padded<other_than_space>(p, end);
  }
  p = find_marked<other_than_space>(p, end);
#endif
  while (p != end && is_space(*p)) {
    ++p;
  }
  return p;
}

// The first byte in [p, end) at which a run of plain string characters ends, or end. `padded` as above.
inline const char* skip_plain(const char* p, const char* end, bool padded = false) {
#if defined(__SSE2__) || defined(__wasm_simd128__)
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
