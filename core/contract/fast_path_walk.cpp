#include "core/contract/fast_path_walk.hpp"

#include <algorithm>
#include <cstring>

namespace plumb::contract {

void FastWalk::forget_texts() {
  texts.clear();
  keys.clear();
  collectors.clear();
  if (copied) {
    arena.clear();
    copied = false;
  }
}

void FastWalk::reset() {
  forget_texts();
  depth = 0;
  open.clear();
  held_size = 0;
  held_from = 0;
  waits = false;
  ended = false;
  through = 0;
}

// The bytes have moved from `old_base` to `base`.
void FastWalk::keep(const char* old_base, std::size_t size) {
  const auto old_at = reinterpret_cast<std::uintptr_t>(old_base);
  const auto move = [&](std::string_view& one) {
    const std::size_t offset = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(one.data()) - old_at);
    if (offset < size) {
      one = {base + offset, one.size()};
    }
  };
  std::for_each(texts.begin(), texts.end(), move);
  std::for_each(keys.begin(), keys.end(), move);
}

void FastWalk::make_room(std::size_t size) {
  constexpr std::size_t least = 4096;
  move_held();
  if (size + padding <= held.size()) {
    return;
  }
  std::vector<char> larger(std::max(least, 2 * size) + padding);
  if (held_size > 0) {
    std::memcpy(larger.data(), held.data(), held_size);
  }
  const char* const old = base;
  held.swap(larger);
  if (held_size > 0) {
    base = held.data();
    keep(old, held_size);
  }
}

void FastWalk::hold(const char* p, std::size_t size) {
  if (holds(p)) {
    held_from = static_cast<std::size_t>(p - held.data());
    held_size = size;
    return;
  }
  held_size = 0;
  held_from = 0;
  make_room(size);
  std::memcpy(held.data(), p, size);
  held_size = size;
  base = held.data();
  keep(p, size);
}

void FastWalk::move_held() {
  if (held_from != 0) {
    const char* const old = base;
    std::memmove(held.data(), held.data() + held_from, held_size);
    held_from = 0;
    base = held.data();
    keep(old, held_size);
  }
}

}  // namespace plumb::contract
