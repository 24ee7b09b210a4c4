// stable_sort(items, before): sorts a vector; items of which neither is before the other keep their order, so the
// outcome is the same with every standard library.
//
// One piece of code sorts the indices of any vector by a function that compares two of them; what is made for each type
// is a few instructions. std::sort is made anew for each comparison, one to two KB each in the WebAssembly module.
//
// n log n comparisons, n when the items are sorted already; eight bytes a item beside the vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plumb {

// Whether the item at index a is to come before that at index b.
using IndexBefore = bool (*)(const void* context, std::uint32_t a, std::uint32_t b);

// The indices from 0 to `count` (under 2^32) in their order.
std::vector<std::uint32_t> stable_order(std::size_t count, IndexBefore before, const void* context);

template <class T, class Before>
void stable_sort(std::vector<T>& items, const Before& before) {
  if (items.size() < 2) {
    return;
  }
  struct Context {
    const T* items;
    const Before* before;
  };
  const Context context{items.data(), &before};
  std::vector<std::uint32_t> order = stable_order(
      items.size(),
      [](const void* given, std::uint32_t a, std::uint32_t b) {
        const Context& in = *static_cast<const Context*>(given);
        return static_cast<bool>((*in.before)(in.items[a], in.items[b]));
      },
      &context);
  // order[i] says where the item for place i was at first; by then it may have been swapped away, which order[] tells
  // too.
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    std::uint32_t from = order[i];
    while (from < i) {
      from = order[from];
    }
    if (from != i) {
      using std::swap;
      swap(items[i], items[from]);
    }
  }
}

template <class T>
void stable_sort(std::vector<T>& items) {
  stable_sort(items, [](const T& a, const T& b) { return a < b; });
}

}  // namespace plumb
