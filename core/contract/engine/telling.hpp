// The end of a piece: finds the lines and columns that it needs, and gives out its findings in the order in which they
// became certain.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/contract/engine/findings.hpp"
#include "core/json/positions.hpp"

namespace plumb::contract {

// Positions in the text that are needed, and those that are known.
struct Spots {
  enum class Of : std::uint8_t { start, end, frame, token };
  struct Asked {
    std::uint64_t byte = 0;
    Of what = Of::start;
    std::uint32_t index = 0;
  };
  std::vector<Asked> asked;
  std::vector<json::PlaceRequest> requests;
  json::Positions positions;
  json::PlaceRequest cut_place;     // place of the token that the piece before this one cut
  std::uint32_t placed_frames = 0;  // number of outermost open containers whose places are known
  std::uint64_t frame_to = 0;       // the end of the container that is being completed
  std::uint64_t last_from = 0;      // the value that ended last
  std::uint64_t last_to = 0;
  json::Place last_place;  // the place of last_from, if that was in an earlier piece
  bool last_placed = false;

  void reset() {
    positions.reset();
    placed_frames = 0;
  }
};

// Drops findings beyond those a verdict may have, and counts them.
void cap_certain(Engine& engine);
// Finds lines, columns and UTF-16 offsets of what this piece has brought.
void find_places(Engine& engine, std::string_view chunk, std::uint64_t chunk_start, bool last);
// The finding, with the causes why the closest alternative does not hold. Causes nest to a depth that people can read.
Finding with_causes(const Engine& engine, std::uint32_t index, unsigned level);
void tell(Engine& engine, std::vector<Finding>& certain);

}  // namespace plumb::contract
