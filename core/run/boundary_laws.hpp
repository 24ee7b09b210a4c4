// The laws of a boundary, tried on what came out of it. They are checked on every crossing of every run.
//
//   1  each item of the input is there again: itself, or at most 5 parts that were made from it; nothing else is there
//   2  accepted come before warned, warned before failed, each in the order of the input
//   3  at most 2 retries; only what was revised is judged again; one revision call for each rejected item
//   4  a cycle makes no more validation calls than batches, none for nothing; in all at most `calls_max`
//   5  a warned item says so, an accepted one does not; an item that nobody revised is what it was, byte for byte
//   6  the counts are those of the items
#pragma once

#include <string>
#include <vector>

#include "core/run/boundary.hpp"

namespace plumb::run {

// A sentence for each law that is broken; empty: all hold.
std::vector<std::string> broken_laws(const std::vector<BoundaryItem>& input, const Crossing& crossing);

}  // namespace plumb::run
