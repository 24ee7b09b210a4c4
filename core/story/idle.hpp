// Finds the states that a reader can reach, and removes everything from a book that no state uses ("idle"). Exports
// contain the reduced book; the graph keeps everything.
//
// These are idle: passages that nobody reaches, routes that nobody takes, conditions that every reader fulfils, and
// overlays that never apply. If the walk is incomplete (it met something that it cannot read, or there are more than 64
// codewords or 200,000 states), nothing counts as idle.
#pragma once

#include <cstdint>
#include <vector>

#include "core/story/book.hpp"
#include "core/story/plain_book.hpp"

namespace plumb::story {

// Every state of a book: a passage, and what is held there of the codewords that a route or an overlay asks for.
struct Reached {
  PlainBook plain;
  std::vector<std::vector<std::uint64_t>> held;  // of each passage, sorted; none: nobody comes there
  bool complete = false;
};
Reached reached_states(const Book& book);

// The first of the way's routes that is open, as play takes it; its size: none is.
std::size_t taken_route(const std::vector<PlainRoute>& way, std::uint64_t held);

Book without_idle(const Book& book);

}  // namespace plumb::story
