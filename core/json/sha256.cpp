#include "core/json/sha256.hpp"

#include <algorithm>

#include "core/require.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace plumb::json {

namespace {

constexpr std::array<std::uint32_t, 8> first_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t rotate(std::uint32_t word, unsigned by) { return (word >> by) | (word << (32U - by)); }

void portable_block(std::array<std::uint32_t, 8>& state, const char* p) {
  std::array<std::uint32_t, 64> words;
  for (std::size_t i = 0; i < 16; ++i) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      word = (word << 8U) | static_cast<unsigned char>(p[i * 4 + j]);
    }
    words[i] = word;
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t w15 = words[i - 15];
    const std::uint32_t w2 = words[i - 2];
    const std::uint32_t s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >> 3U);
    const std::uint32_t s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >> 10U);
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t t1 = h + s1 + choice + round_constants[i] + words[i];
    const std::uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t t2 = s0 + majority;
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) {
    state[i] += added[i];
  }
}

#if defined(__x86_64__)
// The processor's own instructions for it, some eight times as fast: leaf 7 of CPUID tells of them.
bool has_sha_instructions() {
  static const bool found = [] {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29U & 1U) != 0;
  }();
  return found;
}

__attribute__((target("sha,sse4.1"))) void native_blocks(std::array<std::uint32_t, 8>& state, const char* p,
                                                         std::size_t blocks) {
  const auto at = [](const auto* from) { return reinterpret_cast<const __m128i*>(from); };
  // The instructions take the state as a, b, e, f and c, d, g, h, each from its last word on.
  const __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128(at(state.data())), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(at(state.data() + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xF0);
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  for (; blocks > 0; --blocks, p += 64) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i words[4];
    for (std::size_t i = 0; i < 16; ++i) {  // four rounds each
      __m128i& now = words[i % 4];
      const __m128i& last = words[(i + 3) % 4];
      now = i < 4 ? _mm_shuffle_epi8(_mm_loadu_si128(at(p + 16 * i)), big_endian)
                  : _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, words[(i + 1) % 4]),
                                                       _mm_alignr_epi8(last, words[(i + 2) % 4], 4)),
                                         last);
      const __m128i sum = _mm_add_epi32(now, _mm_loadu_si128(at(round_constants.data() + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  const auto to = [&state](std::size_t i) { return reinterpret_cast<__m128i*>(state.data() + i); };
  _mm_storeu_si128(to(0), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(to(4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

}  // namespace

Sha256::Sha256() : state_(first_state) {}

void Sha256::blocks(const char* p, std::size_t count) {
#if defined(__x86_64__)
  if (has_sha_instructions()) {
    native_blocks(state_, p, count);
    return;
  }
#endif
  for (std::size_t i = 0; i < count; ++i) {
    portable_block(state_, p + 64 * i);
  }
}

void Sha256::update(std::string_view bytes) {
  PLUMB_REQUIRE(!ended_, "a hash that was read takes no more bytes");
  size_ += bytes.size();
  if (pending_size_ != 0) {
    const std::size_t taken = std::min(bytes.size(), pending_.size() - pending_size_);
    bytes.copy(pending_.data() + pending_size_, taken);
    pending_size_ += taken;
    bytes.remove_prefix(taken);
    if (pending_size_ < pending_.size()) {
      return;
    }
    blocks(pending_.data(), 1);
    pending_size_ = 0;
  }
  const std::size_t whole = bytes.size() / pending_.size();
  blocks(bytes.data(), whole);
  bytes.remove_prefix(whole * pending_.size());
  bytes.copy(pending_.data(), bytes.size());
  pending_size_ = bytes.size();
}

Sha256::Digest Sha256::digest() {
  const std::uint64_t bits = size_ * 8;
  constexpr char padding[64] = {'\x80'};
  const std::size_t zeros_until = pending_size_ < 56 ? 56 : 120;
  update({padding, zeros_until - pending_size_});
  char length[8];
  for (unsigned i = 0; i < 8; ++i) {
    length[i] = static_cast<char>((bits >> (56U - 8U * i)) & 0xFFU);
  }
  update({length, sizeof length});
  ended_ = true;
  Digest digest;
  for (unsigned i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24U - 8U * (i % 4)));
  }
  return digest;
}

std::string Sha256::hex() {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(64);
  for (const std::uint8_t byte : digest()) {
    out.push_back(digits[byte >> 4U]);
    out.push_back(digits[byte & 0xFU]);
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace plumb::json
