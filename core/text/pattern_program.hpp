// A pattern as it is run: character classes, one or several automata, and the whole table where that is small. Only
// core/text/pattern*.cpp use it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/text/pattern_parse.hpp"

namespace plumb::text::pattern {

// Characters that no set of the pattern tells apart are one class.
class CharClasses {
 public:
  // False: the sets tell more characters apart than can be run.
  bool build(const std::vector<Ranges>& sets, bool word_matters);

  std::uint32_t size() const { return size_; }
  std::uint32_t of_ascii(unsigned char c) const { return ascii_[c]; }
  std::uint32_t of(char32_t c) const {  // beyond ASCII
    if (pages_.empty()) {
      return classes_.back();  // everything beyond ASCII is one class
    }
    if (c < 0x10000) {
      const std::uint16_t page = pages_[c >> 6U];
      if (page != mixed) {
        return page;
      }
    }
    return search(c);
  }
  bool holds(std::uint32_t set, std::uint32_t c) const {
    return (members_[set * words_ + c / 64] >> (c % 64) & 1U) != 0;
  }
  // Made of word characters; false for all where no assertion asks.
  bool is_word(std::uint32_t c) const { return word_[c] != 0; }

 private:
  static constexpr std::uint16_t mixed = 0xFFFF;

  std::uint32_t search(char32_t c) const;
  void join_neighbours();
  void index(bool word_matters);

  std::uint32_t size_ = 0;
  std::size_t words_ = 0;  // 64-bit words a row of members_
  std::array<std::uint16_t, 128> ascii_{};
  std::vector<char32_t> starts_;  // intervals from 0 on, and the class of each
  std::vector<std::uint16_t> classes_;
  std::vector<std::uint16_t> pages_;  // the class of 64 characters at once, or `mixed`; may be empty
  std::vector<std::uint64_t> members_;
  std::vector<std::uint8_t> word_;
};

enum class Op : std::uint8_t { set, split, assertion, accept };

struct Inst {
  Op op = Op::accept;
  Assertion assertion = Assertion::begin;
  std::uint16_t set = 0;
  std::uint16_t out = 0;
  std::uint16_t out2 = 0;  // split
};

// What comes before and after a place in the text. Where no assertion asks for words, all characters are `other`.
enum Before : std::uint8_t { before_begin, before_word, before_other };
enum After : std::uint8_t { after_end, after_word, after_other };

bool assertion_holds(Assertion assertion, std::uint32_t before, std::uint32_t after);

// A non-deterministic automaton, with the loop that makes it a search.
struct Component {
  bool negative = false;  // a negative look-ahead: must not match
  bool word_matters = false;
  std::uint16_t entry = 0;
  std::vector<Inst> insts;
  // For each instruction the places (bit before * 3 + after) at which something can still lead to acceptance.
  std::vector<std::uint16_t> alive;

  bool is_alive(std::uint16_t inst, std::uint32_t before) const { return (alive[inst] >> (before * 3) & 7U) != 0; }
};

// Entries of a table of transitions: these, or the place of the next row, row_first + state * classes.
constexpr std::uint32_t row_unknown = 0;
constexpr std::uint32_t row_dead = 1;
constexpr std::uint32_t row_matched = 2;
constexpr std::uint32_t row_first = 4;

// A whole deterministic automaton.
struct Table {
  std::uint32_t start = row_dead;
  std::vector<std::uint32_t> rows;    // empty: too large to be made whole
  std::vector<std::uint8_t> accepts;  // for each state: the text may end here
};

struct Program {
  CharClasses classes;
  std::vector<Component> components;  // all must hold
  Table table;
  std::vector<PatternWarning> warnings;
};

// The error is that the pattern cannot be run.
Result<Program> build_program(const Tree& tree, std::string_view source);

}  // namespace plumb::text::pattern
