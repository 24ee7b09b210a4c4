// Choices: where arcs go on from a passage, gated by what their readers hold and the others do not.
#include <algorithm>

#include "core/story/grow_parts.hpp"
#include "core/story/reader_words.hpp"
#include "core/story/weave.hpp"
#include "core/text/utf8.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t label_words_max = 7;
constexpr std::size_t label_characters_max = 60;

// What a reader of these arcs holds at `from` that not everybody there holds, but for what `to` itself grants: the
// branch's own codewords (ADR-013).
Bits own_codewords(const Weave& w, std::size_t from, std::size_t to, const Bits& arcs) {
  Bits goes_on;
  for (const auto& [step, on_it] : w.steps) {
    if (step.first == from) {
      goes_on = goes_on | on_it;
    }
  }
  return w.always(arcs, from, true) - w.always(goes_on, from, true) - w.grants[to];
}

Texts with(Texts a, const Texts& more) {
  a.insert(a.end(), more.begin(), more.end());
  std::sort(a.begin(), a.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  return a;
}

std::string only_host(const Graph& graph, std::string_view aside) {
  const std::string beat(raw(graph.only_out(aside, EdgeKind::at)));
  for (const std::string_view passage : graph.ids(NodeType::passage)) {
    const Node& node = graph.at(passage);
    const Texts& merged = node.texts(Field::merged_from);
    if (!node.flag(Field::is_synthetic) &&
        (node.text(Field::from_beat) == beat || std::find(merged.begin(), merged.end(), beat) != merged.end())) {
      return std::string(passage);
    }
  }
  return "";
}

// Asides of a kind by the passage that they stand at, in the author's order.
std::vector<std::pair<std::string, Texts>> asides_by_host(const Graph& graph, std::string_view kind) {
  std::vector<std::pair<std::int64_t, std::string>> ordered;
  for (const std::string_view aside : graph.ids(NodeType::aside)) {
    if (graph.at(aside).text(Field::kind) == kind) {
      ordered.emplace_back(graph.at(aside).number(Field::position), aside);
    }
  }
  std::sort(ordered.begin(), ordered.end());
  std::vector<std::pair<std::string, Texts>> out;
  for (const auto& [position, aside] : ordered) {
    const std::string host = only_host(graph, aside);
    if (host.empty()) {
      continue;
    }
    if (out.empty() || out.back().first != host) {
      out.emplace_back(host, Texts());
    }
    out.back().second.push_back(aside);
  }
  return out;
}

void add_choice(Phase& phase, const std::string& wanted, std::string_view from, std::string_view to, Fields fields,
                const std::string& why) {
  const std::string id = free_id(phase.graph(), wanted);
  phase.create(id, std::move(fields), why);
  phase.add_edge(EdgeKind::choice_from, id, from, why);
  phase.add_edge(EdgeKind::choice_to, id, to, why);
}

// A spoke: all that it offers is the way back.
bool comes_back(const Graph& graph, std::string_view passage) {
  const std::vector<std::string_view> ways = graph.in(passage, EdgeKind::choice_from);
  return !ways.empty() && std::all_of(ways.begin(), ways.end(),
                                      [&](std::string_view way) { return graph.at(way).flag(Field::is_return); });
}

std::string side_passage(Phase& phase, const std::string& name, const std::string& host, const std::string& aside) {
  const Graph& graph = phase.graph();
  const Node& from = graph.at(aside);
  std::string id = free_id(graph, "passage::" + name);
  const std::string& label = from.text(Field::label);
  phase.create(id,
               {{Field::summary, from.text(Field::summary)},
                {Field::from_beat, graph.at(host).text(Field::from_beat)},
                {Field::from_aside, std::string(raw(aside))},
                {Field::label, label.empty() ? FieldValue() : FieldValue(label)},
                {Field::is_synthetic, true}},
               "given beside the beat");
  return id;
}

// At most seven words and 60 characters of a text.
std::string first_words(const std::string& summary) {
  std::size_t end = 0, words = 0, characters = 0;
  for (std::size_t at = 0; at < summary.size(); ++at) {
    if (summary[at] == ' ' || summary[at] == '\n') {
      if (at > end) {
        end = at;
        ++words;
      }
      if (words == label_words_max) {
        break;
      }
    }
    characters += text::is_continuation(summary[at]) ? 0U : 1U;
    if (characters == label_characters_max && end > 0) {
      break;
    }
    if (at + 1 == summary.size() && characters <= label_characters_max) {
      return summary;
    }
  }
  return end == 0 ? summary : summary.substr(0, end) + "…";
}

WayWords words_of(const Graph& graph) { return way_words(graph.at("vision::vision").text(Field::language)); }

std::string label_of_aside(const Node& passage) {
  const std::string& label = passage.text(Field::label);
  return label.empty() ? first_words(passage.text(Field::summary)) : label;
}

// The answer that a step gives to the first dilemma that every other step from its passage answers otherwise. Empty if
// there is no such dilemma, or if its answer has no description.
std::string answer_given(const Graph& graph, const Weave& w, const std::pair<std::size_t, std::size_t>& step,
                         const Bits& arcs) {
  for (std::size_t dilemma = 0; dilemma < w.dilemmas.size(); ++dilemma) {
    const Bits own = w.paths_of(arcs, dilemma);
    bool alone = own.count() == 1;
    for (auto other = w.steps.lower_bound({step.first, 0}); alone && other != w.steps.end(); ++other) {
      if (other->first.first != step.first) {
        break;
      }
      alone = other->first == step || (w.paths_of(other->second, dilemma) & own).none();
    }
    for (const std::size_t path : w.dilemmas[dilemma].paths) {
      if (alone && own.has(path)) {
        return graph.at(graph.only_out(w.paths[path], EdgeKind::explores)).text(Field::description);
      }
    }
  }
  return "";
}

}  // namespace

