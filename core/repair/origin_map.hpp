// From the edited text back to the original: byte offsets, UTF-16 offsets, lines and columns.
//
//   OriginMap map;
//   map.copy(original, 0, 7);            // seven bytes stay as they were
//   map.insert(",", original, 7, 7);     // a comma that the original has not
//   map.to_original(finding.span, finding.partial);
//
// What is given must be in the order of both texts; bytes of the original that are neither copied nor replaced were
// removed. One segment for each stretch that was copied or inserted: memory grows with the edits, not with the text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/contract/finding.hpp"
#include "core/json/positions.hpp"

namespace plumb::repair {

class OriginMap {
 public:
  // The original's bytes that are at hand: `bytes` begin at offset `base`.
  struct Window {
    std::string_view bytes;
    std::uint64_t base = 0;
  };

  // The place of an offset in the original that is not before any asked for earlier.
  json::Place place(const Window& original, std::uint64_t offset);
  // The same of one further on, without going there.
  json::Place ahead(const Window& original, std::uint64_t offset) const;
  void copy(const Window& original, std::uint64_t from, std::uint64_t to);
  // `text` in the place of the original's bytes from `from` (whose place is given, as it may be gone) to here.
  void insert(std::string_view text, const json::Place& from, const json::Place& to);
  // Bytes that are in the original at `from`, when they are no longer at hand.
  void copy_kept(std::string_view text, const json::Place& from);

  // Where the map is, and back to it: what was copied and inserted since is forgotten.
  struct Mark {
    std::size_t segments = 0;
    json::Positions edited;
    json::Positions original;
  };
  Mark mark() const { return {segments_.size(), edited_, original_}; }
  void back_to(const Mark& mark) {
    segments_.resize(mark.segments);
    edited_ = mark.edited;
    original_ = mark.original;
  }

  // `open`: the value has not ended, the span has no end yet.
  contract::Span to_original(const contract::Span& edited, bool open) const;
  // The number of bytes of the original that lead to this number of bytes of the edited text.
  std::uint64_t offset_to_original(std::uint64_t edited) const;

 private:
  struct Segment {
    json::Place edited;
    json::Place from;  // in the original
    json::Place to;    // only of what was inserted
    bool inserted = false;
  };
  struct Point {
    std::uint64_t byte = 0;
    std::uint64_t utf16 = 0;
    std::uint32_t line = 1;
    std::uint32_t column = 1;
  };
  const Segment* segment(std::uint64_t edited, bool end) const;
  Point map(const Point& edited, bool end) const;

  std::vector<Segment> segments_;
  json::Positions edited_;
  json::Positions original_;
};

}  // namespace plumb::repair
