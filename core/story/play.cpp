#include "core/story/play.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/story/findings.hpp"
#include "core/story/plain_book.hpp"
#include "core/story/play_machine.hpp"

namespace plumb::story {

namespace {

using contract::FindingClass;

constexpr std::size_t traps_max = 20;

struct State {
  std::uint64_t held;
  std::uint32_t passage, parent;
  std::uint32_t site;  // by which it was reached first
  bool sure;           // without a condition that could not be read
};

// States found so far, by passage and what is held: open addressing over their numbers.
class Known {
 public:
  Known() : slots_(1024, none) {}

  // The number of the state; `fresh` when it was not known.
  std::uint32_t add(std::vector<State>& states, const State& state, bool& fresh) {
    if ((states.size() + 1) * 2 > slots_.size()) {
      grow(states);
    }
    std::size_t at = slot(state) & (slots_.size() - 1);
    while (slots_[at] != none) {
      const State& other = states[slots_[at]];
      if (other.passage == state.passage && other.held == state.held) {
        fresh = false;
        return slots_[at];
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = static_cast<std::uint32_t>(states.size());
    states.push_back(state);
    fresh = true;
    return slots_[at];
  }

 private:
  static std::size_t slot(const State& state) {
    std::uint64_t h = (state.held ^ (std::uint64_t{state.passage} << 32U)) * 0x9E3779B97F4A7C15U + state.passage;
    h = (h ^ (h >> 29U)) * 0xBF58476D1CE4E5B9U;
    return static_cast<std::size_t>(h ^ (h >> 32U));
  }
  void grow(const std::vector<State>& states) {
    slots_.assign(slots_.size() * 2, none);
    for (std::uint32_t i = 0; i < states.size(); ++i) {
      std::size_t at = slot(states[i]) & (slots_.size() - 1);
      while (slots_[at] != none) {
        at = (at + 1) & (slots_.size() - 1);
      }
      slots_[at] = i;
    }
  }
  std::vector<std::uint32_t> slots_;
};

class Walk {
 public:
  Walk(const Book& book, PlayMachine& machine, const PlayBounds& bounds)
      : book_(book), machine_(machine), bounds_(bounds) {
    for (const BookPassage& passage : book.passages) {
      open_.emplace_back();
      for (const Way& way : passage.ways) {
        open_.back().emplace_back(way.routes.size(), false);
      }
    }
  }

  // Breadth first: the first way into a state is a shortest. What hangs on a condition that nobody reads comes after.
  bool run() {
    machine_.begin(moves_);
    for (const PlayMove& move : moves_) {
      arrive(none, move, move.sure);
    }
    std::vector<std::pair<std::uint32_t, PlayMove>> unsure;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_.size() > bounds_.states_max) {
        return false;
      }
      expand(static_cast<std::uint32_t>(i), unsure);
    }
    for (std::size_t i = 0; i < unsure.size(); ++i) {
      const std::size_t before = states_.size();
      arrive(unsure[i].first, unsure[i].second, false);
      for (std::size_t k = before; k < states_.size(); ++k) {
        if (states_.size() > bounds_.states_max) {
          return false;
        }
        expand(static_cast<std::uint32_t>(k), unsure);
      }
    }
    can_end_ = backwards();
    return true;
  }

  const std::vector<State>& states() const { return states_; }
  std::uint64_t steps() const { return edges_.size(); }
  bool can_end(std::size_t state) const { return can_end_[state]; }
  bool taken(std::size_t passage, std::size_t way, std::size_t route) const { return open_[passage][way][route]; }

 private:
  void expand(std::uint32_t from, std::vector<std::pair<std::uint32_t, PlayMove>>& unsure) {
    moves_.clear();
    machine_.moves({states_[from].passage, states_[from].held}, moves_);
    for (const PlayMove& move : moves_) {
      if (const PlaySite& site = machine_.sites()[move.site]; site.passage != none) {
        open_[site.passage][site.way][site.route] = true;
      }
      if (move.to.passage == none) {
        continue;
      }
      if (states_[from].sure && !move.sure) {
        unsure.emplace_back(from, move);
      } else {
        arrive(from, move, states_[from].sure);
      }
    }
  }

  void arrive(std::uint32_t from, const PlayMove& move, bool sure) {
    bool fresh = false;
    const std::uint32_t number = known_.add(states_, {move.to.held, move.to.passage, from, move.site, sure}, fresh);
    if (from != none) {
      edges_.emplace_back(from, number);
    }
  }

