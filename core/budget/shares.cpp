#include "core/budget/shares.hpp"

namespace plumb::budget {

namespace {

// Takes chunks of `severity` by turns until none fits into `room`; gives what they cost.
Tokens take(std::span<const Source> sources, Severity severity, Tokens room, std::vector<std::uint32_t>& taken) {
  Tokens used = 0;
  std::vector<std::size_t> open;  // sources that may have a chunk that fits
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].severity == severity) {
      open.push_back(i);
    }
  }
  while (!open.empty()) {
    std::size_t kept = 0;
    for (const std::size_t i : open) {
      const std::vector<Tokens>& chunks = sources[i].chunks;
      // Where one does not fit, what follows it would come out of order.
      if (taken[i] < chunks.size() && chunks[taken[i]] <= room - used) {
        used += chunks[taken[i]++];
        open[kept++] = i;
      }
    }
    open.resize(kept);
  }
  return used;
}

}  // namespace

Shares share_out(Tokens budget, std::span<const Source> sources, const SeverityShares& shares) {
  Shares out;
  out.chunks_taken.assign(sources.size(), 0);
  for (const Source& source : sources) {
    out.parents += source.parent;
  }
  if (out.parents > budget) {
    out.too_large = true;
    out.overrun = out.parents - budget;
    return out;
  }
  out.remaining = budget - out.parents;
  Tokens pool = out.remaining;
  for (std::size_t i = 0; i < 3; ++i) {
    out.share[i] = part_down(out.remaining, shares[i]);
    out.used[i] = take(sources, static_cast<Severity>(i), out.share[i], out.chunks_taken);
    pool -= out.used[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const Tokens more = take(sources, static_cast<Severity>(i), pool, out.chunks_taken);
    out.used[i] += more;
    pool -= more;
  }
  out.left = pool;
  return out;
}

}  // namespace plumb::budget
