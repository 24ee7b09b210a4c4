// The syntax of patterns: from ECMA-262 source to a tree. For core/text/pattern*.cpp, and for
// core/sample, which makes texts from the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/text/pattern.hpp"
#include "core/text/unicode.hpp"

namespace plumb::text::pattern {

using Ranges = std::vector<CodePointRange>;

// Sorts by the first code point.
void sort_ranges(Ranges& ranges);
// Sorts and joins.
void normalize(Ranges& ranges);
// What is not in `ranges` (normal form).
Ranges complement(const Ranges& ranges);

enum class Kind : std::uint8_t { empty, set, assertion, concat, alternate, repeat, look };
enum class Assertion : std::uint8_t { begin, end, word, not_word };

constexpr std::uint32_t no_node = 0xFFFFFFFFU;
constexpr std::uint32_t unbounded = 0xFFFFFFFFU;

struct Node {
  Kind kind = Kind::empty;
  Assertion assertion = Assertion::begin;
  bool negative = false;          // look
  bool behind = false;            // look
  bool consumes = false;          // there is a set below, outside of looks
  std::uint32_t set = 0;          // set: number in Tree::sets
  std::uint32_t min = 0;          // repeat
  std::uint32_t max = 0;          // repeat; `unbounded`
  std::uint32_t child = no_node;  // the first one
  std::uint32_t next = no_node;   // the sibling
  std::uint32_t offset = 0;       // byte of the source, for messages
  std::uint64_t states = 0;       // sets below, repeats multiplied out; saturates
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<Ranges> sets;  // distinct, in normal form
  std::uint32_t root = no_node;
  std::vector<PatternWarning> warnings;
  std::optional<Error> without_flag;  // the first thing that is allowed only without the flag `u`
  std::optional<Error> refusal;       // a regular expression, but none that can be run
};

// The error is that `source` is no regular expression (invalid_argument), or too long or too deep to be read (limit).
Result<Tree> parse(std::string_view source);

// " (character N)" and the column for byte `offset` of `source`.
Error error_at(ErrorCode code, std::string message, std::string_view source, std::size_t offset);

}  // namespace plumb::text::pattern
