#include "core/story/weave.hpp"

#include <algorithm>
#include <set>

namespace plumb::story {

namespace {

std::size_t ones(std::uint64_t bits) {
  std::size_t out = 0;
  for (; bits != 0; bits &= bits - 1) {
    ++out;
  }
  return out;
}

std::size_t number_of(const std::vector<std::string_view>& sorted, std::string_view id) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), id);
  return at == sorted.end() || *at != id ? Weave::npos : static_cast<std::size_t>(at - sorted.begin());
}

void read_dilemmas(const Graph& graph, Weave& w) {
  w.paths = graph.ids(NodeType::path);
  w.codewords = graph.ids(NodeType::codeword);
  PLUMB_REQUIRE(w.paths.size() <= 128 && w.codewords.size() <= 128, "a story has at most 128 paths");
  w.dilemma_of.assign(w.paths.size(), Weave::npos);
  w.codeword_of.assign(w.paths.size(), Weave::npos);
  for (const std::string_view id : graph.ids(NodeType::dilemma)) {
    WeaveDilemma dilemma{id, {}};
    for (const std::string_view answer : graph.out(id, EdgeKind::has_answer)) {
      for (const std::string_view path : graph.in(answer, EdgeKind::explores)) {
        const std::size_t number = number_of(w.paths, path);
        dilemma.paths.push_back(number);
        w.dilemma_of[number] = w.dilemmas.size();
      }
    }
    std::sort(dilemma.paths.begin(), dilemma.paths.end());
    w.dilemmas.push_back(std::move(dilemma));
  }
  for (std::size_t path = 0; path < w.paths.size(); ++path) {
    for (const std::string_view consequence : graph.out(w.paths[path], EdgeKind::has_consequence)) {
      for (const std::string_view codeword : graph.in(consequence, EdgeKind::tracks)) {
        w.codeword_of[path] = number_of(w.codewords, codeword);
      }
    }
  }
}

void read_passages(const Graph& graph, Weave& w, std::vector<std::size_t>& passage_of) {
  for (const std::string_view id : graph.ids(NodeType::passage)) {
    const Node& node = graph.at(id);
    if (node.flag(Field::is_synthetic)) {
      continue;  // beside the beats: no arc goes through it by itself
    }
    const std::size_t number = w.passages.size();
    w.passages.push_back(id);
    w.passage_number.emplace(id, number);
    Texts from = node.texts(Field::merged_from);
    from.push_back(node.text(Field::from_beat));
    for (const std::string& beat : from) {
      const auto at = w.beat_number.find("beat::" + beat);
      if (at != w.beat_number.end()) {
        passage_of[at->second] = number;
      }
    }
    Bits grants;
    for (const std::string_view codeword : graph.out(id, EdgeKind::grants)) {
      grants.add(number_of(w.codewords, codeword));
    }
    w.grants.push_back(grants);
  }
  w.through.assign(w.passages.size(), Bits());
}

void read_arcs(const Graph& graph, Weave& w, const std::vector<std::size_t>& passage_of) {
  for (const std::string_view id : graph.ids(NodeType::arc)) {
    const Node& node = graph.at(id);
    WeaveArc arc;
    arc.id = id;
    arc.spine = node.text(Field::arc_type) == "spine";
    for (const std::string& path : node.texts(Field::paths)) {
      const std::size_t number = number_of(w.paths, "path::" + path);
      PLUMB_REQUIRE(number != Weave::npos, "the paths of an arc are there");
      arc.paths.add(number);
    }
    Bits held;
    const std::size_t arc_number = w.arcs.size();
    for (const std::string& beat : node.texts(Field::sequence)) {
      const auto at = w.beat_number.find("beat::" + beat);
      PLUMB_REQUIRE(at != w.beat_number.end(), "the beats of an arc are there");
      arc.beats.push_back(at->second);
      const std::size_t passage = passage_of[at->second];
      if (passage == Weave::npos || (!arc.passages.empty() && arc.passages.back() == passage)) {
        continue;
      }
      if (!arc.passages.empty()) {
        w.steps[{arc.passages.back(), passage}].add(arc_number);
      }
      arc.passages.push_back(passage);
      arc.held.push_back(held);
      held = held | w.grants[passage];
      w.through[passage].add(arc_number);
    }
    w.arcs.push_back(std::move(arc));
  }
}

}  // namespace

std::size_t Bits::count() const { return ones(low) + ones(high); }

const Bits& Weave::held(std::size_t arc, std::size_t passage) const {
  const WeaveArc& one = arcs[arc];
  const auto at = std::find(one.passages.begin(), one.passages.end(), passage);
  PLUMB_REQUIRE(at != one.passages.end(), "an arc is asked about a passage that it goes through");
  return one.held[static_cast<std::size_t>(at - one.passages.begin())];
}

Bits Weave::always(const Bits& arcs_there, std::size_t passage, bool with_own) const {
  Bits out{~std::uint64_t{0}, ~std::uint64_t{0}};
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (arcs_there.has(i)) {
      out = out & (with_own ? held(i, passage) | grants[passage] : held(i, passage));
    }
  }
  return arcs_there.none() ? Bits() : out;
}

Bits Weave::paths_of(const Bits& arcs_there, std::size_t dilemma) const {
  Bits out;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (arcs_there.has(i)) {
      out = out | arcs[i].paths;
    }
  }
  Bits own;
  for (const std::size_t path : dilemmas[dilemma].paths) {
    own.add(path);
  }
  return out & own;
}

Texts Weave::words(const Bits& set) const {
  Texts out;
  for (std::size_t i = 0; i < codewords.size(); ++i) {
    if (set.has(i)) {
      out.emplace_back(codewords[i]);
    }
  }
  return out;
}

std::vector<std::string_view> reference_order(const Graph& graph) {
  const std::vector<std::string_view> beats = graph.ids(NodeType::beat);
  std::map<std::string_view, std::size_t> waits;
  std::set<std::pair<std::int64_t, std::string_view>> ready;
  for (const std::string_view id : beats) {
    const std::size_t count = graph.out(id, EdgeKind::sequenced_after).size();
    waits.emplace(id, count);
    if (count == 0) {
      ready.emplace(graph.at(id).number(Field::position), id);
    }
  }
  std::vector<std::string_view> out;
  while (!ready.empty()) {
    const std::string_view id = ready.begin()->second;
    ready.erase(ready.begin());
    out.push_back(id);
    for (const std::string_view next : graph.in(id, EdgeKind::sequenced_after)) {
      if (--waits.find(next)->second == 0) {
        ready.emplace(graph.at(next).number(Field::position), next);
      }
    }
  }
  return out;
}

Weave weave(const Graph& graph) {
  Weave w;
  read_dilemmas(graph, w);
  w.beats = reference_order(graph);
  for (std::size_t i = 0; i < w.beats.size(); ++i) {
    w.beat_number.emplace(w.beats[i], i);
    Bits paths;
    for (const std::string_view path : graph.out(w.beats[i], EdgeKind::belongs_to)) {
      paths.add(number_of(w.paths, path));
    }
    w.beat_paths.push_back(paths);
  }
  std::vector<std::size_t> passage_of(w.beats.size(), Weave::npos);
  read_passages(graph, w, passage_of);
  read_arcs(graph, w, passage_of);
  return w;
}

}  // namespace plumb::story
