// A reader who goes through a book by hand: where they are, which ways are open, and where one leads.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/story/book.hpp"

namespace plumb::story {

struct ReaderPlace {
  std::string passage;
  Texts held;  // sorted
};
ReaderPlace begin_reading(const Book& book);
// The ways that are open, as (way, route).
std::vector<std::pair<std::size_t, std::size_t>> open_ways(const Book& book, const ReaderPlace& at);
ReaderPlace take_way(const Book& book, const ReaderPlace& at, std::size_t way, std::size_t route);

}  // namespace plumb::story
