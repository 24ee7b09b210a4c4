#include "core/json/equality.hpp"

#include <cstddef>
#include <cstring>

#include "core/json/decimal.hpp"

namespace plumb::json {

namespace {

constexpr std::uint32_t exponent_max = 1'000'000;

// Both halves of the 128-bit product, folded into one.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
#else
  constexpr std::uint64_t half = 0xFFFFFFFFU;
  const std::uint64_t low = (a & half) * (b & half);
  const std::uint64_t cross_a = (a >> 32U) * (b & half) + (low >> 32U);
  const std::uint64_t cross_b = (a & half) * (b >> 32U) + (cross_a & half);
  const std::uint64_t high = (a >> 32U) * (b >> 32U) + (cross_a >> 32U) + (cross_b >> 32U);
  return (a * b) ^ high;
#endif
}

std::uint64_t load(const char* p, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, size);
  return word;
}

enum class Tag : std::uint8_t { null = 1, no, yes, number, number_beyond, string };

std::uint64_t tagged(std::uint64_t seed, Tag tag) {
  return seed + static_cast<std::uint64_t>(tag) * 0x9E3779B97F4A7C15U;
}

}  // namespace

bool numbers_equal(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  Decimal number_a;
  Decimal number_b;
  return Decimal::read(a, exponent_max, number_a) == DecimalStatus::ok &&
         Decimal::read(b, exponent_max, number_b) == DecimalStatus::ok && number_a == number_b;
}

std::uint64_t hash_number(std::string_view number, std::uint64_t seed) {
  Decimal decimal;
  if (Decimal::read(number, exponent_max, decimal) != DecimalStatus::ok) {
    return hash_text(number, tagged(seed, Tag::number_beyond));
  }
  return decimal.hash(tagged(seed, Tag::number));
}

// Both factors of each product are masked with words that depend on the seed: without it, neither can be made zero.
std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  const std::uint64_t mask_a = fold(seed ^ 0xA0761D6478BD642FU, 0xE7037ED1A0B428DBU) + 0x8EBC6AF09C88C6E3U;
  const std::uint64_t mask_b = fold(seed ^ 0x589965CC75374CC3U, 0x1D8E4E27C47D124FU) + 0xEB44ACCAB455D165U;
  std::uint64_t hash = mask_a ^ text.size();
  const char* p = text.data();
  std::size_t left = text.size();
  for (; left > 16; left -= 16, p += 16) {
    hash = fold(load(p, 8) ^ mask_a, load(p + 8, 8) ^ mask_b ^ hash);
  }
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  if (left > 8) {
    first = load(p, 8);
    second = load(p + 8, left - 8);
  } else if (left > 0) {
    first = load(p, left);
  }
  hash = fold(first ^ mask_a, second ^ mask_b ^ hash);
  return fold(hash ^ mask_b, 0x9E3779B97F4A7C15U ^ mask_a);
}

std::uint64_t hash_scalar(Kind kind, std::string_view text, std::uint64_t seed) {
  switch (kind) {
    case Kind::null:
      return hash_combine(seed, tagged(seed, Tag::null));
    case Kind::boolean:
      return hash_combine(seed, tagged(seed, text == "true" ? Tag::yes : Tag::no));
    case Kind::number:
      return hash_number(text, seed);
    case Kind::string:
    case Kind::array:
    case Kind::object:
      break;
  }
  return hash_text(text, tagged(seed, Tag::string));
}

std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t next) {
  return fold(hash ^ 0xA0761D6478BD642FU, next ^ 0xE7037ED1A0B428DBU) + (hash ^ 0x8EBC6AF09C88C6E3U);
}

}  // namespace plumb::json
