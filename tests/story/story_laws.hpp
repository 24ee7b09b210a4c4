// The laws that every story of an outline keeps: notes fold to the graph and unfold to each hash before, routing makes
// what its plan counts, nothing fatal is found, every reading can end, and what is exported reads back to the same
// book.
#pragma once

#include <cstdint>
#include <string>

namespace plumb_test {

// The first law that the story of this seed breaks; empty: none.
std::string broken_law(std::uint64_t seed);

}  // namespace plumb_test
