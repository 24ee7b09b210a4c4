#include "core/json/sha256.hpp"

#include <algorithm>

#include "core/require.hpp"

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

}  // namespace

Sha256::Sha256() : state_(first_state) {}

void Sha256::block(const char* p) {
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
  auto [a, b, c, d, e, f, g, h] = state_;
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
    state_[i] += added[i];
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
    block(pending_.data());
    pending_size_ = 0;
  }
  while (bytes.size() >= pending_.size()) {
    block(bytes.data());
    bytes.remove_prefix(pending_.size());
  }
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
