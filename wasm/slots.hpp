// Things that the loader knows by a number, from 1; 0 is "none". Numbers that were freed are used again, and a number
// that is not in use is a bug of the loader and traps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/require.hpp"

namespace plumb::wasm {

// At most this many of a kind live at once: beyond it the caller has forgotten to free them.
inline constexpr std::size_t slots_max = 65536;

template <class Owner>
class Slots {
 public:
  const Owner& operator[](std::uint32_t number) const {
    PLUMB_REQUIRE(number >= 1 && number <= all_.size() && all_[number - 1] != nullptr, "the number is in use");
    return all_[number - 1];
  }

  // The number of the slot that now holds `owner`; 0 when there are too many.
  std::uint32_t keep(Owner owner) {
    if (free_.empty()) {
      if (all_.size() == slots_max) {
        return 0;
      }
      all_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(all_.size()));
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    all_[number - 1] = std::move(owner);
    return number;
  }

  void free(std::uint32_t number) {
    PLUMB_REQUIRE((*this)[number] != nullptr, "the number is in use");
    all_[number - 1] = nullptr;
    free_.push_back(number);
  }

 private:
  std::vector<Owner> all_;
  std::vector<std::uint32_t> free_;
};

}  // namespace plumb::wasm
