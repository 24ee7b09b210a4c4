// Our own tree of JSON values: contracts, context, and the parts of an artifact that a rule has to remember.
//
// Numbers keep their text, objects keep the order of their keys (duplicates included), and everything keeps its place.
// A tree lives in an Arena: values are plain data without destructors, and go when the arena does.
// The hot path of a check builds no tree; see core/contract/engine/engine.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/result.hpp"

namespace plumb::json {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

// "null", "boolean", "number", "string", "array", "object".
std::string_view kind_name(Kind kind);

struct Member;

// One JSON value. 40 bytes; copying it copies no children.
struct Value {
  Kind kind = Kind::null;
  bool boolean = false;
  std::uint32_t size = 0;  // bytes of text, items of an array, or members of an object
  union {
    const char* text = nullptr;  // string: decoded UTF-8; number: as written
    const Value* items;
    const Member* members;
  };
  std::uint64_t from = 0;  // half-open byte range in the text it was read from
  std::uint64_t to = 0;

  bool is(Kind k) const { return kind == k; }
  // The decoded text of a string, or a number as it was written; empty for any other kind.
  std::string_view str() const {
    return is(Kind::string) || is(Kind::number) ? std::string_view(text, size) : std::string_view();
  }
  std::span<const Value> array() const {
    return is(Kind::array) ? std::span<const Value>(items, size) : std::span<const Value>();
  }
  std::span<const Member> object() const;
  // The first member with that key, or nullptr; nullptr for anything that is no object. Linear in the members.
  const Value* find(std::string_view key) const;
};

struct Member {
  std::string_view key;        // decoded
  std::uint64_t key_from = 0;  // the key's own byte range, quotes included
  std::uint64_t key_to = 0;
  Value value;
};

inline std::span<const Member> Value::object() const {
  return is(Kind::object) ? std::span<const Member>(members, size) : std::span<const Member>();
}

// What parse() enforces besides the grammar.
struct ParseLimits {
  std::uint32_t depth_max = 1024;
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
};

// Reads one JSON text (RFC 8259, strict; UTF-8 validated; duplicate keys refused). The tree and all its text are copied
// into `arena`. The error says what was wrong with line and column; `where` is left for the caller.
Result<Value> parse(std::string_view text, Arena& arena, ParseLimits limits = {});

// JSON equality: 1 = 1.0 = 10e-1, objects without order, strings by code point. Exact for any number within the limits
// of Decimal. Bounded by the depth of the values.
bool equal(const Value& a, const Value& b);

// A hash with equal(a, b) => hash(a, seed) == hash(b, seed).
std::uint64_t hash(const Value& value, std::uint64_t seed);

}  // namespace plumb::json
