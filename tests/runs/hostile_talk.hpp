// A developer that converses, and a planner that is asked for a task anew or for its parts: what they answer, as models
// do it, and worse. Each answer is a throw of the dice on what was asked; nothing else is kept, so a process that was
// killed may be asked again.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/run/effect.hpp"

namespace plumb::test {

struct Dice {
  std::uint64_t state;
  std::uint64_t next() {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return state;
  }
  std::size_t below(std::uint64_t n) { return static_cast<std::size_t>(next() % n); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <std::size_t N>
  std::string_view of(const std::array<std::string_view, N>& all) {
    return all[below(N)];
  }
};

struct Talker {
  std::uint64_t good = 1;    // one turn in so many is as it should be
  std::uint64_t window = 0;  // of its model; 0: not known
  bool fills = false;        // its window fills
  bool endless = false;      // it looks at one thing after the other
};

std::string between(std::string_view text, std::string_view from, std::string_view to);
// The items of a list under a heading of a task's text.
std::vector<std::string> items_under(std::string_view task, std::string_view heading);
// A path that the task may write: one that is in its text, else one of the sources.
std::string path_of(Dice& dice, std::string_view task);
// What a file of the world's repository had at the beginning, but for what is broken in it.
std::string first_text(const std::string& path);

// The next turn.
run::Reply turn_of(Dice& dice, const Talker& who, const json::Value& request);
// A task said anew, and the parts of one.
std::string revise_answer(Dice& dice, const std::string& asked);
std::string decompose_answer(Dice& dice, const std::string& asked);

}  // namespace plumb::test
