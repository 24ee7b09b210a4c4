// Stream: takes the pieces of the text, ends the text, and keeps the budget of steps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/contract/degenerate.hpp"
#include "core/contract/verdict.hpp"
#include "core/json/scanner.hpp"

namespace plumb::contract {

struct Engine;

struct Stream {
  std::string_view whole_text;
  std::uint64_t bytes = 0;        // pushed so far
  std::uint64_t chunk_start = 0;  // offset of the piece that is judged; less if a container is held back
  std::size_t passed = 0;         // bytes held back and then passed, whose lines are not counted yet
  bool whole = false;
  bool ending = false;  // all bytes have been judged
  bool stopped = false;
  bool size_stopped = false;
  bool spent = false;  // the budget of steps is used up
  bool clean = false;
  std::vector<Signal> signals;
  DegenerateWatch degenerate;

  void reset();
};

void push_piece(Engine& engine, std::string_view bytes, std::vector<Finding>& certain);
// Counts the lines of bytes that were held back and then passed, and frees their room.
void count_passed(Engine& engine);
// Reads the whole text in one piece. It gives what push and end give, but looks for lines only if something is wrong.
void read_text(Engine& engine, std::string_view text);
void finish_text(Engine& engine, std::vector<Finding>& certain);
Verdict make_verdict(Engine& engine);

// The scanner's events.
void lone_surrogate_found(Engine& engine, std::uint64_t decided);
void scan_broke(Engine& engine, json::ScanError what, std::uint64_t at, std::uint64_t decided);

// Takes steps from the budget. False when they are used up; then nothing more is decided.
bool take_steps(Engine& engine, std::uint64_t steps);
// Notes if the budget is used up. Patterns take steps by themselves, so this is called after they have run.
void note_spent(Engine& engine);

}  // namespace plumb::contract
