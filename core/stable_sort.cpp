// Runs of eight are sorted by insertion, then merged pairwise; two runs that follow on each other are left as they are.
#include "core/stable_sort.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace plumb {

std::vector<std::uint32_t> stable_order(std::size_t count, IndexBefore before, const void* context) {
  PLUMB_REQUIRE(count < UINT32_MAX, "an index fits 32 bits");
  constexpr std::size_t run = 8;
  std::vector<std::uint32_t> order;
  order.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    order.push_back(index);
    std::size_t at = i;
    for (; at % run != 0 && before(context, index, order[at - 1]); --at) {
      order[at] = order[at - 1];
    }
    order[at] = index;
  }
  std::vector<std::uint32_t> left;
  for (std::size_t size = run; size < count; size *= 2) {
    for (std::size_t from = 0; from + size < count; from += 2 * size) {
      std::size_t right = from + size;
      const std::size_t to = std::min(right + size, count);
      if (!before(context, order[right], order[right - 1])) {
        continue;
      }
      left.assign(order.data() + from, order.data() + right);
      std::size_t next = 0;
      for (std::size_t at = from; next < left.size(); ++at) {
        const bool take_right = right < to && before(context, order[right], left[next]);
        order[at] = take_right ? order[right++] : left[next++];
      }
    }
  }
  return order;
}

}  // namespace plumb
