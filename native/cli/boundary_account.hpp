// How often what a producer made was sent back, from the notes of journals: for one run, and for the last ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/contract/render.hpp"
#include "core/json/writer.hpp"
#include "core/run/boundary_notes.hpp"
#include "core/run/journal.hpp"

namespace plumb::cli {

// A producer whose share of rejected items is above this is marked.
inline constexpr std::uint64_t share_usual = 30;  // percent

// What the ends of crossings say, added up.
struct BoundaryAccount : run::BoundaryNote {
  std::uint64_t runs = 1;

  // In percent, rounded up.
  std::uint64_t share() const { return share_of(validation_rejections); }
  std::uint64_t observed_share() const { return share_of(observed); }
  std::uint64_t share_of(std::uint64_t count) const {
    return produced == 0 ? 0 : (count * 100 + produced - 1) / produced;
  }
};

// One for each boundary, in the order of the journal; a boundary that was crossed again is added to the first.
std::vector<BoundaryAccount> boundaries_of(const run::Journal& journal);
void add_accounts(std::vector<BoundaryAccount>& all, const std::vector<BoundaryAccount>& more);

std::string boundaries_text(const std::vector<BoundaryAccount>& all, std::uint64_t share_max, bool items,
                            const contract::TextStyle& style);
void write_boundaries(json::Writer& json, const std::vector<BoundaryAccount>& all, std::uint64_t share_max);

}  // namespace plumb::cli
