// pattern: a text that a regular expression finds something in. The expression is a set of states that goes on with
// each piece, and is decided, either way, with the character after which nothing can change it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;
struct StringPiece;

struct PatternRun {
  std::uint32_t pattern = none32;
  bool decided = false;
  bool holds = false;
  bool told = false;
  std::uint64_t at = 0;  // the artifact's byte after which it was decided
};

// Whether a whole text keeps it, where there is one.
bool pattern_accepts(Engine& engine, const StringPart& s, std::string_view text);
// A string begins that the pattern is asked of; once, however many schema objects ask.
void begin_pattern(Engine& engine, std::uint32_t pattern, std::uint64_t decided);
// Goes on with a piece of it; what becomes certain is due.
void feed_pattern(Engine& engine, PatternRun& run, const StringPiece& piece);
// Decides what only the end of the string decides.
void judge_pattern(Engine& engine, std::uint32_t pattern);
// Reports the patterns found impossible by the byte `most`, as decided at `least` or later.
void report_patterns(Engine& engine, std::uint64_t least, std::uint64_t most);

}  // namespace plumb::contract
