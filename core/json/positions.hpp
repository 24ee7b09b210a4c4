// Lines, columns and UTF-16 offsets of byte offsets in a text that comes in chunks.
//
//   Positions positions;
//   PlaceRequest wanted[] = {{.byte = 7}, {.byte = 90}};           // sorted, inside this chunk or at its ends
//   positions.locate(chunk.data(), chunk.size(), chunk_start, wanted);
//   wanted[1].place.line; wanted[1].place.column;
//
// One pass over each chunk, whatever is asked for; nothing of earlier chunks is kept. How the text is cut changes
// nothing, also in the middle of CR LF or of a character.
//
// A line ends at LF, CR LF or a CR by itself. Lines and columns count from 1; columns and `utf16` count UTF-16 code
// units, as editors and JavaScript do: 2 for a character beyond U+FFFF. All units of a character are counted at its
// first byte, so a place inside a character is that of its end. Directly after a CR is the next line, column 1,
// also when LF follows; after the LF it is that same place. Bytes that are no UTF-8 count by their first four bits
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace plumb::json {

struct Place {
  std::uint64_t byte = 0;
  std::uint64_t utf16 = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct PlaceRequest {
  std::uint64_t byte = 0;  // offset in the whole text
  Place place = {};        // the answer
};

class Positions {
 public:
  // Goes over the next chunk, which begins at `chunk_start` (where the last one ended), and answers the requests: in
  // ascending order of `byte`, each from chunk_start to chunk_start + size.
  void locate(const char* chunk, std::size_t size, std::uint64_t chunk_start, std::span<PlaceRequest> sorted_by_offset);
  // The same without requests.
  void advance(std::string_view chunk) { pass(chunk.data(), chunk.size()); }

  // The end of what has been read.
  const Place& here() const { return here_; }
  void reset() { *this = Positions(); }

 private:
  void pass(const char* p, std::size_t size);

  Place here_;
  bool after_return_ = false;  // the last byte was CR
};

// The place of one byte offset in a text that is at hand; an offset beyond the end gives the end.
Place place_at(std::string_view text, std::uint64_t byte);

}  // namespace plumb::json
