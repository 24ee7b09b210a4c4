// OriginMap: maps places in the edited text to the original: byte offsets, UTF-16 offsets, lines and columns.
//
//   OriginMap map;
//   map.copy(original, 0, 7);            // seven bytes stay as they were
//   map.insert(",", original, 7, 7);     // a comma that the original has not
//   map.to_original(finding.span, finding.partial);
//
// Calls must be in the order of both texts. Bytes of the original that are neither copied nor replaced count as
// removed. Each copied or inserted stretch takes one segment, so memory grows with the number of edits, not with the
// text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/contract/finding.hpp"
#include "core/json/positions.hpp"

namespace plumb::repair {

class OriginMap {
 public:
  // The available bytes of the original. `bytes` begin at offset `base`.
  struct Window {
    std::string_view bytes;
    std::uint64_t base = 0;
  };

  // The place of an offset in the original. Offsets must not decrease from call to call.
  json::Place place(const Window& original, std::uint64_t offset);
  // The place of a later offset. It does not count as such a call.
  json::Place ahead(const Window& original, std::uint64_t offset) const;
  void copy(const Window& original, std::uint64_t from, std::uint64_t to);
  // Puts `text` where the original has the bytes between `from` and `to`. `from` is a place, because its bytes may be
  // gone.
  void insert(std::string_view text, const json::Place& from, const json::Place& to);
  // Copies bytes that begin at `from` in the original, after their window is gone.
  void copy_kept(std::string_view text, const json::Place& from);

  // Marks a state of the map. back_to() forgets everything that was copied and inserted since.
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

  // Maps a span. `open`: the value has not ended, so the span has no end yet.
  contract::Span to_original(const contract::Span& edited, bool open) const;
  // The number of bytes of the original that give this number of bytes of the edited text.
  std::uint64_t offset_to_original(std::uint64_t edited) const;

 private:
  struct Segment {
    json::Place edited;
    json::Place from;  // in the original
    json::Place to;    // only for inserted text
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
