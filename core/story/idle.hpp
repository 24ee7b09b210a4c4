// What of a book can happen to a reader, and what cannot: the states that play walks, and the book without what they
// show to be idle. Exports hold that book; the graph keeps everything.
//
// Idle are passages that nobody reaches, routes that nobody takes, conditions that every reader fulfils where they are
// asked, and overlays that never apply. Where the walk is not complete (unread places, over 64 codewords or 200,000
// states) nothing is idle.
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
