#include "core/story/idle.hpp"

#include <algorithm>
#include <set>

#include "core/story/looks.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t words_max = 64, states_max = 200'000;

bool is_read(const Book& book) {
  return book.unread.empty() && std::all_of(book.passages.begin(), book.passages.end(), [](const BookPassage& one) {
           return !one.doubtful && std::all_of(one.ways.begin(), one.ways.end(), [](const Way& way) {
             return !way.forced && std::all_of(way.routes.begin(), way.routes.end(), [](const Route& route) {
               return !route.unread && route.unless.empty();
             });
           });
         });
}

// The way without its idle routes: conditions that all fulfil go, and so do routes that nobody takes.
void trim(Way& way, const std::vector<PlainRoute>& plain, const std::vector<std::uint64_t>& held) {
  std::vector<Route> kept;
  std::vector<std::uint64_t> rest = held;
  for (std::size_t i = 0; i < plain.size() && !rest.empty(); ++i) {
    const auto closed =
        std::partition(rest.begin(), rest.end(), [&](std::uint64_t one) { return !plain[i].open(one); });
    if (closed == rest.end()) {
      continue;
    }
    kept.push_back(way.routes[i]);
    if (closed == rest.begin()) {
      kept.back().when.clear();
    }
    rest.erase(closed, rest.end());
  }
  way.routes = std::move(kept);
}

}  // namespace

std::size_t taken_route(const std::vector<PlainRoute>& way, std::uint64_t held) {
  const auto at = std::find_if(way.begin(), way.end(), [held](const PlainRoute& one) { return one.open(held); });
  return static_cast<std::size_t>(at - way.begin());
}

Reached reached_states(const Book& book) {
  Reached out;
  out.held.resize(book.passages.size());
  std::set<std::string> words = asked_words(book);
  for (const BookEntity& entity : book.entities) {
    for (const BookOverlay& one : entity.overlays) {
      words.insert(one.when.begin(), one.when.end());
    }
  }
  if (words.size() > words_max || !is_read(book)) {
    return out;
  }
  out.plain = plain_of(book, words);
  const PlainBook& plain = out.plain;
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> open;
  const auto arrive = [&](std::uint32_t passage, std::uint64_t held) {
    if (passage != none) {
      held = (held & ~plain.take[passage]) | plain.add[passage];
      if (seen.emplace(passage, held).second) {
        open.emplace_back(passage, held);
      }
    }
  };
  arrive(plain.start, plain.begin);
  while (!open.empty()) {
    if (seen.size() > states_max) {
      return out;
    }
    const auto [passage, held] = open.back();
    open.pop_back();
    for (const std::vector<PlainRoute>& way : plain.ways[passage]) {
      if (const std::size_t at = taken_route(way, held); at < way.size()) {
        arrive(way[at].to, (held & ~way[at].take) | way[at].add);
      }
    }
  }
  for (const auto& [passage, held] : seen) {
    out.held[passage].push_back(held);
  }
  out.complete = true;
  return out;
}

Book without_idle(const Book& book) {
  const Reached reached = reached_states(book);
  if (!reached.complete) {
    return book;
  }
  Book out = book;
  out.passages.clear();
  std::vector<const std::vector<std::uint64_t>*> held;  // of each passage that is kept
  for (std::size_t p = 0; p < book.passages.size(); ++p) {
    if (reached.held[p].empty()) {
      continue;
    }
    held.push_back(&reached.held[p]);
    out.passages.push_back(book.passages[p]);
    std::vector<Way>& ways = out.passages.back().ways;
    for (std::size_t w = 0; w < ways.size(); ++w) {
      trim(ways[w], reached.plain.ways[p][w], reached.held[p]);
    }
    ways.erase(std::remove_if(ways.begin(), ways.end(), [](const Way& way) { return way.routes.empty(); }), ways.end());
  }
  std::set<const BookOverlay*> seen;
  const std::vector<std::vector<Look>> looks = looks_of(out);
  for (std::size_t p = 0; p < looks.size(); ++p) {
    for (const Look& look : looks[p]) {
      for (const std::uint64_t one : *held[p]) {
        seen.insert(overlay_for(*look.entity, reached.plain, one));
      }
    }
  }
  for (BookEntity& entity : out.entities) {
    std::vector<BookOverlay> kept;
    for (BookOverlay& one : entity.overlays) {
      if (seen.count(&one) > 0) {
        kept.push_back(one);
      }
    }
    entity.overlays = std::move(kept);
  }
  return out;
}

}  // namespace plumb::story
