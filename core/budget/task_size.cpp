#include "core/budget/task_size.hpp"

#include <algorithm>

namespace plumb::budget {

namespace {

constexpr std::uint32_t none = 0xFFFFFFFFU;

// The files in an order in which each comes after those it needs, the given one where that allows it: always the
// first file that is ready. False, and the files of a cycle in `order`, when there is none.
bool in_order(std::span<const TaskFile> files, std::vector<std::uint32_t>& order) {
  const auto count = static_cast<std::uint32_t>(files.size());
  std::vector<std::uint32_t> waits(count, 0);
  std::vector<std::vector<std::uint32_t>> behind(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const std::uint32_t first : files[i].after) {
      ++waits[i];
      behind[first].push_back(i);
    }
  }
  // A heap with the lowest index on top.
  std::vector<std::uint32_t> ready;
  const auto later = [](std::uint32_t a, std::uint32_t b) { return a > b; };
  for (std::uint32_t i = 0; i < count; ++i) {
    if (waits[i] == 0) {
      ready.push_back(i);
    }
  }
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const std::uint32_t file = ready.back();
    ready.pop_back();
    order.push_back(file);
    for (const std::uint32_t next : behind[file]) {
      if (--waits[next] == 0) {
        ready.push_back(next);
        std::push_heap(ready.begin(), ready.end(), later);
      }
    }
  }
  if (order.size() == count) {
    return true;
  }
  // From any file that waits, going to what it waits for must come back to where it has been.
  order.clear();
  std::vector<std::uint32_t> seen(count, none);
  auto at = static_cast<std::uint32_t>(std::find_if(waits.begin(), waits.end(), [](std::uint32_t n) { return n > 0; }) -
                                       waits.begin());
  while (seen[at] == none) {
    seen[at] = static_cast<std::uint32_t>(order.size());
    order.push_back(at);
    at = *std::find_if(files[at].after.begin(), files[at].after.end(),
                       [&waits](std::uint32_t i) { return waits[i] > 0; });
  }
  order.erase(order.begin(), order.begin() + seen[at]);
  return false;
}

}  // namespace

TaskSize size_task(std::span<const TaskFile> files, const SizeLimits& limits) {
  TaskSize out;
  if (limits.working_memory) {
    // Fewer than the share: the largest whole number below it.
    const Tokens reached = part_up(*limits.working_memory, limits.share);
    out.tokens_max = reached == 0 ? 0 : reached - 1;
  }
  if (limits.recommended_max_file_tokens) {
    out.tokens_max = std::min(out.tokens_max.value_or(tokens_max), *limits.recommended_max_file_tokens);
  }
  for (const TaskFile& file : files) {
    out.tokens += file.tokens;
  }
  out.too_many_files = files.size() > limits.files_max;
  out.too_many_tokens = out.tokens_max && out.tokens > *out.tokens_max;
  std::vector<std::uint32_t> order;
  if (!in_order(files, order)) {
    out.cycle = order;
  }
  if (!out.too_many_files && !out.too_many_tokens) {
    out.size = files.size() > limits.files_warn ? Size::warn : Size::fits;
    return out;
  }
  out.size = Size::too_large;
  if (!out.cycle.empty()) {
    return out;
  }
  const std::uint32_t files_each = std::max(1U, std::min(limits.files_warn, limits.files_max));
  for (const std::uint32_t file : order) {
    const Tokens tokens = files[file].tokens;
    const bool alone = out.tokens_max && tokens > *out.tokens_max;
    const bool fits = !out.parts.empty() && !alone && !out.parts.back().too_large &&
                      out.parts.back().files.size() < files_each &&
                      (!out.tokens_max || out.parts.back().tokens + tokens <= *out.tokens_max);
    if (!fits) {
      out.parts.push_back({{}, 0, alone});
    }
    out.parts.back().files.push_back(file);
    out.parts.back().tokens += tokens;
  }
  return out;
}

}  // namespace plumb::budget