std::string only_way_label(const Graph& graph, const std::string& own) {
  return own.empty() ? std::string(words_of(graph).go_on) : own;
}

std::string free_id(const Graph& graph, std::string wanted) {
  while (graph.find(wanted) != nullptr) {
    wanted += 'x';
  }
  return wanted;
}

void make_choices(Phase& phase) {
  const Graph& graph = phase.graph();
  const Weave w = weave(graph);
  std::size_t labels = 0, gated = 0, count = 0;
  std::map<std::size_t, std::size_t> ways;
  for (const auto& [step, arcs] : w.steps) {
    ++ways[step.first];
  }
  for (const auto& [step, arcs] : w.steps) {
    const std::string_view from = w.passages[step.first];
    const std::string_view to = w.passages[step.second];
    const Node& target = graph.at(to);
    const bool single = ways[step.first] == 1;
    Texts requires_words = single ? Texts() : w.words(own_codewords(w, step.first, step.second, arcs));
    requires_words =
        with(std::move(requires_words), graph.at("beat::" + target.text(Field::from_beat)).texts(Field::gates));
    gated += requires_words.empty() ? 0U : 1U;
    std::string label = target.text(Field::label);
    if (single) {
      label = only_way_label(graph, label);
    } else if (label.empty()) {
      label = answer_given(graph, w, step, arcs);
    }
    if (label.empty()) {
      label = first_words(target.text(Field::summary));
      ++labels;
    }
    add_choice(phase, "choice::" + std::string(raw(from)) + "__" + std::string(raw(to)), from, to,
               {{Field::label, label},
                {Field::requires_codewords, requires_words.empty() ? FieldValue() : FieldValue(requires_words)}},
               single ? "the only way on" : "arcs part here");
    ++count;
  }
  phase.left_out("labels of choices (each shows the next beat's first words)", labels);
  phase.tell(std::to_string(count) + " choices, " + std::to_string(gated) + " of them gated");
}

void fork_beats(Phase& phase) {
  const Graph& graph = phase.graph();
  std::size_t count = 0;
  for (const auto& [host, asides] : asides_by_host(graph, "fork")) {
    const auto before = graph.in(host, EdgeKind::choice_from);
    const Texts ways(before.begin(), before.end());
    std::size_t which = 0;
    for (const std::string& aside : asides) {
      const std::string name = "fork_" + std::string(raw(host)) + (which++ == 0 ? "_a" : "_b");
      const std::string passage = side_passage(phase, name, host, aside);
      add_choice(phase, "choice::" + std::string(raw(host)) + "__" + std::string(raw(passage)), host, passage,
                 {{Field::label, label_of_aside(graph.at(passage))}}, "one of two ways");
      for (const std::string& way : ways) {
        const Node& choice = graph.at(way);
        const std::string to(graph.only_out(way, EdgeKind::choice_to));
        const Texts& gate = choice.texts(Field::requires_codewords);
        add_choice(phase, "choice::" + std::string(raw(passage)) + "__" + std::string(raw(to)), passage, to,
                   {{Field::label, choice.text(Field::label)},
                    {Field::requires_codewords, gate.empty() ? FieldValue() : FieldValue(gate)}},
                   "the two ways meet");
      }
    }
    for (const std::string& way : ways) {
      phase.remove(way, "the two ways come between");
    }
    ++count;
  }
  phase.tell(std::to_string(count) + " forks");
}

void hub_spokes(Phase& phase) {
  const Graph& graph = phase.graph();
  std::size_t count = 0;
  for (const auto& [host, asides] : asides_by_host(graph, "spoke")) {
    std::size_t which = 0;
    for (const std::string& aside : asides) {
      const std::string name = "spoke_" + std::string(raw(host)) + "_" + std::to_string(which++);
      const std::string passage = side_passage(phase, name, host, aside);
      add_choice(phase, "choice::" + std::string(raw(host)) + "__" + std::string(raw(passage)), host, passage,
                 {{Field::label, label_of_aside(graph.at(passage))}}, "something to look at");
      add_choice(phase, "choice::" + std::string(raw(passage)) + "__return", passage, host,
                 {{Field::label, std::string(words_of(graph).go_back)}, {Field::is_return, true}}, "and back");
      ++count;
    }
  }
  phase.tell(std::to_string(count) + " spokes");
}

void mark_endings(Phase& phase) {
  const Graph& graph = phase.graph();
  std::size_t count = 0;
  for (const std::string_view passage : graph.ids(NodeType::passage)) {
    const std::vector<std::string_view> ways = graph.in(passage, EdgeKind::choice_from);
    const bool on = std::any_of(ways.begin(), ways.end(), [&](std::string_view way) {
      return !comes_back(graph, graph.only_out(way, EdgeKind::choice_to));
    });
    if (!on) {
      phase.update(passage, {{Field::is_ending, true}}, "nothing follows it");
      ++count;
    }
  }
  phase.tell(std::to_string(count) + " endings");
}

}  // namespace plumb::story
