#include "core/story/play_machine.hpp"

namespace plumb::story {

BookMachine::BookMachine(const Book& book, const PlainBook& plain) : book_(book), plain_(plain) {
  for (std::uint32_t p = 0; p < book.passages.size(); ++p) {
    first_site_.emplace_back();
    for (std::uint32_t w = 0; w < book.passages[p].ways.size(); ++w) {
      first_site_.back().push_back(static_cast<std::uint32_t>(sites_.size()));
      const std::vector<Route>& routes = book.passages[p].ways[w].routes;
      for (std::uint32_t r = 0; r < routes.size(); ++r) {
        sites_.push_back({p, w, r, routes[r].label});
      }
    }
  }
}

void BookMachine::begin(std::vector<PlayMove>& into) {
  into.push_back({none, {plain_.start, (plain_.begin & ~plain_.take[plain_.start]) | plain_.add[plain_.start]}, true});
}

// A way that is taken at once leaves no other; where that is not known, the others may not be offered.
void BookMachine::moves(const PlayPlace& from, std::vector<PlayMove>& into) {
  bool sure = true;
  for (const bool forced : {true, false}) {
    for (std::uint32_t way = 0; way < plain_.ways[from.passage].size(); ++way) {
      if (plain_.forced[from.passage][way] != forced) {
        continue;
      }
      const Open open = offer(from, way, sure, into);
      if (forced && open == Open::yes) {
        return;
      }
      sure = sure && (!forced || open == Open::no);
    }
  }
}

BookMachine::Open BookMachine::offer(const PlayPlace& from, std::uint32_t way, bool sure,
                                     std::vector<PlayMove>& into) const {
  const auto& routes = plain_.ways[from.passage][way];
  Open out = Open::no;
  for (std::uint32_t r = 0; r < routes.size(); ++r) {
    const PlainRoute& route = routes[r];
    if (!route.unread && !route.open(from.held)) {
      continue;
    }
    PlayMove move{first_site_[from.passage][way] + r, {route.to, 0}, !route.unread && sure && out == Open::no};
    if (route.to != none) {
      move.to.held = (((from.held & ~route.take) | route.add) & ~plain_.take[route.to]) | plain_.add[route.to];
    }
    into.push_back(move);
    if (!route.unread) {
      return out == Open::no ? Open::yes : Open::maybe;
    }
    out = Open::maybe;
  }
  return out;
}

Texts BookMachine::held_texts(std::uint64_t held) const {
  Texts out;
  for (std::size_t i = 0; i < plain_.words.size(); ++i) {
    if ((held >> i & 1U) != 0) {
      out.push_back(plain_.words[i]);
    }
  }
  return out;
}

}  // namespace plumb::story