  std::vector<bool> backwards() const {
    std::vector<std::uint32_t> first(states_.size() + 1, 0), from(edges_.size());
    for (const auto& [a, b] : edges_) {
      ++first[b + 1];
    }
    for (std::size_t i = 1; i < first.size(); ++i) {
      first[i] += first[i - 1];
    }
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (const auto& [a, b] : edges_) {
      from[next[b]++] = a;
    }
    std::vector<bool> out(states_.size(), false);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      if (book_.passages[states_[i].passage].ending || machine_.doubtful({states_[i].passage, states_[i].held})) {
        out[i] = true;
        open.push_back(i);
      }
    }
    while (!open.empty()) {
      const std::uint32_t one = open.back();
      open.pop_back();
      for (std::uint32_t k = first[one]; k < first[one + 1]; ++k) {
        if (!out[from[k]]) {
          out[from[k]] = true;
          open.push_back(from[k]);
        }
      }
    }
    return out;
  }

  const Book& book_;
  PlayMachine& machine_;
  const PlayBounds& bounds_;
  std::vector<PlayMove> moves_;
  Known known_;
  std::vector<State> states_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  std::vector<std::vector<std::vector<bool>>> open_;
  std::vector<bool> can_end_;
};

// Passages that ways lead to from the start, whatever they ask for.
std::vector<bool> led_to(const Book& book, const std::map<std::string_view, std::uint32_t>& numbers) {
  std::vector<bool> out(book.passages.size(), false);
  std::vector<std::uint32_t> open{numbers.find(book.start)->second};
  out[open[0]] = true;
  while (!open.empty()) {
    const std::uint32_t one = open.back();
    open.pop_back();
    for (const Way& way : book.passages[one].ways) {
      for (const Route& route : way.routes) {
        const auto to = numbers.find(route.to);
        if (to != numbers.end() && !out[to->second]) {
          out[to->second] = true;
          open.push_back(to->second);
        }
      }
    }
  }
  return out;
}

Trap trap_at(const Book& book, const PlayMachine& machine, const std::vector<State>& states, std::uint32_t state) {
  Trap out;
  out.held = machine.held_texts(states[state].held);
  for (std::uint32_t at = state; at != none; at = states[at].parent) {
    PlayStep step{book.passages[states[at].passage].id, ""};
    if (states[at].parent != none && states[at].site != none) {
      step.label = machine.sites()[states[at].site].label;
    }
    out.way.push_back(std::move(step));
  }
  std::reverse(out.way.begin(), out.way.end());
  return out;
}

// Codewords as the author knows them: "lamp/keep" where it is that of an answer, else by name.
std::string words_text(const Book& book, const Texts& names) {
  Texts out;
  for (const std::string& name : names) {
    out.push_back(authors_word(book, name));
  }
  return some_of(out, 8);
}

std::string way_text(const Trap& trap) {
  std::string out;
  for (const PlayStep& step : trap.way) {
    out += (out.empty() ? "" : ", ") + (step.label.empty() ? "" : "\"" + step.label + "\" ") +
           (out.empty() ? "" : "to ") + step.passage;
  }
  return out;
}

// "lamp/keep and no coat/wear, or boat/gone"
std::string condition_text(const Book& book, const Condition& condition) {
  std::string out;
  for (const Clause& clause : condition) {
    std::string one;
    for (const std::string& word : clause.held) {
      one += (one.empty() ? "" : " and ") + authors_word(book, word);
    }
    for (const std::string& word : clause.lacking) {
      one += (one.empty() ? "no " : " and no ") + authors_word(book, word);
    }
    out += (out.empty() ? "" : ", or ") + one;
  }
  return out;
}

// The ways that are shut whenever a reader who stands there comes to them: what keeps them in. Nothing where more is
// to be walked through than a few thousand states.
std::string shut_text(const Book& book, PlayMachine& machine, const State& in) {
  constexpr std::size_t looked_at_max = 2000;
  constexpr std::size_t told_max = 3;
  std::vector<PlayPlace> open{{in.passage, in.held}};
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen{{in.passage, in.held}}, taken;
  std::vector<std::uint32_t> met;  // passages, in the order in which they are come to
  std::vector<PlayMove> moves;
  for (std::size_t i = 0; i < open.size() && seen.size() < looked_at_max; ++i) {
    if (std::find(met.begin(), met.end(), open[i].passage) == met.end()) {
      met.push_back(open[i].passage);
    }
    moves.clear();
    machine.moves(open[i], moves);
    for (const PlayMove& move : moves) {
      const PlaySite& site = machine.sites()[move.site];
      taken.emplace(site.passage, site.way);
      if (move.to.passage != none && seen.emplace(move.to.passage, move.to.held).second) {
        open.push_back(move.to);
      }
    }
  }
  if (seen.size() >= looked_at_max) {
    return {};  // some way may be open further on
  }
  Texts out;
  for (const std::uint32_t passage : met) {
    for (std::size_t way = 0; way < book.passages[passage].ways.size(); ++way) {
      const Route& last = book.passages[passage].ways[way].routes.back();
      if (taken.count({passage, way}) != 0 || (last.when.empty() && last.unless.empty())) {
        continue;
      }
      std::string one = "at '" + book.passages[passage].id + "' the way to '" + last.to + "'";
      one += last.when.empty() ? "" : " asks for " + condition_text(book, last.when);
      for (const Condition& condition : last.unless) {
        one += ", and is shut by " + condition_text(book, condition);
      }
      out.push_back(std::move(one));
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(out.size(), told_max); ++i) {
    text += (i == 0 ? ". What is shut then: " : "; ") + out[i];
  }
  return text;
}

std::string node_of(const std::string& passage) { return "passage::" + passage; }

void find_traps(const Book& book, PlayMachine& machine, const Walk& walk, Findings& findings, PlayOutcome& out) {
  std::set<std::uint32_t> told;
  std::set<std::uint32_t> doubtful;
  const std::vector<State>& states = walk.states();
  const bool endless = std::none_of(book.passages.begin(), book.passages.end(), [](const BookPassage& one) {
    return one.ending || one.doubtful || one.ways.empty();
  });
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    const bool entry = states[i].parent == none || walk.can_end(states[i].parent);
    if (walk.can_end(i) || !entry) {
      continue;
    }
    if (!states[i].sure) {
      doubtful.insert(states[i].passage);
      continue;
    }
    if (!told.insert(states[i].passage).second || out.traps.size() == traps_max) {
      continue;
    }
    const Trap trap = trap_at(book, machine, states, i);
    std::vector<PlayMove> moves;
    machine.moves({states[i].passage, states[i].held}, moves);
    const bool stuck = moves.empty();
    const std::string& passage = book.passages[states[i].passage].id;
    contract::Finding& one = findings.error(
        "play_trap", FindingClass::meaning, node_of(passage),
        (endless ? "the story has no ending: each of its passages leads on, so it is never over"
         : stuck ? "at '" + passage + "' no choice is open, and it is not an ending"
                 : "from '" + passage + "' no ending can be reached any more") +
            (trap.held.empty() ? std::string(", holding nothing") : ", holding " + words_text(book, trap.held)) +
            ". The shortest way there: " + way_text(trap) + shut_text(book, machine, states[i]));
    one.requirement = "from every passage that a reader comes to, with what they hold then, an ending can be reached";
    out.traps.push_back(trap);
  }
  for (const std::uint32_t passage : doubtful) {
    contract::Undecided one;
    one.rule = "play_trap";
    one.at = "/nodes/" + node_of(book.passages[passage].id);
    one.reason = "whether '" + book.passages[passage].id + "' can be left hangs on conditions that could not be read";
    out.undecided.push_back(std::move(one));
  }
}

void find_unused(const Book& book, const Walk& walk, const std::vector<bool>& reached, Findings& findings) {
  for (std::size_t p = 0; p < book.passages.size(); ++p) {
    const BookPassage& passage = book.passages[p];
    for (std::size_t w = 0; w < passage.ways.size() && reached[p]; ++w) {
      const std::vector<Route>& routes = passage.ways[w].routes;
      bool any = false;
      for (std::size_t r = 0; r < routes.size(); ++r) {
        any = any || walk.taken(p, w, r);
      }
      if (!any) {
        findings.error("play_gate_never_open", FindingClass::meaning, node_of(passage.id),
                       "at '" + passage.id + "' nobody is ever offered the way to '" + routes.back().to + "'");
        continue;
      }
      for (std::size_t r = 0; r + 1 < routes.size(); ++r) {
        if (!walk.taken(p, w, r)) {
          findings.warning("play_variant_never_taken", FindingClass::meaning, node_of(passage.id),
                           "at '" + passage.id + "' nobody is ever led to the variant '" + routes[r].to + "'");
        }
      }
    }
  }
}

void find_both(const Book& book, const PlainBook& plain, const PlayMachine& machine, const Walk& walk,
               Findings& findings) {
  std::map<std::string, std::uint64_t> groups;
  for (const BookCodeword& one : book.codewords) {
    if (!one.group.empty()) {
      groups[one.group] |= plain.bits({one.name});
    }
  }
  for (const auto& [group, bits] : groups) {
    for (std::uint32_t i = 0; i < walk.states().size(); ++i) {
      const std::uint64_t held = walk.states()[i].held & bits;
      if ((held & (held - 1)) != 0) {
        const Trap way = trap_at(book, machine, walk.states(), i);
        findings.error(
            "play_both_answers", FindingClass::meaning, node_of(way.way.back().passage),
            "a reader can commit to both answers of '" + group + "'. The shortest way there: " + way_text(way));
        break;
      }
    }
  }
}

// That nobody ever does something is not known where a way that could not be read may lead there.
contract::Undecided never_undecided(contract::Finding finding, const std::string& passage) {
  contract::Undecided out;
  out.rule = std::move(finding.rule);
  out.at = std::move(finding.at);
  out.reason = finding.message + ", unless a way out of '" + passage + "' that could not be read leads there";
  return out;
}

PlayOutcome not_played(std::string why) {
  PlayOutcome out;
  out.why_not = std::move(why);
  contract::Undecided one;
  one.rule = "play";
  one.at = "/nodes";
  one.reason = out.why_not;
  out.undecided.push_back(std::move(one));
  return out;
}

// All that play tells of a machine; `plain` where it is a book's.
PlayOutcome played(const Book& book, PlayMachine& machine, const PlainBook* plain, const PlayBounds& bounds) {
  std::map<std::string_view, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < book.passages.size(); ++i) {
    numbers.emplace(book.passages[i].id, i);
  }
  if (numbers.count(book.start) == 0) {
    return not_played("there is no passage to begin with");
  }
  Walk walk(book, machine, bounds);
  if (!walk.run()) {
    PlayOutcome out =
        not_played("there are more than " + std::to_string(bounds.states_max) + " states of passage and codewords");
    out.states = walk.states().size();
    return out;
  }
  PlayOutcome out;
  out.complete = true;
  out.states = walk.states().size();
  out.steps = walk.steps();
  std::vector<bool> reached(book.passages.size(), false), surely(book.passages.size(), false);
  const BookPassage* unread = nullptr;  // has a way out that may lead anywhere
  for (const State& state : walk.states()) {
    reached[state.passage] = true;
    surely[state.passage] = surely[state.passage] || state.sure;
    unread =
        unread == nullptr && machine.doubtful({state.passage, state.held}) ? &book.passages[state.passage] : unread;
  }
  const std::vector<bool> linked = led_to(book, numbers);
  Findings findings("grow/play");
  find_traps(book, machine, walk, findings, out);
  for (std::size_t i = 0; i < book.passages.size(); ++i) {
    const BookPassage& passage = book.passages[i];
    out.endings += passage.ending ? 1U : 0U;
    out.endings_reached += passage.ending && surely[i] ? 1U : 0U;
    out.passages_reached += surely[i] ? 1U : 0U;
    if (passage.ending && !reached[i] && linked[i]) {  // what no link leads to is told of as that
      findings.error("play_ending_unreached", FindingClass::meaning, node_of(passage.id),
                     "no reading comes to the ending '" + passage.id + "'");
    }
  }
  find_unused(book, walk, reached, findings);
  if (plain != nullptr) {
    find_both(book, *plain, machine, walk, findings);
  }
  for (contract::Finding& one : findings.all()) {
    const bool is_never = one.rule == "play_ending_unreached" || one.rule == "play_gate_never_open" ||
                          one.rule == "play_variant_never_taken";
    if (is_never && unread != nullptr) {
      out.undecided.push_back(never_undecided(std::move(one), unread->id));
    } else {
      out.findings.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace

PlayOutcome play_machine(const Book& book, PlayMachine& machine, const PlayBounds& bounds) {
  return played(book, machine, nullptr, bounds);
}

PlayOutcome play_book(const Book& book, const PlayBounds& bounds) {
  std::set<std::string> words = asked_words(book);
  std::set<std::string> with_answers = words;  // so that both answers of one question are seen, where there is room
  for (const BookCodeword& one : book.codewords) {
    if (!one.group.empty()) {
      with_answers.insert(one.name);
    }
  }
  if (with_answers.size() <= std::min<std::uint64_t>(bounds.codewords_max, 64)) {
    words = std::move(with_answers);
  }
  if (words.size() > std::min<std::uint64_t>(bounds.codewords_max, 64)) {
    return not_played("choices ask for " + std::to_string(words.size()) + " codewords; at most " +
                      std::to_string(bounds.codewords_max) + " can be walked through");
  }
  const PlainBook plain = plain_of(book, words);
  if (plain.start == none) {
    return not_played("there is no passage to begin with");
  }
  BookMachine machine(book, plain);
  return played(book, machine, &plain, bounds);
}

}  // namespace plumb::story
