// Equality and hashing of scalars by what they mean in JSON, where only their text is at hand.
//
// equal() and hash() of core/json/value.hpp are made of these; use them directly where there is no tree. Hashes depend
// on the seed, which a host chooses so that keys cannot be crafted to collide; no output may depend on a hash.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/json/value.hpp"

namespace plumb::json {

// Whether two texts of JSON numbers are the same number: 1, 1.0 and 10e-1 are. Exact for up to 100,000 significant
// digits and powers of ten up to 1,000,000; numbers beyond that are equal when their texts are.
bool numbers_equal(std::string_view a, std::string_view b);

// numbers_equal(a, b) => hash_number(a, seed) == hash_number(b, seed).
std::uint64_t hash_number(std::string_view number, std::uint64_t seed);

// A seeded hash of bytes: 8 bytes a step. Without the seed, texts that collide cannot be made on purpose.
std::uint64_t hash_text(std::string_view text, std::uint64_t seed);

// Hash of a scalar given by kind and text as hash(Value) gives it, for callers that hold no Value: a string decoded, a
// number as written, `true`, `false` and `null` as these words.
std::uint64_t hash_scalar(Kind kind, std::string_view text, std::uint64_t seed);

// Mixes a hash into another; the order of the two matters.
std::uint64_t hash_combine(std::uint64_t hash, std::uint64_t next);

}  // namespace plumb::json
