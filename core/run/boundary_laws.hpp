// The laws of a boundary. They are checked on every crossing of every run.
//
//   1  each item of the input comes out, itself or as at most 5 parts made from it; nothing else comes out
//   2  accepted items come before warned ones, and warned before failed, each in the order of the input
//   3  at most 2 retries; only revised items are judged again; each rejected item gets one revision call
//   4  a cycle makes at most one validation call per batch, and none without open items; in all at most `calls_max`
//   5  a warned item has a warning, an accepted one has none; an item without a revision keeps its bytes
//   6  the counts match the items
#pragma once

#include <string>
#include <vector>

#include "core/run/boundary.hpp"

namespace plumb::run {

// A sentence for each law that is broken. Empty if all hold.
std::vector<std::string> broken_laws(const std::vector<BoundaryItem>& input, const Crossing& crossing);

}  // namespace plumb::run
