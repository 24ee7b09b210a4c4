#include "core/repair/origin_map.hpp"

#include "core/require.hpp"

namespace plumb::repair {

json::Place OriginMap::place(const Window& original, std::uint64_t offset) {
  const std::uint64_t here = original_.here().byte;
  PLUMB_REQUIRE(offset >= here && here >= original.base && offset - original.base <= original.bytes.size(),
                "places are asked for in the order of the text");
  original_.advance(
      original.bytes.substr(static_cast<std::size_t>(here - original.base), static_cast<std::size_t>(offset - here)));
  return original_.here();
}

json::Place OriginMap::ahead(const Window& original, std::uint64_t offset) const {
  const std::uint64_t here = original_.here().byte;
  PLUMB_REQUIRE(offset >= here && here >= original.base && offset - original.base <= original.bytes.size(),
                "what is looked for lies ahead and at hand");
  json::Positions positions = original_;
  positions.advance(
      original.bytes.substr(static_cast<std::size_t>(here - original.base), static_cast<std::size_t>(offset - here)));
  return positions.here();
}

void OriginMap::copy(const Window& original, std::uint64_t from, std::uint64_t to) {
  if (from == to) {
    return;
  }
  const json::Place start = place(original, from);
  const json::Place& here = edited_.here();
  const bool goes_on = !segments_.empty() && !segments_.back().inserted &&
                       from - segments_.back().from.byte == here.byte - segments_.back().edited.byte;
  if (!goes_on) {
    segments_.push_back({here, start, {}, false});
  }
  edited_.advance(
      original.bytes.substr(static_cast<std::size_t>(from - original.base), static_cast<std::size_t>(to - from)));
  place(original, to);
}

void OriginMap::insert(std::string_view text, const json::Place& from, const json::Place& to) {
  if (text.empty()) {
    return;
  }
  segments_.push_back({edited_.here(), from, to, true});
  edited_.advance(text);
}

void OriginMap::copy_kept(std::string_view text, const json::Place& from) {
  segments_.push_back({edited_.here(), from, {}, false});
  edited_.advance(text);
}

// Where two segments meet, the beginning of a value belongs to the second, and the end of a value to the first.
const OriginMap::Segment* OriginMap::segment(std::uint64_t edited, bool end) const {
  std::size_t low = 0;
  std::size_t high = segments_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const std::uint64_t at = segments_[middle].edited.byte;
    if (end ? at < edited : at <= edited) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? nullptr : &segments_[low - 1];
}

OriginMap::Point OriginMap::map(const Point& edited, bool end) const {
  const Segment* s = segment(edited.byte, end);
  if (s == nullptr) {
    if (segments_.empty()) {
      const json::Place& here = original_.here();  // nothing of the text is left
      return {here.byte, here.utf16, here.line, here.column};
    }
    const json::Place& first = segments_.front().from;
    return {first.byte, first.utf16, first.line, first.column};
  }
  if (s->inserted) {
    const json::Place& place = end ? s->to : s->from;
    return {place.byte, place.utf16, place.line, place.column};
  }
  Point out;
  out.byte = s->from.byte + (edited.byte - s->edited.byte);
  out.utf16 = s->from.utf16 + (edited.utf16 - s->edited.utf16);
  out.line = s->from.line + (edited.line - s->edited.line);
  out.column = edited.line == s->edited.line ? s->from.column + (edited.column - s->edited.column) : edited.column;
  return out;
}

contract::Span OriginMap::to_original(const contract::Span& edited, bool open) const {
  const Point from = map({edited.from, edited.utf16_from, edited.line, edited.column}, false);
  contract::Span out = edited;
  out.from = from.byte;
  out.utf16_from = from.utf16;
  out.line = from.line;
  out.column = from.column;
  if (!open) {
    const Point to =
        edited.to == edited.from ? from : map({edited.to, edited.utf16_to, edited.line_to, edited.column_to}, true);
    out.to = to.byte;
    out.utf16_to = to.utf16;
    out.line_to = to.line;
    out.column_to = to.column;
  }
  return out;
}

std::uint64_t OriginMap::offset_to_original(std::uint64_t edited) const {
  return edited == 0 ? 0 : map({edited, 0, 1, 1}, true).byte;
}

}  // namespace plumb::repair
