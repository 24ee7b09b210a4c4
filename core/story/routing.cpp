#include "core/story/routing.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"

namespace plumb::story {

namespace {

constexpr std::array<std::string_view, 3> kinds = {"ending_split", "heavy_residue", "residue"};
constexpr std::array<std::string_view, 3> scopes = {"ending", "routing", "all"};

// (passage, dilemma) -> paths, as proposed.
using Proposals = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

Proposals proposals_of(const Graph& graph) {
  Proposals out;
  const Node* meta = graph.find("meta::residue_proposals");
  if (meta == nullptr) {
    return out;
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(meta->text(Field::value), arena);
  PLUMB_REQUIRE(static_cast<bool>(read), "proposals are JSON");
  for (const json::Value& one : read.value().array()) {
    std::set<std::string>& paths =
        out[{std::string(json::text_of(one, "passage")), std::string(json::text_of(one, "dilemma"))}];
    for (const std::string& path : json::texts_of(one, "paths")) {
      paths.insert(path);
    }
  }
  return out;
}

struct Planning {
  const Graph& graph;
  Weave w;
  RoutingPlan plan;
  std::set<std::pair<std::string, std::string>> taken;  // (passage, dilemma), with the kind that has it
  std::map<std::pair<std::string, std::string>, RoutingKind> winner;

  // Whether the dilemma at the passage is free; else the conflict is kept.
  bool take(const std::string& base, std::string_view dilemma, RoutingKind kind) {
    const auto [at, fresh] = winner.emplace(std::pair(base, std::string(dilemma)), kind);
    if (!fresh) {
      plan.conflicts.push_back({base, std::string(dilemma), at->second, kind});
    }
    return fresh;
  }
};

// An ending's signatures: what its arcs hold of the codewords in scope `ending`.
void split_endings(Planning& p) {
  const Bits scope = codewords_in(p.graph, p.w, CodewordScope::ending);
  for (std::size_t passage = 0; passage < p.w.passages.size(); ++passage) {
    const std::string base(p.w.passages[passage]);
    if (!p.graph.at(base).flag(Field::is_ending)) {
      continue;
    }
    std::vector<std::pair<Bits, Bits>> signatures;  // codewords, arcs
    Bits common = scope;
    for (std::size_t arc = 0; arc < p.w.arcs.size(); ++arc) {
      if (!p.w.through[passage].has(arc)) {
        continue;
      }
      const Bits held = p.w.held(arc, passage) & scope;
      common = common & held;
      const auto at =
          std::find_if(signatures.begin(), signatures.end(), [&](const auto& one) { return one.first == held; });
      if (at == signatures.end()) {
        signatures.emplace_back(held, Bits());
        signatures.back().second.add(arc);
      } else {
        at->second.add(arc);
      }
    }
    if (signatures.size() < 2) {
      continue;
    }
    // The most codewords first: the first that matches is the reader's.
    std::sort(signatures.begin(), signatures.end(), [](const auto& a, const auto& b) {
      return a.first.count() != b.first.count() ? a.first.count() > b.first.count() : b.first.before(a.first);
    });
    RoutingOperation operation;
    operation.kind = RoutingKind::ending_split;
    operation.base = base;
    operation.scope = CodewordScope::ending;
    operation.exhaustive = true;
    for (const auto& [held, arcs] : signatures) {
      if ((held - common).none()) {
        continue;  // it would be the base itself
      }
      operation.variants.push_back(
          {"passage::ending_" + std::string(raw(base)) + "_" + std::to_string(operation.variants.size()),
           p.w.words(held - common), "", arcs});
    }
    for (const WeaveDilemma& dilemma : p.w.dilemmas) {
      const bool parts = std::any_of(dilemma.paths.begin(), dilemma.paths.end(), [&](std::size_t path) {
        const std::size_t word = p.w.codeword_of[path];
        return word != Weave::npos && scope.has(word) && !common.has(word) &&
               std::any_of(signatures.begin(), signatures.end(), [&](const auto& one) { return one.first.has(word); });
      });
      if (parts) {
        operation.dilemmas.emplace_back(dilemma.id);
        p.take(base, dilemma.id, RoutingKind::ending_split);
      }
    }
    p.plan.operations.push_back(std::move(operation));
  }
}

// The paths of a dilemma whose readers are known at the passage by their codeword, with their arcs.
std::vector<std::pair<std::size_t, Bits>> known_paths(const Weave& w, std::size_t passage,
                                                      const WeaveDilemma& dilemma) {
  std::vector<std::pair<std::size_t, Bits>> out;
  for (const std::size_t path : dilemma.paths) {
    Bits arcs;
    for (std::size_t arc = 0; arc < w.arcs.size(); ++arc) {
      if (w.through[passage].has(arc) && w.arcs[arc].paths.has(path)) {
        arcs.add(arc);
      }
    }
    const std::size_t word = w.codeword_of[path];
    if (!arcs.none() && word != Weave::npos && w.always(arcs, passage, false).has(word)) {
      out.emplace_back(path, arcs);
    }
  }
  return out;
}

RoutingOperation residue_at(const Planning& p, std::size_t passage, const WeaveDilemma& dilemma, RoutingKind kind,
                            const std::vector<std::pair<std::size_t, Bits>>& paths) {
  RoutingOperation out;
  out.kind = kind;
  out.base = p.w.passages[passage];
  out.dilemmas = {std::string(dilemma.id)};
  out.scope = CodewordScope::routing;
  for (const auto& [path, arcs] : paths) {
    const std::string word(p.w.codewords[p.w.codeword_of[path]]);
    out.variants.push_back({"passage::" + std::string(raw(out.base)) +
                                (kind == RoutingKind::heavy_residue ? "__heavy_" : "__via_") + std::string(raw(word)),
                            {word},
                            std::string(p.w.paths[path]),
                            arcs});
  }
  return out;
}

void heavy_residue(Planning& p) {
  for (std::size_t number = 0; number < p.w.dilemmas.size(); ++number) {
    const WeaveDilemma& dilemma = p.w.dilemmas[number];
    if (dilemma.paths.size() < 2 || !is_heavy(p.graph.at(dilemma.id))) {
      continue;
    }
    for (const std::size_t passage : meetings(p.w, number)) {
      const auto paths = known_paths(p.w, passage, dilemma);
      if (paths.size() >= 2 && p.take(std::string(p.w.passages[passage]), dilemma.id, RoutingKind::heavy_residue)) {
        p.plan.operations.push_back(residue_at(p, passage, dilemma, RoutingKind::heavy_residue, paths));
      }
    }
  }
}

void proposed_residue(Planning& p) {
  for (const auto& [place, proposed] : proposals_of(p.graph)) {
    const auto at = p.w.passage_number.find(place.first);
    const auto dilemma = std::find_if(p.w.dilemmas.begin(), p.w.dilemmas.end(),
                                      [&place = place](const WeaveDilemma& one) { return one.id == place.second; });
    if (at == p.w.passage_number.end() || dilemma == p.w.dilemmas.end()) {
      continue;
    }
    auto paths = known_paths(p.w, at->second, *dilemma);
    paths.erase(std::remove_if(paths.begin(), paths.end(),
                               [&p, &proposed = proposed](const auto& one) {
                                 return proposed.count(std::string(p.w.paths[one.first])) == 0;
                               }),
                paths.end());
    if (!paths.empty() && p.take(place.first, place.second, RoutingKind::residue)) {
      p.plan.operations.push_back(residue_at(p, at->second, *dilemma, RoutingKind::residue, paths));
    }
  }
}

// ADR-018: what is empty though it was to be expected is told with both numbers.
void warn(Planning& p) {
  std::size_t heavy = 0, ending = 0, endings = 0;
  for (const RoutingOperation& one : p.plan.operations) {
    heavy += one.kind == RoutingKind::heavy_residue ? 1U : 0U;
    ending += one.kind == RoutingKind::ending_split ? 1U : 0U;
  }
  for (const std::string_view passage : p.w.passages) {
    endings += p.graph.at(passage).flag(Field::is_ending) ? 1U : 0U;
  }
  std::size_t met = 0;
  for (std::size_t i = 0; i < p.w.dilemmas.size(); ++i) {
    if (p.w.dilemmas[i].paths.size() > 1 && is_heavy(p.graph.at(p.w.dilemmas[i].id))) {
      met += meetings(p.w, i).size();
    }
  }
  if (heavy == 0 && p.plan.heavy_dilemmas > 0 && met > 0) {
    p.plan.warnings.push_back("0 heavy residues for " + std::to_string(p.plan.heavy_dilemmas) +
                              " heavy dilemmas, whose branches meet at " + std::to_string(met) + " passages");
  }
  if (ending == 0 && p.plan.high_dilemmas > 0 && endings < 2) {
    p.plan.warnings.push_back("0 ending splits for " + std::to_string(p.plan.high_dilemmas) +
                              " dilemmas of high salience, and " + std::to_string(endings) + " endings");
  }
}

}  // namespace

std::string_view name_of(RoutingKind kind) { return kinds[static_cast<std::size_t>(kind)]; }
std::string_view name_of(CodewordScope scope) { return scopes[static_cast<std::size_t>(scope)]; }

std::optional<RoutingKind> routing_kind_named(std::string_view name) {
  const auto at = std::find(kinds.begin(), kinds.end(), name);
  return at == kinds.end() ? std::nullopt : std::optional(static_cast<RoutingKind>(at - kinds.begin()));
}

std::optional<CodewordScope> scope_named(std::string_view name) {
  const auto at = std::find(scopes.begin(), scopes.end(), name);
  return at == scopes.end() ? std::nullopt : std::optional(static_cast<CodewordScope>(at - scopes.begin()));
}

bool is_high(const Node& dilemma) { return dilemma.text(Field::ending_salience) == "high"; }
bool is_heavy(const Node& dilemma) { return dilemma.text(Field::residue_weight) == "heavy" || is_high(dilemma); }

Bits codewords_in(const Graph& graph, const Weave& w, CodewordScope scope) {
  std::set<std::string> proposed;
  for (const auto& [place, paths] : proposals_of(graph)) {
    proposed.insert(place.second);
  }
  Bits out;
  for (const WeaveDilemma& dilemma : w.dilemmas) {
    const Node& node = graph.at(dilemma.id);
    const bool in =
        scope == CodewordScope::all || (scope == CodewordScope::ending && is_high(node)) ||
        (scope == CodewordScope::routing && (is_heavy(node) || proposed.count(std::string(dilemma.id)) != 0));
    for (const std::size_t path : dilemma.paths) {
      if (in && w.codeword_of[path] != Weave::npos) {
        out.add(w.codeword_of[path]);
      }
    }
  }
  return out;
}

std::vector<std::size_t> meetings(const Weave& w, std::size_t dilemma) {
  std::set<std::size_t> out;
  for (const auto& [step, arcs] : w.steps) {
    if (w.paths_of(w.through[step.first], dilemma).count() == 1 &&
        w.paths_of(w.through[step.second], dilemma).count() > 1) {
      out.insert(step.second);
    }
  }
  return {out.begin(), out.end()};
}

RoutingPlan compute_routing_plan(const Graph& graph) {
  Planning p{graph, weave(graph), {}, {}, {}};
  for (const WeaveDilemma& dilemma : p.w.dilemmas) {
    const Node& node = graph.at(dilemma.id);
    p.plan.heavy_dilemmas += dilemma.paths.size() > 1 && is_heavy(node) ? 1U : 0U;
    p.plan.high_dilemmas += dilemma.paths.size() > 1 && is_high(node) ? 1U : 0U;
  }
  split_endings(p);
  heavy_residue(p);
  proposed_residue(p);
  warn(p);
  // Layers before a passage: residues by dilemma, the ending's variants last.
  std::sort(p.plan.operations.begin(), p.plan.operations.end(),
            [](const RoutingOperation& a, const RoutingOperation& b) {
              const bool a_ends = a.kind == RoutingKind::ending_split;
              const bool b_ends = b.kind == RoutingKind::ending_split;
              return a.base != b.base ? a.base < b.base : a_ends != b_ends ? b_ends : a.dilemmas < b.dilemmas;
            });
  return std::move(p.plan);
}

std::string aside_for(const Graph& graph, std::string_view kind, std::string_view passage, const Texts& paths) {
  const Node& node = graph.at(passage);
  Texts beats = node.texts(Field::merged_from);
  beats.push_back(node.text(Field::from_beat));
  std::string anywhere;
  for (const std::string_view aside : graph.ids(NodeType::aside)) {
    const std::vector<std::string_view> when = graph.out(aside, EdgeKind::when);
    const bool all = std::all_of(when.begin(), when.end(), [&](std::string_view path) {
      return std::find(paths.begin(), paths.end(), path) != paths.end();
    });
    if (graph.at(aside).text(Field::kind) != kind || when.empty() || !all ||
        (kind == "ending" && when.size() < paths.size())) {
      continue;
    }
    const std::string at(raw(graph.only_out(aside, EdgeKind::at)));
    if (!at.empty() && std::find(beats.begin(), beats.end(), at) != beats.end()) {
      return std::string(aside);
    }
    if (at.empty() && anywhere.empty()) {
      anywhere = aside;
    }
  }
  return anywhere;
}

}  // namespace plumb::story
