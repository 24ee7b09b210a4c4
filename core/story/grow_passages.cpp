// Passages from beats, codewords from consequences, and what is taken away at the end.
#include <algorithm>
#include <set>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/story/grow_parts.hpp"
#include "core/story/weave.hpp"

namespace plumb::story {

namespace {

constexpr std::string_view beat_runs = "meta::beat_runs";

// Beats beside which something stands: they are the last of their passage.
std::set<std::string_view> hosts(const Graph& graph) {
  std::set<std::string_view> out;
  for (const std::string_view aside : graph.ids(NodeType::aside)) {
    const std::string& kind = graph.at(aside).text(Field::kind);
    if (kind == "spoke" || kind == "fork") {
      out.insert(graph.only_out(aside, EdgeKind::at));
    }
  }
  return out;
}

// Whether what happens next may stand in the same passage: the author begins none there, and it is the same place.
bool flows(const Node& one, const Node& next) {
  const std::string& a = one.text(Field::location);
  const std::string& b = next.text(Field::location);
  return next.text(Field::label).empty() && (b.empty() || a == b);
}

std::string joined(std::string_view a, std::string_view b, std::string_view between) {
  return a.empty()   ? std::string(b)
         : b.empty() ? std::string(a)
                     : std::string(a) + std::string(between) + std::string(b);
}

struct Steps {
  std::vector<std::set<std::size_t>> next, before;
};

Steps beat_steps(const Weave& w) {
  Steps out{std::vector<std::set<std::size_t>>(w.beats.size()), std::vector<std::set<std::size_t>>(w.beats.size())};
  for (const WeaveArc& arc : w.arcs) {
    for (std::size_t i = 1; i < arc.beats.size(); ++i) {
      out.next[arc.beats[i - 1]].insert(arc.beats[i]);
      out.before[arc.beats[i]].insert(arc.beats[i - 1]);
    }
  }
  return out;
}

}  // namespace

void collapse_linear_beats(Phase& phase) {
  const Graph& graph = phase.graph();
  const Weave w = weave(graph);
  const Steps steps = beat_steps(w);
  const std::set<std::string_view> with_sides = hosts(graph);
  std::vector<std::size_t> lead(w.beats.size(), Weave::npos);
  std::string text;
  json::Writer json(text);
  std::size_t runs = 0, merged = 0;
  json.begin_object();
  for (std::size_t first = 0; first < w.beats.size(); ++first) {
    if (lead[first] != Weave::npos) {
      continue;
    }
    std::vector<std::size_t> run{first};
    for (std::size_t last = first;;) {
      if (steps.next[last].size() != 1 || with_sides.count(w.beats[last]) != 0) {
        break;
      }
      const std::size_t next = *steps.next[last].begin();
      const Node& node = graph.at(w.beats[next]);
      const bool ends = graph.at(w.beats[last]).flag(Field::is_ending);
      if (steps.before[next].size() != 1 || ends || !node.texts(Field::gates).empty() ||
          !flows(graph.at(w.beats[first]), node)) {
        break;
      }
      lead[next] = first;
      run.push_back(next);
      last = next;
    }
    if (run.size() > 1) {
      ++runs;
      merged += run.size() - 1;
      json.key(raw(w.beats[first])).begin_array();
      for (std::size_t i = 1; i < run.size(); ++i) {
        json.string(raw(w.beats[run[i]]));
      }
      json.end_array();
    }
  }
  json.end_object();
  phase.create(std::string(beat_runs), {{Field::value, text}},
               "beats that follow each other in every arc, at one place");
  phase.tell(std::to_string(merged) + " beats are in the passage of another, in " + std::to_string(runs) + " runs");
}

void make_passages(Phase& phase) {
  const Graph& graph = phase.graph();
  const Weave w = weave(graph);
  json::Arena arena;
  const Result<json::Value> runs = json::parse(graph.at(beat_runs).text(Field::value), arena);
  PLUMB_REQUIRE(static_cast<bool>(runs), "what a phase wrote can be read");
  std::set<std::string, std::less<>> merged;
  for (const json::Member& run : runs.value().object()) {
    for (const std::string& one : json::texts_of(runs.value(), run.key)) {
      merged.insert(one);
    }
  }
  std::set<std::size_t> reached, starts;
  for (const WeaveArc& arc : w.arcs) {
    reached.insert(arc.beats.begin(), arc.beats.end());
    starts.insert(arc.beats.front());
  }
  std::size_t count = 0;
  for (std::size_t beat = 0; beat < w.beats.size(); ++beat) {
    const std::string name(raw(w.beats[beat]));
    if (reached.count(beat) == 0 || merged.count(name) != 0) {
      continue;
    }
    const Node& node = graph.at(w.beats[beat]);
    const Texts more = json::texts_of(runs.value(), name);
    std::string summary = node.text(Field::summary);
    std::vector<std::string> beats{std::string(w.beats[beat])};
    for (const std::string& one : more) {
      beats.push_back("beat::" + one);
      summary = joined(summary, graph.at(beats.back()).text(Field::summary), " ");
    }
    const std::string id = "passage::" + name;
    const auto optional = [](const std::string& text) { return text.empty() ? FieldValue() : FieldValue(text); };
    phase.create(id,
                 {{Field::summary, summary},
                  {Field::from_beat, name},
                  {Field::merged_from, more.empty() ? FieldValue() : FieldValue(more)},
                  {Field::label, optional(node.text(Field::label))},
                  {Field::location, optional(node.text(Field::location))},
                  {Field::is_start, starts.count(beat) != 0 ? FieldValue(true) : FieldValue()}},
                 more.empty() ? "a beat" : "beats that follow each other");
    ++count;
    for (const std::string& one : beats) {
      for (const std::string_view entity : graph.out(one, EdgeKind::appears)) {
        if (!graph.has_edge(EdgeKind::appears, id, entity)) {
          phase.add_edge(EdgeKind::appears, id, entity, "it is in the beat");
        }
      }
    }
  }
  phase.tell(std::to_string(count) + " passages");
  if (reached.size() < w.beats.size()) {
    phase.warn(std::to_string(w.beats.size() - reached.size()) + " of " + std::to_string(w.beats.size()) +
               " beats are in no arc and have no passage");
  }
}

void make_codewords(Phase& phase) {
  const Graph& graph = phase.graph();
  for (const std::string_view consequence : graph.ids(NodeType::consequence)) {
    const std::string name(raw(consequence));
    const std::string id = "codeword::" + name + "_committed";
    const std::string& word = graph.at(consequence).text(Field::word);
    std::string shown = word;
    for (const char c : word.empty() ? name : std::string()) {
      shown += ascii::upper(c);
    }
    phase.create(id, {{Field::word, shown}}, "one a consequence");
    phase.add_edge(EdgeKind::tracks, id, consequence, "what it stands for");
  }
  std::size_t grants = 0;
  for (const std::string_view beat : graph.ids(NodeType::beat)) {
    for (const std::string_view dilemma : graph.out(beat, EdgeKind::commits)) {
      for (const std::string_view path : graph.out(beat, EdgeKind::belongs_to)) {
        const std::string_view answer = graph.only_out(path, EdgeKind::explores);
        if (!graph.has_edge(EdgeKind::has_answer, dilemma, answer)) {
          continue;
        }
        phase.add_edge(EdgeKind::grants, beat, "codeword::" + std::string(raw(path)) + "_committed",
                       "it commits to the path");
        ++grants;
      }
    }
  }
  for (const std::string_view passage : graph.ids(NodeType::passage)) {
    Texts beats = graph.at(passage).texts(Field::merged_from);
    beats.push_back(graph.at(passage).text(Field::from_beat));
    for (const std::string& beat : beats) {
      for (const std::string_view codeword : graph.out("beat::" + beat, EdgeKind::grants)) {
        if (!graph.has_edge(EdgeKind::grants, passage, codeword)) {
          phase.add_edge(EdgeKind::grants, passage, codeword, "a beat of it commits");
        }
      }
    }
  }
  const std::size_t paths = graph.ids(NodeType::path).size();
  phase.tell(std::to_string(graph.ids(NodeType::codeword).size()) + " codewords, granted by " + std::to_string(grants) +
             " beats");
  if (grants < paths) {
    phase.warn(std::to_string(grants) + " beats grant a codeword, and there are " + std::to_string(paths) + " paths");
  }
}

// Overlays are made with their entities; here is only looked whether what they wait for is there.
void check_overlays(Phase& phase) {
  std::size_t count = 0, void_words = 0;
  for (const std::string_view entity : phase.graph().ids(NodeType::entity)) {
    const std::string& text = phase.graph().at(entity).text(Field::overlays);
    if (text.empty()) {
      continue;
    }
    json::Arena arena;
    const Result<json::Value> overlays = json::parse(text, arena);
    PLUMB_REQUIRE(static_cast<bool>(overlays), "overlays are JSON");
    for (const json::Value& overlay : overlays.value().array()) {
      ++count;
      for (const std::string& word : json::texts_of(overlay, "when")) {
        void_words += phase.graph().find(word) == nullptr ? 1U : 0U;
      }
    }
  }
  phase.tell(std::to_string(count) + " overlays");
  if (void_words > 0) {
    phase.warn(std::to_string(void_words) + " codewords of " + std::to_string(count) + " overlays are granted nowhere");
  }
}

namespace {

struct Ways {
  std::vector<std::string> out, in;  // choices
};

Ways ways_of(const Graph& graph, std::string_view passage) {
  Ways ways;
  for (const std::string_view one : graph.in(passage, EdgeKind::choice_from)) {
    ways.out.emplace_back(one);
  }
  for (const std::string_view one : graph.in(passage, EdgeKind::choice_to)) {
    ways.in.emplace_back(one);
  }
  return ways;
}

bool plain(const Graph& graph, std::string_view passage) {
  const Node& node = graph.at(passage);
  return !node.flag(Field::is_residue) && !node.flag(Field::is_synthetic);
}

// The passage that alone follows `one` and follows it alone, in one place; empty where there is none.
std::string follower(const Graph& graph, const std::string& one) {
  const Ways ways = ways_of(graph, one);
  if (ways.out.size() != 1 || !plain(graph, one)) {
    return "";
  }
  const Node& choice = graph.at(ways.out[0]);
  std::string next(graph.only_out(ways.out[0], EdgeKind::choice_to));
  const bool free = !choice.flag(Field::is_routing) && !choice.flag(Field::is_return) &&
                    choice.texts(Field::requires_codewords).empty();
  if (!free || next == one || !plain(graph, next) || ways_of(graph, next).in.size() != 1 ||
      !flows(graph.at(one), graph.at(next))) {
    return "";
  }
  return next;
}

void merge(Phase& phase, const std::string& one, const std::string& next) {
  const Graph& graph = phase.graph();
  const std::string why = "the only passage behind " + std::string(raw(one)) + ", at the same place";
  phase.remove(ways_of(graph, one).out.front(), why);
  for (const std::string& choice : ways_of(graph, next).out) {
    phase.remove_edge(EdgeKind::choice_from, choice, next, why);
    phase.add_edge(EdgeKind::choice_from, choice, one, why);
  }
  for (const EdgeKind kind : {EdgeKind::grants, EdgeKind::appears}) {
    const auto all = graph.out(next, kind);
    for (const std::string& to : Texts(all.begin(), all.end())) {
      if (!graph.has_edge(kind, one, to)) {
        phase.add_edge(kind, one, to, why);
      }
    }
  }
  const Node& a = graph.at(one);
  const Node& b = graph.at(next);
  Texts beats = a.texts(Field::merged_from);
  beats.push_back(b.text(Field::from_beat));
  beats.insert(beats.end(), b.texts(Field::merged_from).begin(), b.texts(Field::merged_from).end());
  phase.update(one,
               {{Field::merged_from, beats},
                {Field::summary, joined(a.text(Field::summary), b.text(Field::summary), " ")},
                {Field::is_ending, b.flag(Field::is_ending) ? FieldValue(true) : FieldValue()}},
               why);
  phase.remove(next, why);
}

}  // namespace

void collapse_passages(Phase& phase) {
  std::size_t count = 0;
  const std::vector<std::string_view> all = phase.graph().ids(NodeType::passage);
  for (const std::string& one : Texts(all.begin(), all.end())) {
    while (phase.graph().find(one) != nullptr) {
      const std::string next = follower(phase.graph(), one);
      if (next.empty()) {
        break;
      }
      merge(phase, one, next);
      ++count;
    }
  }
  phase.tell(std::to_string(count) + " passages became part of the one before");
}

void prune(Phase& phase) {
  const Graph& graph = phase.graph();
  std::set<std::string, std::less<>> reached;
  std::vector<std::string> open;
  for (const std::string_view id : graph.ids(NodeType::passage)) {
    if (graph.at(id).flag(Field::is_start)) {
      reached.emplace(id);
      open.emplace_back(id);
    }
  }
  while (!open.empty()) {
    const std::string one = open.back();
    open.pop_back();
    for (const std::string& choice : ways_of(graph, one).out) {
      const std::string next(graph.only_out(choice, EdgeKind::choice_to));
      if (reached.insert(next).second) {
        open.push_back(next);
      }
    }
  }
  std::size_t count = 0;
  const std::vector<std::string_view> all = graph.ids(NodeType::passage);
  for (const std::string& one : Texts(all.begin(), all.end())) {
    if (reached.count(one) != 0) {
      continue;
    }
    const Ways ways = ways_of(graph, one);
    for (const std::vector<std::string>* choices : {&ways.out, &ways.in}) {
      for (const std::string& choice : *choices) {
        if (graph.find(choice) != nullptr) {
          phase.remove(choice, "it leads to or from a passage that nobody reaches");
        }
      }
    }
    phase.remove(one, "nobody reaches it");
    ++count;
  }
  phase.tell(std::to_string(count) + " passages that nobody reaches");
}

}  // namespace plumb::story
