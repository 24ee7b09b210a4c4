// Strings that come in pieces are judged piece by piece. Characters are counted. The members of an enum that still
// agree are a range of a sorted list. A pattern is a set of states. The text is kept only if a rule needs all of it.
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

// A piece of a string: its decoded text, and its bytes [from, to) in the artifact. It is verbatim, or one escape.
struct StringPiece {
  std::string_view text;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool verbatim = false;
  std::size_t points = 0;

  // The offset in the artifact after this many bytes of `text`.
  std::uint64_t after(std::size_t bytes) const { return verbatim ? from + bytes : to; }
  // The offset in the artifact after the code point with this number.
  std::uint64_t after_point(std::uint64_t number) const;
};

struct StringRuns {
  struct Due {  // a keyword that a piece has made certain
    std::uint64_t decided = 0;
    Kw kw = Kw::none;
    std::uint32_t evaluation = none32;
    const ScalarPart* part = nullptr;
  };
  std::vector<EnumRun> enum_runs;
  std::vector<PatternRun> pattern_runs;
  std::vector<std::unique_ptr<text::Matcher>> matchers;
  std::vector<Due> due;
  std::string kept;  // the kept part of a string that came in pieces
  std::string folded;
  bool item_begun = false;  // item_begin() was called for the string that begins
  bool skipping = false;    // in a string that no rule looks at

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
// Judges the next part of a string. `text` is decoded and comes from [from, to) of the artifact, verbatim or as one
// escape.
void feed(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim);
void check_string_end(Engine& engine, std::uint32_t index);

// True for a byte that is certainly a character other than white space.
inline bool plain_byte(char c) { return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F; }

}  // namespace plumb::contract
