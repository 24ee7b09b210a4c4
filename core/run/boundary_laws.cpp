#include "core/run/boundary_laws.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"

namespace plumb::run {

namespace {

// Law 1, and the ids of parts.
void check_descent(const std::vector<BoundaryItem>& input, const Crossing& crossing, std::vector<std::string>& out) {
  std::vector<std::size_t> descendants(input.size());
  std::vector<std::string_view> ids;
  ids.reserve(crossing.items.size());
  for (const Crossed& item : crossing.items) {
    if (item.input >= input.size()) {
      out.push_back("'" + item.id + "' comes from no item of the input");
      return;
    }
    ++descendants[item.input];
    ids.push_back(item.id);
    if (item.revised_from.empty() ? item.id != input[item.input].id : item.revised_from != input[item.input].id) {
      out.push_back("'" + item.id + "' is not paired with '" + input[item.input].id + "'");
    }
  }
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (descendants[i] == 0 || descendants[i] > boundary_parts_max) {
      out.push_back("'" + input[i].id + "' has " + json::uint_text(descendants[i]) + " descendants");
    }
  }
  std::sort(ids.begin(), ids.end());
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) {
    out.push_back("two items have the same id");
  }
}

void check_items(const std::vector<BoundaryItem>& input, const Crossing& crossing, std::vector<std::string>& out) {
  const Crossed* before = nullptr;
  for (const Crossed& item : crossing.items) {
    if (before != nullptr &&
        (item.passed < before->passed || (item.passed == before->passed && item.input < before->input))) {
      out.push_back("'" + item.id + "' comes after '" + before->id + "'");
    }
    before = &item;
    const bool warns = item.warning.starts_with("Rejected after 2 retries: ");
    if (item.passed == Passed::warned ? !warns : !item.warning.empty()) {
      out.push_back("'" + item.id + "' is " + std::string(passed_name(item.passed)) + " and its warning is '" +
                    item.warning + "'");
    }
    if (item.passed == Passed::failed && !item.why.structural) {
      out.push_back("'" + item.id + "' failed for its meaning");
    }
    if (item.revisions == 0 && item.input < input.size() && item.value.text() != input[item.input].value.text()) {
      out.push_back("'" + item.id + "' changed without a revision");
    }
    if (item.revisions > boundary_retries_max) {
      out.push_back("'" + item.id + "' was revised too often");
    }
  }
}

void check_cycles(const std::vector<BoundaryItem>& input, const Crossing& crossing, std::vector<std::string>& out) {
  std::uint64_t calls = 0;
  std::uint64_t waiting = 0;  // items that were rejected when the cycle began
  if (crossing.cycles.size() > 1 + boundary_retries_max) {
    out.push_back("there are " + json::uint_text(crossing.cycles.size()) + " cycles");
  }
  for (std::size_t i = 0; i < crossing.cycles.size(); ++i) {
    const BoundaryCycle& cycle = crossing.cycles[i];
    const std::string where = "cycle " + json::uint_text(i) + ": ";
    const std::uint64_t entered = i == 0 ? input.size() : cycle.revised;
    if (cycle.judged != entered) {
      out.push_back(where + "something was judged again that was not revised");
    }
    if (cycle.judged != cycle.accepted + cycle.rejected) {
      out.push_back(where + "accepted and rejected do not add up");
    }
    if (cycle.revision_calls != waiting || cycle.skipped + cycle.revised < waiting || cycle.carried != cycle.skipped) {
      out.push_back(where + "not one revision call for each rejected item");
    }
    if (cycle.batches > cycle.open || (cycle.open > cycle.too_large && cycle.batches == 0)) {
      out.push_back(where + "the calls are not those that the open items need");
    }
    calls += cycle.batches + cycle.revision_calls;
    waiting = cycle.rejected + cycle.carried;
  }
  if (calls != crossing.calls || calls > crossing.calls_max) {
    out.push_back("there were " + json::uint_text(calls) + " calls of at most " + json::uint_text(crossing.calls_max) +
                  ", and " + json::uint_text(crossing.calls) + " are told");
  }
  if (waiting != crossing.count(Passed::warned) + crossing.count(Passed::failed)) {
    out.push_back("what was still rejected is not what is warned and failed");
  }
}

}  // namespace

std::vector<std::string> broken_laws(const std::vector<BoundaryItem>& input, const Crossing& crossing) {
  std::vector<std::string> out;
  check_descent(input, crossing, out);
  check_items(input, crossing, out);
  check_cycles(input, crossing, out);
  if (crossing.retries != (crossing.cycles.empty() ? 0 : crossing.cycles.size() - 1)) {
    out.emplace_back("the number of retries is not that of the cycles");
  }
  std::vector<bool> rejected(input.size());
  for (const Crossed& item : crossing.items) {
    if (item.input < input.size() && item.rejections > 0) {
      rejected[item.input] = true;
    }
  }
  if (static_cast<std::uint64_t>(std::count(rejected.begin(), rejected.end(), true)) != crossing.rejections) {
    out.emplace_back("the number of rejections is not that of the items");
  }
  return out;
}

}  // namespace plumb::run
