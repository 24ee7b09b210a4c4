// The state of a walk by which the engine accepts a container (fast_path.hpp), so that it can stop where a piece of the
// text ends and go on with the next one.
//
// All places are counted from the container's first byte, `base`. Texts point into the bytes that are walked over, or,
// where they had escapes, into the arena; keep() moves the former along when the bytes move.
//
// The bytes of a container that a piece has cut are held: up to held_max, in one block that grows, with `padding` bytes
// behind them that may be read. They are needed once more when the walk gives up, for then the engine judges them.
// Short pieces are copied there in any case.
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
  const Plan* child = nullptr;  // of the value that comes next
  std::size_t at = 0;           // its first byte
  std::uint64_t seen = 0;       // slots
  std::uint64_t count = 0;      // members or items begun
  std::size_t expected = 0;     // the slot that comes next, likely
  std::size_t texts_from = 0;
  std::size_t keys_from = 0;
  std::size_t list_from = 0;  // of the texts: the list that memberOf reads
  std::size_t list_to = 0;
  bool object = false;
  bool at_list = false;  // the next value is that list
  bool keeps = false;    // this is that list: its texts stay when it closes
  bool texts = false;    // its texts are needed, by itself or its parent
};

// A rule above that collects texts, and how many it had before the walk.
struct FastCollector {
  std::uint32_t rule = 0;
  std::uint32_t owner = 0;
  SeenSet* set = nullptr;
  const DistinctPart* part = nullptr;
  std::size_t entries = 0;
};

// Where a walk goes on.
enum class FastAt : std::uint8_t { first_key, next_key, colon, member, first_item, next_item, token, text, after };

struct FastWalk {
  static constexpr std::size_t held_max = 8192;
  static constexpr std::size_t padding = 32;
  static constexpr std::size_t short_piece = 64;

  const char* base = nullptr;
  std::uint64_t from = 0;  // of `base` in the whole text
  std::uint32_t levels_max = 0;
  std::uint32_t readings = 0;     // the readings of the container it is in
  std::vector<FastLevel> levels;  // the first `depth` are open
  std::size_t depth = 0;
  FastAt at = FastAt::first_key;
  std::size_t go_on = 0;                // what has been walked over
  std::size_t text = 0;                 // FastAt::text: where the string begins, behind its quote
  bool escapes = false;                 // in it
  std::vector<std::string_view> texts;  // of lists that are still to be compared
  std::vector<std::string_view> keys;   // that no slot names, of the objects that are open
  std::vector<FastCollector> collectors;
  std::vector<SeenSet> sets;  // of the array that is being compared, where it is long
  std::string decoded;
  json::Arena arena;  // texts that had escapes
  bool copied = false;
  std::vector<std::uint64_t> open;  // containers that no walk gets through, the next one last

  std::vector<char> held;
  std::size_t held_size = 0;
  std::size_t held_from = 0;  // where in `held`; what comes before is done with
  bool waits = false;         // for more: `held` is what it has seen
  bool ended = false;         // nothing more will come, so it must not wait
  std::size_t through = 0;    // it has got through, over as many bytes: to be told when the container is asked for

  bool holds(const char* p) const {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(held.data()) < held.size();
  }
  // Nothing is left of the walk but what `open` knows.
  void forget_texts();
  // Ready for another text.
  void reset();
  // Bytes to hold from now on; they may be in `held` already, and then stay where they are until move_held().
  void hold(const char* p, std::size_t size);
  void move_held();
  // Copies a short piece, while nothing is held: where it is now.
  std::string_view copy(std::string_view piece) {
    append(piece);
    return {held.data() + held_from, piece.size()};
  }
  // Nothing is held; what is done with ends here.
  void let_go(const char* end) {
    held_from = static_cast<std::size_t>(end - held.data());
    held_size = 0;
  }
  // Whether so many bytes can be appended without moving any.
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
