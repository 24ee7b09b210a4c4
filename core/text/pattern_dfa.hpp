// Deterministic automata, made from the others as far as a text needs them, or whole. Only core/text/pattern*.cpp use
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/text/pattern_program.hpp"

namespace plumb::text::pattern {

// One component, made deterministic state by state. Rows keep their places until a call of next() that makes a state.
class Automaton {
 public:
  // Keeps about `bytes_max` bytes of states, and 16 states at least; beyond, all are forgotten and made again as
  // needed.
  Automaton(const CharClasses& classes, const Component& component, std::size_t bytes_max);

  std::uint32_t start();
  // The row after `row` and a character of class `c`; fills the table. Rows got before may be gone.
  std::uint32_t next(std::uint32_t row, std::uint32_t c);
  const std::uint32_t* table() const { return table_.data(); }
  bool accepts(std::uint32_t row) const { return states_[(row - row_first) / classes_->size()].accepts; }

  std::size_t states() const { return states_.size(); }
  // Instructions looked at so far.
  std::size_t work() const { return work_; }

 private:
  // Instructions that wait for a character, an assertion's answer or nothing more, in order of their numbers.
  struct State {
    std::uint32_t first = 0;  // in leaves_
    std::uint32_t size = 0;
    std::uint8_t before = before_other;
    bool accepts = false;
  };
  // A set of instructions that is emptied in no time.
  struct Set {
    std::vector<std::uint16_t> items;
    std::vector<std::uint32_t> marks;
    std::uint32_t mark = 0;

    void clear();
    bool insert(std::uint16_t inst);
  };

  void close(std::uint16_t inst, std::uint32_t before, Set& seen, std::vector<std::uint16_t>& leaves);
  bool resolve(const std::uint16_t* leaves, std::size_t size, std::uint32_t before, std::uint32_t after);
  std::uint32_t intern(std::uint32_t before);
  std::size_t hash(const std::uint16_t* leaves, std::size_t size, std::uint32_t before) const;
  void add_slot(std::size_t state);
  void forget();

  const CharClasses* classes_;
  const Component* component_;
  std::size_t bytes_max_;
  std::vector<std::uint32_t> table_;
  std::vector<State> states_;
  std::vector<std::uint16_t> leaves_;
  std::vector<std::uint32_t> slots_;  // open addressing: the number of a state + 1, or 0
  Set seen_;
  Set resolving_;
  std::vector<std::uint16_t> resolved_;
  std::vector<std::uint16_t> next_;
  std::vector<std::uint16_t> stack_;
  std::size_t work_ = 0;
};

// The whole automaton of the program, all components at once, with every state from which the answer is certain turned
// into row_matched or row_dead; no rows when it would have more than 128 states.
// `work` grows by the instructions that were looked at.
Table build_table(const Program& program, std::size_t& work);

}  // namespace plumb::text::pattern
