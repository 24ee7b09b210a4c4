#include "core/story/validate.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/story/findings.hpp"
#include "core/story/routing.hpp"
#include "core/story/weave.hpp"

namespace plumb::story {

namespace {

using contract::FindingClass;
using contract::Severity;

struct Step {
  std::string_view choice, to;
};

struct Looking {
  const Graph& graph;
  Weave w;
  std::map<std::string_view, std::vector<Step>> ways;  // of each passage, all choices
  std::map<std::string_view, std::size_t> coming;      // choices to it that are no return
  std::set<std::string_view> reached;                  // from the start, gates not looked at
  std::string_view start;
  Findings out{"grow/validation"};
};

Looking look(const Graph& graph) {
  Looking l{graph, weave(graph), {}, {}, {}, {}};
  const std::vector<std::string_view> passages = graph.ids(NodeType::passage);
  for (const std::string_view passage : passages) {
    l.ways[passage];
    l.coming[passage];
    if (graph.at(passage).flag(Field::is_start) && l.start.empty()) {
      l.start = passage;
    }
  }
  for (const std::string_view choice : graph.ids(NodeType::choice)) {
    const std::string_view from = graph.only_out(choice, EdgeKind::choice_from);
    const std::string_view to = graph.only_out(choice, EdgeKind::choice_to);
    l.ways[from].push_back({choice, to});
    l.coming[to] += graph.at(choice).flag(Field::is_return) ? 0U : 1U;
  }
  std::vector<std::string_view> open;
  if (!l.start.empty()) {
    open.push_back(l.start);
    l.reached.insert(l.start);
  }
  while (!open.empty()) {
    const std::string_view one = open.back();
    open.pop_back();
    for (const Step& step : l.ways[one]) {
      if (l.reached.insert(step.to).second) {
        open.push_back(step.to);
      }
    }
  }
  return l;
}

std::string name(std::string_view id) { return "'" + authors_name(id) + "'"; }

void single_start(Looking& l) {
  std::vector<std::string> starts;
  for (const auto& [passage, count] : l.coming) {
    if (count == 0) {
      starts.push_back(name(passage));
    }
  }
  if (starts.size() != 1) {
    l.out
        .error("single_start", FindingClass::count, l.start,
               starts.empty()
                   ? "the story has no passage to begin with: each has a choice that leads to it"
                   : "the story begins at " + std::to_string(starts.size()) + " passages: " + some_of(starts))
        .requirement = "exactly one passage that no choice leads to";
  }
}

void all_passages_reachable(Looking& l) {
  for (const auto& [passage, ways] : l.ways) {
    if (l.reached.count(passage) == 0) {
      l.out.error("all_passages_reachable", FindingClass::meaning, passage,
                  "no choice from the start leads to the passage " + name(passage));
    }
  }
}

void all_endings_reachable(Looking& l) {
  std::size_t endings = 0, there = 0;
  for (const auto& [passage, ways] : l.ways) {
    if (l.graph.at(passage).flag(Field::is_ending)) {
      ++endings;
      there += l.reached.count(passage);
    }
  }
  if (there == 0) {
    l.out.error("all_endings_reachable", FindingClass::meaning, l.start,
                "none of " + std::to_string(endings) + " endings can be reached from the start");
  }
}

void spine_arc_exists(Looking& l) {
  const auto spines = std::count_if(l.w.arcs.begin(), l.w.arcs.end(), [](const WeaveArc& arc) { return arc.spine; });
  if (spines != 1) {
    l.out.error("spine_arc_exists", FindingClass::count, "",
                "there are " + std::to_string(spines) + " arcs of all default answers; there must be one");
  }
}

void dilemmas_resolved(Looking& l) {
  for (const WeaveDilemma& dilemma : l.w.dilemmas) {
    std::vector<std::string> open;
    for (std::size_t i = 0; i < l.w.arcs.size(); ++i) {
      const WeaveArc& arc = l.w.arcs[i];
      if (arc.passages.empty() || l.graph.at(l.w.beats[arc.beats.back()]).flag(Field::is_ending)) {
        continue;  // the author ends it there
      }
      const Bits held = arc.held.back() | l.w.grants[arc.passages.back()];
      const bool settled = std::any_of(dilemma.paths.begin(), dilemma.paths.end(), [&](std::size_t path) {
        return arc.paths.has(path) && l.w.codeword_of[path] != Weave::npos && held.has(l.w.codeword_of[path]);
      });
      if (!settled) {
        open.push_back(name(arc.id));
      }
    }
    if (!open.empty()) {
      l.out.error("dilemmas_resolved", FindingClass::meaning, dilemma.id,
                  "the dilemma " + name(dilemma.id) + " is never settled on the arcs " + some_of(open));
    }
  }
}

void gates(Looking& l) {
  for (const std::string_view id : l.graph.ids(NodeType::choice)) {
    const Node& choice = l.graph.at(id);
    std::vector<std::string> nowhere;
    std::map<std::string, std::vector<std::string>> by_dilemma;
    for (const std::string& word : choice.texts(Field::requires_codewords)) {
      const std::vector<std::string_view> granting =
          l.graph.find(word) == nullptr ? std::vector<std::string_view>() : l.graph.in(word, EdgeKind::grants);
      if (std::none_of(granting.begin(), granting.end(),
                       [&](std::string_view one) { return l.reached.count(one) != 0; })) {
        nowhere.push_back(name(word));
      }
      const std::string_view path = raw(word);
      by_dilemma[std::string(path.substr(0, path.find("__")))].push_back(name(word));
    }
    const std::string_view to = l.graph.only_out(id, EdgeKind::choice_to);
    const std::string way =
        "the way from " + name(l.graph.only_out(id, EdgeKind::choice_from)) + " to " + name(to) + " wants ";
    if (!nowhere.empty()) {
      l.out.error("gate_satisfiability", FindingClass::reference, to,
                  way + some_of(nowhere) + ", which no passage grants");
    }
    for (const auto& [dilemma, words] : by_dilemma) {
      if (words.size() > 1) {
        l.out.error("gate_co_satisfiability", FindingClass::meaning, to,
                    "Paradoxical gates: " + way + some_of(words) + ", and nobody can hold both");
      }
    }
  }
}

void passage_dag_cycles(Looking& l) {
  std::map<std::string_view, std::size_t> waits = l.coming;
  std::vector<std::string_view> ready;
  std::size_t done = 0;
  for (const auto& [passage, count] : waits) {
    if (count == 0) {
      ready.push_back(passage);
    }
  }
  while (!ready.empty()) {
    const std::string_view one = ready.back();
    ready.pop_back();
    ++done;
    for (const Step& step : l.ways[one]) {
      if (!l.graph.at(step.choice).flag(Field::is_return) && --waits[step.to] == 0) {
        ready.push_back(step.to);
      }
    }
  }
  if (done < waits.size()) {
    std::vector<std::string> left;
    for (const auto& [passage, count] : waits) {
      if (count > 0) {
        left.push_back(name(passage));
      }
    }
    l.out.error("passage_dag_cycles", FindingClass::meaning, "",
                "these passages lead to each other in a circle, or behind one: " + some_of(left));
  }
}

// Every arc through an ending set's base holds the codewords of exactly one variant; other sets have a fallback.
void routing_coverage(Looking& l) {
  for (const std::string_view id : l.graph.ids(NodeType::routing_set)) {
    const Node& set = l.graph.at(id);
    const std::string base = "passage::" + set.text(Field::base);
    const auto at = l.w.passage_number.find(base);
    if (at == l.w.passage_number.end()) {
      continue;
    }
    std::vector<Bits> wanted;
    for (const std::string& words : set.texts(Field::requires_codewords)) {
      Bits bits;
      for (std::size_t word = 0; word < l.w.codewords.size(); ++word) {
        if ((" " + words + " ").find(" " + std::string(l.w.codewords[word]) + " ") != std::string::npos) {
          bits.add(word);
        }
      }
      wanted.push_back(bits);
    }
    std::vector<std::string> none, several;
    for (std::size_t arc = 0; arc < l.w.arcs.size(); ++arc) {
      if (!l.w.through[at->second].has(arc)) {
        continue;
      }
      const Bits held = l.w.held(arc, at->second);
      const auto count = std::count_if(wanted.begin(), wanted.end(), [&](const Bits& one) { return one.within(held); });
      if (count != 1) {
        (count == 0 ? none : several).push_back(name(l.w.arcs[arc].id));
      }
    }
    const auto incoming = l.graph.in(base, EdgeKind::choice_to);
    const bool fallback = std::any_of(incoming.begin(), incoming.end(),
                                      [&](std::string_view one) { return l.graph.at(one).flag(Field::is_routing); });
    if (!none.empty() && (set.flag(Field::exhaustive) || !fallback)) {
      l.out.error(
          "routing_coverage_ce", FindingClass::count, base,
          "of the " + set.text(Field::kind) + " at " + name(base) + " nothing is for the arcs " + some_of(none));
    }
    if (!several.empty()) {
      l.out.warning(
          "routing_coverage_me", FindingClass::count, base,
          "of the " + set.text(Field::kind) + " at " + name(base) + " several are for the arcs " + some_of(several));
    }
  }
}

// What one arc says of a dilemma's policy: how many beats of its path alone come before it meets the other again.
struct Meeting {
  std::size_t exclusive = 0;
  std::string_view beat;  // where they meet, or empty
};

Meeting first_meeting(const Looking& l, const WeaveArc& arc, const WeaveDilemma& dilemma) {
  Bits own;
  for (const std::size_t path : dilemma.paths) {
    own.add(path);
  }
  Meeting out;
  for (const std::size_t beat : arc.beats) {
    const std::size_t count = (l.w.beat_paths[beat] & own).count();
    out.exclusive += count == 1 ? 1U : 0U;
    if (count > 1 && out.exclusive > 0) {
      out.beat = l.w.beats[beat];
      return out;
    }
  }
  return out;
}

// Where the branches of a dilemma meet though its policy does not let them, each beat once.
struct Breach {
  std::string_view dilemma;
  Meeting met;
  bool hard = false;
  std::size_t budget = 0;
};

std::vector<Breach> policy_breaches(const Looking& l) {
  std::vector<Breach> out;
  for (const WeaveDilemma& dilemma : l.w.dilemmas) {
    const Node& node = l.graph.at(dilemma.id);
    const std::string& policy = node.text(Field::convergence_policy);
    const auto budget = static_cast<std::size_t>(node.number(Field::payoff_budget));
    std::set<std::string_view> told;
    for (const WeaveArc& arc : l.w.arcs) {
      const Meeting met = first_meeting(l, arc, dilemma);
      const bool hard = policy == "hard";
      const bool breaks = hard || (policy == "soft" && met.exclusive < budget);
      if (dilemma.paths.size() >= 2 && !met.beat.empty() && breaks && told.insert(met.beat).second) {
        out.push_back({dilemma.id, met, hard, budget});
      }
    }
  }
  return out;
}

void convergence_policy_compliance(Looking& l) {
  for (const Breach& one : policy_breaches(l)) {
    const std::string_view beat = one.met.beat;
    if (one.hard) {
      l.out
          .error("convergence_policy_compliance", FindingClass::meaning, beat,
                 "the dilemma " + name(one.dilemma) + " is hard, and its branches meet at the beat " + name(beat))
          .requirement = "beats of one of its paths only, or of other dilemmas, once it has parted";
    } else {
      l.out.warning("convergence_policy_compliance", FindingClass::count, beat,
                    "the branches of " + name(one.dilemma) + " meet at " + name(beat) + " after " +
                        std::to_string(one.met.exclusive) + " beats of their own; its budget is " +
                        std::to_string(one.budget));
    }
  }
}

// (passage, dilemma) for which something was routed.
std::set<std::pair<std::string, std::string>> routed(const Graph& graph) {
  std::set<std::pair<std::string, std::string>> out;
  for (const std::string_view id : graph.ids(NodeType::routing_set)) {
    for (const std::string& dilemma : graph.at(id).texts(Field::dilemmas)) {
      out.emplace("passage::" + graph.at(id).text(Field::base), dilemma);
    }
  }
  return out;
}

void prose_neutrality(Looking& l) {
  const auto done = routed(l.graph);
  for (std::size_t i = 0; i < l.w.dilemmas.size(); ++i) {
    const WeaveDilemma& dilemma = l.w.dilemmas[i];
    const Node& node = l.graph.at(dilemma.id);
    const bool heavy = is_heavy(node);
    if (!heavy && node.text(Field::residue_weight) != "light") {
      continue;
    }
    for (const std::size_t passage : meetings(l.w, i)) {
      const std::string_view id = l.w.passages[passage];
      if (done.count({std::string(id), std::string(dilemma.id)}) != 0) {
        continue;
      }
      std::size_t known = 0;
      for (const std::size_t path : dilemma.paths) {
        Bits arcs;
        for (std::size_t arc = 0; arc < l.w.arcs.size(); ++arc) {
          if (l.w.through[passage].has(arc) && l.w.arcs[arc].paths.has(path)) {
            arcs.add(arc);
          }
        }
        const std::size_t word = l.w.codeword_of[path];
        known += !arcs.none() && word != Weave::npos && l.w.always(arcs, passage, false).has(word) ? 1U : 0U;
      }
      l.out.add("prose_neutrality", heavy && known > 1 ? Severity::error : Severity::warning, FindingClass::meaning, id,
                "branches of " + name(dilemma.id) + " meet at " + name(id) +
                    " and nothing recalls the way taken: its prose must read the same from each, and nobody has shown "
                    "that it does" +
                    (heavy && known < 2 ? " (the dilemma is not settled by then)" : ""));
    }
  }
}

void arc_divergence(Looking& l) {
  for (const WeaveArc& arc : l.w.arcs) {
    if (arc.spine || l.graph.at(arc.id).text(Field::convergence_policy) == "flavor") {
      continue;  // of a flavor no more is asked than overlays
    }
    const auto own = static_cast<std::size_t>(l.graph.at(arc.id).number(Field::exclusive_beats));
    const std::size_t shared = arc.beats.size() - own;
    if (own < 2 || shared * 10 >= arc.beats.size() * 9) {
      l.out.warning("arc_divergence", FindingClass::count, arc.id,
                    "the arc " + name(arc.id) + " has " + std::to_string(own) + " beats that the spine has not, of " +
                        std::to_string(arc.beats.size()));
    }
  }
}

void max_consecutive_linear(Looking& l) {
  const std::size_t most = std::max<std::size_t>(2, l.ways.size() / 20);
  const auto linear = [&](std::string_view one) { return l.ways[one].size() == 1 && l.coming[l.ways[one][0].to] == 1; };
  for (const auto& [passage, ways] : l.ways) {
    const auto incoming = l.graph.in(passage, EdgeKind::choice_to);
    const bool first = incoming.size() != 1 || !linear(l.graph.only_out(incoming[0], EdgeKind::choice_from));
    std::size_t length = 1;
    std::string_view one = passage;
    while (first && linear(one) && length <= l.ways.size()) {
      one = l.ways[one][0].to;
      ++length;
    }
    if (first && length > most) {
      l.out.warning("max_consecutive_linear", FindingClass::count, passage,
                    std::to_string(length) + " passages follow " + name(passage) + " without a choice; more than " +
                        std::to_string(most) + " read like none");
    }
  }
}

void codeword_gate_coverage(Looking& l) {
  std::set<std::string, std::less<>> used;
  for (const std::string_view choice : l.graph.ids(NodeType::choice)) {
    for (const std::string& word : l.graph.at(choice).texts(Field::requires_codewords)) {
      used.insert(word);
    }
  }
  for (const std::string_view entity : l.graph.ids(NodeType::entity)) {
    json::Arena arena;
    const std::string& text = l.graph.at(entity).text(Field::overlays);
    const Result<json::Value> overlays = json::parse(text.empty() ? "[]" : text, arena);
    for (const json::Value& overlay : overlays ? overlays.value().array() : std::span<const json::Value>()) {
      for (std::string& word : json::texts_of(overlay, "when")) {
        used.insert(std::move(word));
      }
    }
  }
  for (std::size_t i = 0; i < l.w.dilemmas.size(); ++i) {
    if (meetings(l.w, i).empty()) {
      continue;  // its branches never meet: there is nothing to remember
    }
    for (const std::size_t path : l.w.dilemmas[i].paths) {
      const std::size_t word = l.w.codeword_of[path];
      if (l.w.dilemmas[i].paths.size() > 1 && word != Weave::npos && used.count(l.w.codewords[word]) == 0) {
        l.out.warning("codeword_gate_coverage", FindingClass::meaning, l.w.codewords[word],
                      "nothing asks for the codeword of " + name(l.w.codewords[word]) +
                          ": the story does not remember the choice");
      }
    }
  }
}

// On every arc through a passage one of its choices is open, by what the arc's reader holds.
void forward_path_reachability(Looking& l) {
  for (std::size_t passage = 0; passage < l.w.passages.size(); ++passage) {
    const std::vector<Step>& ways = l.ways[l.w.passages[passage]];
    std::vector<std::string> shut;
    for (std::size_t arc = 0; arc < l.w.arcs.size() && !ways.empty(); ++arc) {
      if (!l.w.through[passage].has(arc)) {
        continue;
      }
      const Texts held = l.w.words(l.w.held(arc, passage) | l.w.grants[passage]);
      const bool open = std::any_of(ways.begin(), ways.end(), [&](const Step& step) {
        const Texts& gate = l.graph.at(step.choice).texts(Field::requires_codewords);
        return std::includes(held.begin(), held.end(), gate.begin(), gate.end());
      });
      if (!open) {
        shut.push_back(name(l.w.arcs[arc].id));
      }
    }
    if (!shut.empty()) {
      l.out.warning("forward_path_reachability", FindingClass::meaning, l.w.passages[passage],
                    "at " + name(l.w.passages[passage]) + " every choice is shut on the arcs " + some_of(shut));
    }
  }
}

void commits_timing(Looking& l) {
  for (const WeaveDilemma& dilemma : l.w.dilemmas) {
    for (const std::size_t path : dilemma.paths) {
      const auto arc =
          std::find_if(l.w.arcs.begin(), l.w.arcs.end(), [&](const WeaveArc& one) { return one.paths.has(path); });
      if (arc == l.w.arcs.end() || dilemma.paths.size() < 2) {
        continue;
      }
      const std::size_t beats = arc->beats.size();
      std::size_t commit = beats, touched = beats;
      for (std::size_t i = 0; i < beats && commit == beats; ++i) {
        const std::string_view beat = l.w.beats[arc->beats[i]];
        commit = l.graph.has_edge(EdgeKind::commits, beat, dilemma.id) ? i : commit;
        const bool of_it = l.graph.has_edge(EdgeKind::advances, beat, dilemma.id) ||
                           l.graph.has_edge(EdgeKind::reveals, beat, dilemma.id);
        touched = of_it && i < commit ? i : touched;
      }
      std::string why;
      if (commit == beats) {
        continue;
      }
      if (commit < std::max<std::size_t>(3, beats / 10)) {
        why = "at beat " + std::to_string(commit + 1) + " of " + std::to_string(beats) + ", before it could grow";
      } else if (touched == beats) {
        why = "without a beat before that advances or reveals it";
      } else if (commit * 10 >= beats * 8) {
        why = "at beat " + std::to_string(commit + 1) + " of " + std::to_string(beats) + ", when little can follow";
      } else if (commit - touched > std::max<std::size_t>(5, beats / 8)) {
        why = std::to_string(commit - touched) + " beats after it was last spoken of";
      }
      if (!why.empty()) {
        l.out.warning("commits_timing", FindingClass::meaning, l.w.paths[path],
                      "the path " + name(l.w.paths[path]) + " is committed to " + why);
      }
    }
  }
}

void ambiguous_labels(Looking& l) {
  for (const auto& [passage, ways] : l.ways) {
    std::map<std::string, std::set<std::string>> by_label;
    for (const Step& step : ways) {
      const Node& choice = l.graph.at(step.choice);
      const std::string& base = choice.text(Field::base);
      by_label[choice.text(Field::label)].insert(base.empty() ? std::string(raw(step.to)) : base);
    }
    for (const auto& [label, targets] : by_label) {
      if (targets.size() > 1) {
        l.out
            .warning("ambiguous_labels", FindingClass::inner, passage,
                     "at " + name(passage) + " " + std::to_string(targets.size()) + " choices read '" + label + "'")
            .requirement = "a `label` on the beats that they lead to";
      }
    }
  }
}

constexpr std::array<void (*)(Looking&), 16> rules = {single_start,
                                                      all_passages_reachable,
                                                      all_endings_reachable,
                                                      spine_arc_exists,
                                                      dilemmas_resolved,
                                                      gates,
                                                      passage_dag_cycles,
                                                      routing_coverage,
                                                      convergence_policy_compliance,
                                                      prose_neutrality,
                                                      arc_divergence,
                                                      max_consecutive_linear,
                                                      codeword_gate_coverage,
                                                      forward_path_reachability,
                                                      commits_timing,
                                                      ambiguous_labels};

}  // namespace

std::vector<contract::Finding> validate(const Graph& graph) {
  Looking l = look(graph);
  for (const auto rule : rules) {
    rule(l);
  }
  return std::move(l.out.all());
}

std::set<std::string_view> dilemmas_against_policy(const Graph& graph) {
  std::set<std::string_view> out;
  for (const Breach& one : policy_breaches(look(graph))) {
    out.insert(one.dilemma);
  }
  return out;
}

}  // namespace plumb::story
