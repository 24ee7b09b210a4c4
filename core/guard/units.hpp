// Where a text of JSON that is still being written may be let go: behind each field and each list item.
//
//   Units units;
//   units.read(piece);                       // any pieces
//   for (Units::Boundary one; units.next(one);) { ... }
//
// A unit is a member's value, or an item of a list; what is inside of an item is part of it, so that a list of records
// goes record by record. Members of objects in objects are units, and so is a list as a whole, at its closing bracket.
// The root is none: what follows it decides whether it was the whole text.
//
// `let_go` is the number of bytes up to the unit's end; `known` the number after which that end is certain, which for a
// number is one more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/json/scanner.hpp"

namespace plumb::guard {

class Units {
 public:
  struct Boundary {
    std::size_t let_go = 0;
    std::size_t known = 0;
  };

  Units() : scanner_(handler_, depth_max) {}
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  void read(std::string_view piece) { scanner_.push(piece.data(), piece.size()); }
  // The next boundary that has been found.
  bool next(Boundary& out) {
    if (handler_.taken == handler_.found.size()) {
      handler_.found.clear();
      handler_.taken = 0;
      return false;
    }
    out = handler_.found[handler_.taken++];
    return true;
  }
  void reset();

 private:
  static constexpr std::uint32_t depth_max = 1'024;

  // The scanner's.
  struct Handler {
    struct Level {
      bool object = false;
      bool splits = false;  // its members or items are units
    };
    void begin(bool object) {
      const bool root = levels.empty();
      levels.push_back({object, root || (levels.back().splits && levels.back().object)});
    }
    void end(std::uint64_t to) {
      levels.pop_back();
      ended(to, to);
    }
    void ended(std::uint64_t to, std::uint64_t known) {
      if (!levels.empty() && levels.back().splits) {
        found.push_back({static_cast<std::size_t>(to), static_cast<std::size_t>(known)});
      }
    }
    void begin_object(std::uint64_t) { begin(true); }
    void begin_array(std::uint64_t) { begin(false); }
    void end_object(std::uint64_t to) { end(to); }
    void end_array(std::uint64_t to) { end(to); }
    static void key(std::string_view, std::uint64_t, std::uint64_t) {}
    void string(std::string_view, std::uint64_t, std::uint64_t to) { ended(to, to); }
    bool string_decoded(std::string_view, std::uint64_t, std::uint64_t to) {
      ended(to, to);
      return true;
    }
    static json::StringWant string_begin(std::uint64_t) { return json::StringWant::nothing; }
    static void string_piece(std::string_view, std::uint64_t, std::uint64_t, bool) {}
    void string_end(std::string_view, std::uint64_t, std::uint64_t to) { ended(to, to); }
    static void scalar_begin(json::Kind, std::uint64_t) {}
    void number(std::string_view, std::uint64_t, std::uint64_t to, std::uint64_t decided) { ended(to, decided); }
    void literal(json::Kind, bool, std::uint64_t, std::uint64_t to) { ended(to, to); }
    static void lone_surrogate(std::uint64_t, std::uint64_t, std::uint64_t) {}
    static void broken(json::ScanError, std::uint64_t, std::uint64_t) {}

    std::vector<Level> levels;
    std::vector<Boundary> found;
    std::size_t taken = 0;
  };

  Handler handler_;
  json::Scanner<Handler> scanner_;
};

inline void Units::reset() {
  scanner_.reset(depth_max);
  handler_ = Handler();
}

}  // namespace plumb::guard
