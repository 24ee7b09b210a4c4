// Play: every reading of a story, walked. A state is a passage and what is held of the codewords that anything asks
// for; all states that a reader can come to are visited, and from the endings back it is found which of them can still
// end.
//
//   PlayOutcome play = play_book(book);
//   play.complete        false: a bound was reached, and nothing is said of the rest: `undecided`, never valid
//   play.findings        traps with the shortest way into each, endings nobody reaches, choices nobody is offered
//
// Rules: play_trap E, play_ending_unreached E, play_gate_never_open E, play_both_answers E, play_variant_never_taken W.
// Fallbacks are exempt from being taken. Where a condition could not be read, what depends on it is undecided; and so
// is that nobody does something, where readers come to a way out that could not be read.
//
// Bounds: 1,000,000 states, 64 codewords that are asked for. 24 bytes a state and 8 for each step between two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/story/book.hpp"

namespace plumb::story {

struct PlayBounds {
  std::uint64_t states_max = 1'000'000;
  std::uint64_t codewords_max = 64;
};

struct PlayStep {
  std::string passage, label;  // the label that was chosen to come here; empty at the start
};

struct Trap {
  std::vector<PlayStep>
      way;     // the shortest, from the start; its last passage is where no ending can be reached any more
  Texts held;  // of the codewords that are asked for
};

struct PlayOutcome {
  bool complete = false;
  std::string why_not;  // where it is not complete
  std::uint64_t states = 0, steps = 0, endings = 0;
  std::uint64_t endings_reached = 0, passages_reached = 0;  // by ways that were read
  std::vector<Trap> traps;                                  // at most 20, one a passage
  std::vector<contract::Finding> findings;
  std::vector<contract::Undecided> undecided;
};

PlayOutcome play_book(const Book& book, const PlayBounds& bounds = {});
// The same walk over another machine; endings and passages are the book's.
class PlayMachine;
PlayOutcome play_machine(const Book& book, PlayMachine& machine, const PlayBounds& bounds = {});

}  // namespace plumb::story
