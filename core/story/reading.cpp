#include "core/story/reading.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace plumb::story {

namespace {

bool held_by(const Clause& clause, const Texts& held) {
  const auto has = [&](const std::string& word) { return std::binary_search(held.begin(), held.end(), word); };
  return std::all_of(clause.held.begin(), clause.held.end(), has) &&
         std::none_of(clause.lacking.begin(), clause.lacking.end(), has);
}

bool holds(const Condition& condition, const Texts& held) {
  return std::any_of(condition.begin(), condition.end(), [&](const Clause& one) { return held_by(one, held); });
}

void change(Texts& held, const Texts& grants, const Texts& clears) {
  for (const std::string& one : clears) {
    held.erase(std::remove(held.begin(), held.end(), one), held.end());
  }
  held.insert(held.end(), grants.begin(), grants.end());
  std::sort(held.begin(), held.end());
  held.erase(std::unique(held.begin(), held.end()), held.end());
}

}  // namespace

ReaderPlace begin_reading(const Book& book) {
  ReaderPlace out{book.start, {}};
  if (const BookPassage* start = book.find(book.start)) {
    change(out.held, start->grants, start->clears);
  }
  return out;
}

std::vector<std::pair<std::size_t, std::size_t>> open_ways(const Book& book, const ReaderPlace& at) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  const BookPassage* passage = book.find(at.passage);
  for (std::size_t w = 0; passage != nullptr && w < passage->ways.size(); ++w) {
    const std::vector<Route>& routes = passage->ways[w].routes;
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const bool open = (routes[r].when.empty() || holds(routes[r].when, at.held)) &&
                        std::none_of(routes[r].unless.begin(), routes[r].unless.end(),
                                     [&](const Condition& one) { return holds(one, at.held); });
      if (open) {
        out.emplace_back(w, r);
        break;
      }
    }
  }
  return out;
}

ReaderPlace take_way(const Book& book, const ReaderPlace& at, std::size_t way, std::size_t route) {
  const BookPassage* passage = book.find(at.passage);
  PLUMB_REQUIRE(passage != nullptr, "a reader stands at a passage");
  const Route& one = passage->ways[way].routes[route];
  ReaderPlace out{one.to, at.held};
  change(out.held, one.grants, one.clears);
  if (const BookPassage* next = book.find(one.to)) {
    change(out.held, next->grants, next->clears);
  }
  return out;
}

}  // namespace plumb::story
