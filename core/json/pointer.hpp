// JSON Pointers (RFC 6901), and the patterns that contracts use to reach other places.
//
// A pointer names one place: "", "/questions/0/options". A pattern names places as seen from somewhere:
//
//   1/options/*              one level up from the value, there `options`, all its items (relative JSON Pointer)
//   0, 0/label               the value itself; its member `label`
//   /questions/*             from the root or from where it is written, as the keyword says (`slash`)
//   context:/history/*/query in the document that is given beside the artifact; `context:` is all of it
//
// In a pattern, the token `*` is every member or item; a member named `*` is written `~2`. In both, `~0` is `~` and
// `~1` is `/`. An array index is `0` or digits without a leading zero; anything else names no item. A pattern has at
// most 256 tokens and 1,024 levels up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::json {

// Appends one step to a pointer: "/" and the token, escaped as RFC 6901 says.
void append_token(std::string& pointer, std::string_view name);
void append_token(std::string& pointer, std::uint64_t index);

// The decoded tokens of a pointer, or why it is none.
Result<std::vector<std::string>> parse_pointer(std::string_view pointer);

// The value there, or nullptr: nothing is there, or `pointer` is no pointer. Of a repeated key, the first.
const Value* resolve(const Value& root, std::string_view pointer);

struct PointerToken {
  std::string text;         // decoded; empty for a star
  std::uint64_t index = 0;  // where is_index
  bool is_index = false;    // the text may name an item of an array
  bool star = false;
};

enum class PointerBase : std::uint8_t {
  instance,  // levels_up above the value that the pattern is used on
  root,      // the artifact's root
  context,   // the root of the context document
};

struct PointerPattern {
  PointerBase base = PointerBase::instance;
  std::uint32_t levels_up = 0;
  std::vector<PointerToken> tokens;

  bool has_star() const;
  // As it would be written: "1/options/*", "context:/a~1b/~2". A pattern based on the instance itself, with tokens, is
  // written with "0" in front.
  std::string text() const;
};

// What a pattern that begins with a slash, or is empty, is relative to.
enum class Slash : std::uint8_t {
  here,  // the value where the keyword applies: `each`, `by`, `from`, `children`
  root,  // the artifact's root: `memberOf`
};

Result<PointerPattern> parse_pattern(std::string_view text, Slash slash);

// The value that a token names in `value`, or nullptr. Not for a star.
const Value* step(const Value& value, const PointerToken& token);

// Calls `found` for each value that the tokens of `pattern` reach from `start` (which the caller has found: the base
// and the levels up are not looked at), in the order of the text, with its pointer as seen from `start`. Ends early
// when `found` returns false. Returns how often it was called. No value is reached twice.
using MatchFound = std::function<bool(const Value& value, std::string_view pointer)>;
std::size_t for_each_match(const Value& start, const PointerPattern& pattern, const MatchFound& found);

}  // namespace plumb::json
