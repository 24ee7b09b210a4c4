// A string that comes in pieces is judged as it comes: characters are counted, the members of an enum that still agree
// are a range of a sorted list, a pattern is a set of states. Its text is kept only where a rule needs all of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/engine/evaluations.hpp"
#include "core/contract/keywords/members.hpp"
#include "core/contract/keywords/pattern.hpp"
#include "core/json/scanner.hpp"
#include "core/text/pattern.hpp"

namespace plumb::contract {

// A piece of a string: decoded, and its place in the artifact: as it is or as one escape.
struct StringPiece {
  std::string_view text;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool verbatim = false;
  std::size_t points = 0;

  // The artifact's byte after as many bytes of it.
  std::uint64_t after(std::size_t bytes) const { return verbatim ? from + bytes : to; }
  // The artifact's byte after that code point of it.
  std::uint64_t after_point(std::uint64_t number) const;
};

struct StringRuns {
  struct Due {  // what a piece of a string has made certain
    std::uint64_t decided = 0;
    Kw kw = Kw::none;
    std::uint32_t evaluation = none32;
    const ScalarPart* part = nullptr;
  };
  std::vector<EnumRun> enum_runs;
  std::vector<PatternRun> pattern_runs;
  std::vector<std::unique_ptr<text::Matcher>> matchers;
  std::vector<Due> due;
  std::string kept;  // what came in pieces, as far as it is kept
  std::string folded;
  bool item_begun = false;  // item_begin() has been called for the string that begins
  bool skipping = false;    // a string that nobody asks about

  void reset() {
    kept.clear();
    enum_runs.clear();
    pattern_runs.clear();
    item_begun = false;
    skipping = false;
  }
};

// The scanner's events.
void read_string(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to);
bool read_decoded(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to);
json::StringWant begin_string(Engine& engine, std::uint64_t from);
void read_piece(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim);
void end_string(Engine& engine, std::uint64_t to);

text::Matcher& matcher_of(Engine& engine, std::uint32_t pattern);
// What the string read so far makes certain. `text` is decoded and comes from [from, to) of the artifact: as it is, or
// as one escape.
void feed(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim);
void check_string_end(Engine& engine, std::uint32_t index);

// A byte that begins a character which is certainly no white space.
inline bool plain_byte(char c) { return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F; }

}  // namespace plumb::contract
