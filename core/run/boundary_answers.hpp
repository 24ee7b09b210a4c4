// Reads the answers of models at a boundary, and makes the note of a crossing. Internal to core/run.
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

// Splits texts, in their order, into calls of at most `tokens_max` tokens. A text that alone is larger is in no call.
struct Batches {
  std::vector<std::size_t> sizes;      // number of texts in each call
  std::vector<std::size_t> too_large;  // indices of texts
};
Batches batches_of(std::span<const std::string_view> texts, std::uint64_t tokens_max);

struct Answers {
  std::vector<std::pair<std::string, Rejection>> rejected;  // by id
  std::vector<std::pair<std::string, Rejection>> observed;  // the same, by rules that are only observed
  std::vector<std::string> unverified;                      // ids
  std::uint64_t calls_failed = 0, unmentioned = 0, unknown_ids = 0, unfounded = 0, tokens = 0;
  std::string call_error;  // of the first call that failed
};
// Adds the reply to a validation call on the items `asked` to `out`.
void read_answer(const Reply& reply, const Boundary& boundary, std::span<const BoundaryItem* const> asked,
                 Answers& out);

// Reads the revision of an item: {"values": [...], "tokens", "skipped"?}. There are several values if it was split,
// and none if the reply cannot be used; `skipped` then says why. `valid`: the item's structure holds and must stay so.
struct Revisable {
  const BoundaryItem& item;
  bool may_split = false;
  bool valid = false;
};
Data read_revision(const Reply& reply, const Boundary& boundary, const Revisable& what);

// The note at the end of a crossing, of type BoundaryNote.
Data boundary_note(const Boundary& boundary, const Crossing& crossing, const std::vector<BoundaryItem>& input);

}  // namespace plumb::run
