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

// The first byte in [p, end) that is no white space, or end. Bytes up to `readable`, at least `end`, may be read though
// they are not looked at: with sixteen of them behind the end, short texts go as fast as long ones.
inline const char* skip_space(const char* p, const char* end, const char* readable) {
#if defined(__SSE2__)
  while (readable - p >= 16 && p < end) {
    __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i space =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))),
                     _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'))));
    unsigned other = ~static_cast<unsigned>(_mm_movemask_epi8(space)) & 0xFFFFU;
    if (other != 0) {
      p += __builtin_ctz(other);
      return p < end ? p : end;
    }
    p += 16;
  }
#elif defined(__wasm_simd128__)
  while (readable - p >= 16 && p < end) {
    v128_t v = wasm_v128_load(p);
    v128_t space =
        wasm_v128_or(wasm_v128_or(wasm_i8x16_eq(v, wasm_i8x16_splat(' ')), wasm_i8x16_eq(v, wasm_i8x16_splat('\n'))),
                     wasm_v128_or(wasm_i8x16_eq(v, wasm_i8x16_splat('\r')), wasm_i8x16_eq(v, wasm_i8x16_splat('\t'))));
    unsigned other = ~static_cast<unsigned>(wasm_i8x16_bitmask(space)) & 0xFFFFU;
    if (other != 0) {
      p += __builtin_ctz(other);
      return p < end ? p : end;
    }
    p += 16;
  }
#endif
  while (p < end && is_space(*p)) {
    ++p;
  }
  return p < end ? p : end;
}
inline const char* skip_space(const char* p, const char* end) { return skip_space(p, end, end); }

// The first byte in [p, end) at which a run of plain string characters ends, or end. `readable` as above.
inline const char* skip_plain(const char* p, const char* end, const char* readable) {
#if defined(__SSE2__)
  while (readable - p >= 16 && p < end) {
    __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i stop =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))),
                     _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)));
    unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(stop));
    if (mask != 0) {
      p += __builtin_ctz(mask);
      return p < end ? p : end;
    }
    p += 16;
  }
#elif defined(__wasm_simd128__)
  while (readable - p >= 16 && p < end) {
    v128_t v = wasm_v128_load(p);
    v128_t stop =
        wasm_v128_or(wasm_v128_or(wasm_i8x16_eq(v, wasm_i8x16_splat('"')), wasm_i8x16_eq(v, wasm_i8x16_splat('\\'))),
                     wasm_i8x16_lt(v, wasm_i8x16_splat(0x20)));
    unsigned mask = static_cast<unsigned>(wasm_i8x16_bitmask(stop));
    if (mask != 0) {
      p += __builtin_ctz(mask);
      return p < end ? p : end;
    }
    p += 16;
  }
#endif
  while (p < end && !ends_plain_run(*p)) {
    ++p;
  }
  return p < end ? p : end;
}
inline const char* skip_plain(const char* p, const char* end) { return skip_plain(p, end, end); }

}  // namespace plumb::json
