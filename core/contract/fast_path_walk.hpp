// FastWalk: the state of the walk with which the engine accepts a container (fast_path.hpp). The walk can stop where a
// piece of the text ends and continue with the next piece.
//
// All offsets are counted from `base`, the container's first byte. Texts point into the bytes of the walk or, if they
// had escapes, into the arena. If the bytes move, keep() adjusts the former.
//
// The bytes of a container that a piece has cut are held, at most held_max of them, in one block that grows. `padding`
// readable bytes follow them. The engine needs them if the walk gives up, because it then judges the container. Short
// pieces are always copied there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/engine/seen.hpp"
#include "core/contract/fast_path.hpp"
#include "core/json/arena.hpp"
#include "core/json/copy_short.hpp"

namespace plumb::contract {

// A container that is open.
struct FastLevel {
  const Plan* plan = nullptr;
  const Plan* child = nullptr;  // the plan of the next value
  std::size_t at = 0;           // offset of its first byte
  std::uint64_t seen = 0;       // a bit for each slot that was seen
  std::uint64_t count = 0;      // members or items begun
  std::size_t expected = 0;     // the slot that is likely to come next
  std::size_t texts_from = 0;
  std::size_t keys_from = 0;
  std::size_t list_from = 0;  // the list that memberOf reads, as a range of `texts`
  std::size_t list_to = 0;
  bool object = false;
  bool at_list = false;  // the next value is that list
  bool keeps = false;    // this container is that list, so its texts stay when it closes
  bool texts = false;    // the container or its parent needs its texts
};

// A rule above the container that collects texts, and the number of entries it had before the walk.
struct FastCollector {
  std::uint32_t rule = 0;
  std::uint32_t owner = 0;
  SeenSet* set = nullptr;
  const DistinctPart* part = nullptr;
  std::size_t entries = 0;
};

// Where a walk continues.
enum class FastAt : std::uint8_t { first_key, next_key, colon, member, first_item, next_item, token, text, after };

struct FastWalk {
  static constexpr std::size_t held_max = 8192;
  static constexpr std::size_t padding = 32;
  static constexpr std::size_t short_piece = 64;

  const char* base = nullptr;
  std::uint64_t from = 0;  // offset of `base` in the whole text
  std::uint32_t levels_max = 0;
  std::uint32_t readings = 0;     // the readings of the container around it
  std::vector<FastLevel> levels;  // the first `depth` are open
  std::size_t depth = 0;
  FastAt at = FastAt::first_key;
  std::size_t go_on = 0;                // the offset up to which the walk has come
  std::size_t text = 0;                 // FastAt::text: offset of the string's first byte after its quote
  bool escapes = false;                 // the string has escapes
  std::vector<std::string_view> texts;  // of lists that are still to be compared
  std::vector<std::string_view> keys;   // keys without a slot, of the open objects
  std::vector<FastCollector> collectors;
  std::vector<SeenSet> sets;  // of the array that is being compared, if it is long
  std::string decoded;
  json::Arena arena;  // texts that had escapes
  bool copied = false;
  std::vector<std::uint64_t> open;  // containers that a walk cannot accept, the next one last

  std::vector<char> held;
  std::size_t held_size = 0;
  std::size_t held_from = 0;  // offset in `held`; the bytes before it are no longer needed
  bool waits = false;         // waits for more bytes: `held` has what the walk has seen
  bool ended = false;         // no more bytes will come, so it must not wait
  std::size_t through = 0;    // the container is accepted over this many bytes; the scanner learns it when it asks

  bool holds(const char* p) const {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(held.data()) < held.size();
  }
  // Forgets everything but `open`.
  void forget_texts();
  // Prepares for another text.
  void reset();
  // Holds these bytes from now on. If they are in `held` already, they stay where they are until move_held().
  void hold(const char* p, std::size_t size);
  void move_held();
  // Copies a short piece into `held`, which must be empty, and returns the copy.
  std::string_view copy(std::string_view piece) {
    append(piece);
    return {held.data() + held_from, piece.size()};
  }
  // Holds nothing any more. The bytes before `end` are no longer needed.
  void let_go(const char* end) {
    held_from = static_cast<std::size_t>(end - held.data());
    held_size = 0;
  }
  // True if so many bytes can be appended without moving others.
  bool has_room(std::size_t size) const { return held_from + held_size + size + padding <= held.size(); }
  void append(std::string_view bytes) {
    if (!has_room(bytes.size())) {
      make_room(held_size + bytes.size());
    }
    json::copy_short(held.data() + held_from + held_size, bytes.data(), bytes.size());
    held_size += bytes.size();
  }

 private:
  void keep(const char* old_base, std::size_t size);
  void make_room(std::size_t size);
};

}  // namespace plumb::contract
