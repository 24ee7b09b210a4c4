#include "core/contract/engine/accept.hpp"

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/bounds.hpp"
#include "core/contract/keywords/distinct.hpp"
#include "core/contract/keywords/format.hpp"
#include "core/contract/keywords/lengths.hpp"
#include "core/contract/keywords/member_of.hpp"

namespace plumb::contract {

using json::Kind;

bool accepts_string(Engine& engine, const Node& node, std::string_view text) {
  if ((node.types & type_string) == 0) {
    return false;
  }
  if (node.scalar && !members_accept(*node.scalar, text)) {
    return false;
  }
  if (!node.string) {
    return true;
  }
  const StringPart& s = *node.string;
  return lengths_accept(s, text) && pattern_accepts(engine, s, text) && format_accepts(s, text);
}

bool accepts_number(const Node& node, std::string_view text) {
  if ((node.types & (type_number | type_integer)) == 0 || node.scalar) {
    return false;
  }
  // A small whole number. All others are judged with a Decimal.
  bool negative = text.front() == '-';
  std::string_view digits = negative ? text.substr(1) : text;
  if (digits.size() > 15) {
    return false;
  }
  std::int64_t value = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') {
      return (node.types & type_number) != 0 && !node.number && text.find_first_of("eE") == std::string_view::npos;
    }
    value = value * 10 + (c - '0');
  }
  value = negative ? -value : value;
  return !node.number || bounds_accept(*node.number, value);
}

bool accepts_wanted(Engine& engine, std::string_view text) {
  if (engine.wanted.empty()) {
    return true;
  }
  if (engine.wanted.size() != 1 || engine.wanted.front().group != none32) {
    return false;
  }
  const Node& node = *engine.wanted.front().node;
  return node.fast_scalar && accepts_string(engine, node, text) &&
         (!node.fast_member || member_accepts(engine, node, text));
}

bool accepts_item(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to, bool verbatim) {
  if (engine.frames.empty()) {
    return false;
  }
  Frame& frame = engine.frames.back();
  if (!frame.simple_items || frame.count >= frame.items_room ||
      (frame.item_node != nullptr && (!frame.item_node->fast_scalar || frame.item_node->fast_member ||
                                      !accepts_string(engine, *frame.item_node, text)))) {
    return false;
  }
  ++frame.count;
  engine.wanted.clear();
  engine.memory.next_readings.clear();
  if (!frame.listens) {
    return true;
  }
  engine.now = to;
  if (frame.records) {
    engine.memory.values.emplace_back();
    if (frame.items_kept) {
      json::Value& value = engine.memory.values.back().value;
      std::string_view kept = verbatim && engine.stream.whole ? text : engine.memory.arena.copy(text);
      value.kind = Kind::string;
      value.text = kept.data();
      value.size = static_cast<std::uint32_t>(kept.size());
      value.from = from;
      value.to = to;
    }
  }
  if (frame.item_hooks) {
    engine.spots.last_from = from;
    engine.spots.last_to = to;
    engine.spots.last_placed = false;
    item_seen(engine, Kind::string, text, false, nullptr);
  }
  if (engine.frames.back().deferred != none32) {
    run_deferred(engine, depth(engine) - 1, false);
  }
  return true;
}

}  // namespace plumb::contract
