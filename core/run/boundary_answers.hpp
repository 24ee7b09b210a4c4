// What models answer at a boundary, read; and what a crossing says of itself. Internal to core/run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/writer.hpp"
#include "core/run/boundary.hpp"

namespace plumb::run {

// How texts fall into calls of at most `tokens_max`, in their order. One that is larger than that alone is in none.
struct Batches {
  std::vector<std::size_t> sizes;      // of the texts that are in a call
  std::vector<std::size_t> too_large;  // indices
};
Batches batches_of(std::span<const std::string_view> texts, std::uint64_t tokens_max);

struct Answers {
  std::vector<std::pair<std::string, Rejection>> rejected;  // by id
  std::vector<std::string> unverified;                      // ids
  std::uint64_t calls_failed = 0, unmentioned = 0, unknown_ids = 0, unfounded = 0, tokens = 0;
  std::string call_error;  // of the first call that failed
};
// Adds what the reply to a validation call says of `asked`.
void read_answer(const Reply& reply, const Boundary& boundary, std::span<const BoundaryItem* const> asked,
                 Answers& out);

// {"values": [...], "tokens", "skipped"?}: the revision of an item, in parts where it may be split; no value where the
// reply cannot be used. `valid`: the item's structure holds, and stays so.
struct Revisable {
  const BoundaryItem& item;
  bool may_split = false;
  bool valid = false;
};
Data read_revision(const Reply& reply, const Boundary& boundary, const Revisable& what);

// The note at the end of a crossing.
Data boundary_note(const Boundary& boundary, const Crossing& crossing, const std::vector<BoundaryItem>& input);

}  // namespace plumb::run
