// The order of the opportunities once some were done again: what people have put somewhere stays there.

#include <algorithm>

#include "core/pipelines/discovery/parts.hpp"

namespace plumb::pipelines::discovery {

namespace {

constexpr std::size_t generations_max = 100;

bool has(const std::vector<std::string>& ids, std::string_view id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Whether `id` was made from `from`: as a part of it, or framed anew, over any number of generations.
bool comes_from(std::string id, std::string_view from, const Lineage& lineage) {
  for (std::size_t i = 0; i < generations_max && id != from; ++i) {
    const auto found = std::find_if(lineage.begin(), lineage.end(), [&](const auto& one) { return one.first == id; });
    if (found == lineage.end()) {
      return false;
    }
    id = found->second;
  }
  return id == from;
}

}  // namespace

void Decisions::put_at(const std::string& id, std::size_t place) {
  order.erase(std::remove(order.begin(), order.end(), id), order.end());
  const std::size_t at = std::min(place - 1, order.size());
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), id);
}

void keep_order(Decisions& decisions, const std::vector<Ranking>& rankings, const Lineage& lineage,
                const SentBack& again) {
  std::vector<std::string> ranked;
  ranked.reserve(rankings.size());
  for (const Ranking& one : rankings) {
    ranked.push_back(one.opportunity_id);
  }
  std::vector<std::string> order;
  for (const std::string& id : decisions.order) {
    const bool placed = has(decisions.placed, id);
    if (has(ranked, id)) {
      if ((placed || !again.concerns(id)) && !has(order, id)) {
        order.push_back(id);
      }
      continue;
    }
    for (const std::string& one : ranked) {
      if (placed && comes_from(one, id, lineage) && !has(order, one)) {
        order.push_back(one);
        decisions.placed.push_back(one);
        for (auto& [named, place] : decisions.priorities) {
          named = named == id ? one : named;
        }
      }
    }
  }
  // The rest stands behind what the ranking has before it.
  auto behind = order.begin();
  for (const std::string& id : ranked) {
    const auto found = std::find(order.begin(), order.end(), id);
    behind = found != order.end() ? found : order.insert(behind, id);
    ++behind;
  }
  decisions.order = std::move(order);
  for (const auto& [id, place] : decisions.priorities) {
    if (has(ranked, id)) {
      decisions.put_at(id, place);
    }
  }
}

}  // namespace plumb::pipelines::discovery
