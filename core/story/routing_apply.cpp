// Residue proposals, which change nothing, and the one phase that carries out the routing plan.
#include <algorithm>
#include <set>

#include "core/json/writer.hpp"
#include "core/story/grow_parts.hpp"
#include "core/story/routing.hpp"

namespace plumb::story {

namespace {

// Paths that the author wrote an aside of residue for.
std::set<std::string_view> spoken_paths(const Graph& graph) {
  std::set<std::string_view> out;
  for (const std::string_view aside : graph.ids(NodeType::aside)) {
    if (graph.at(aside).text(Field::kind) == "residue") {
      for (const std::string_view path : graph.out(aside, EdgeKind::when)) {
        out.insert(path);
      }
    }
  }
  return out;
}

// All operations at one passage, from the first layer to the last.
class Applying {
 public:
  Applying(Phase& phase, const Weave& w, const std::string& base) : phase_(phase), w_(w), base_(base) {}

  std::size_t apply(const std::vector<const RoutingOperation*>& layers) {
    std::vector<std::vector<std::pair<std::string, const RoutingVariant*>>> made;
    made.reserve(layers.size());
    for (const RoutingOperation* one : layers) {
      made.push_back(passages(*one));
    }
    const auto before = phase_.graph().in(base_, EdgeKind::choice_to);
    for (const std::string& choice : Texts(before.begin(), before.end())) {
      if (!phase_.graph().at(choice).flag(Field::is_return)) {
        route(choice, made, 0);
      }
    }
    // From a residue the reader goes on to what lies behind it: later residues, the ending's variants, the passage.
    for (std::size_t layer = 0; layer < made.size(); ++layer) {
      if (layers[layer]->kind == RoutingKind::ending_split) {
        continue;
      }
      for (const auto& [passage, variant] : made[layer]) {
        const std::string id =
            free_id(phase_.graph(), "choice::" + std::string(raw(passage)) + "__" + std::string(raw(base_)));
        // The way to a residue without a label of its own has shown the base's already.
        const bool shown = phase_.graph().at(passage).text(Field::label).empty();
        const std::string own = shown ? std::string() : phase_.graph().at(base_).text(Field::label);
        phase_.create(id, {{Field::label, only_way_label(phase_.graph(), own)}},
                      "what remains is told, and the story goes on");
        phase_.add_edge(EdgeKind::choice_from, id, passage, "what remains is told");
        phase_.add_edge(EdgeKind::choice_to, id, base_, "the shared passage");
        if (layer + 1 < made.size()) {
          route(id, made, layer + 1, &variant->arcs);
        }
      }
    }
    return clones_;
  }

 private:
  std::vector<std::pair<std::string, const RoutingVariant*>> passages(const RoutingOperation& operation) {
    const Graph& graph = phase_.graph();
    const bool ending = operation.kind == RoutingKind::ending_split;
    const std::string why = std::string(name_of(operation.kind)) + " before " + base_;
    std::vector<std::pair<std::string, const RoutingVariant*>> out;
    Texts names;
    for (const RoutingVariant& variant : operation.variants) {
      const std::string id = free_id(graph, variant.passage);
      const Node& base = graph.at(base_);
      const std::string aside = aside_for(graph, ending ? "ending" : "residue", base_, paths_of(variant));
      std::string summary = !aside.empty() ? graph.at(aside).text(Field::summary)
                            : ending
                                ? base.text(Field::summary)
                                : graph.at("consequence::" + std::string(raw(variant.path))).text(Field::description);
      const auto optional = [](std::string_view text) {
        return text.empty() ? FieldValue() : FieldValue(std::string(text));
      };
      const auto yes = [](bool flag) { return flag ? FieldValue(true) : FieldValue(); };
      phase_.create(id,
                    {{Field::summary, std::move(summary)},
                     {Field::from_beat, base.text(Field::from_beat)},
                     {Field::from_aside, optional(raw(aside))},
                     {Field::label, optional(aside.empty() ? std::string() : graph.at(aside).text(Field::label))},
                     {Field::location, optional(base.text(Field::location))},
                     {Field::is_synthetic, true},
                     {Field::is_ending, yes(ending)},
                     {Field::is_residue, yes(!ending)},
                     {Field::residue_for, optional(raw(variant.path))}},
                    why);
      for (const EdgeKind kind : {EdgeKind::grants, EdgeKind::appears}) {
        const auto all = graph.out(base_, kind);
        for (const std::string& to : ending ? Texts(all.begin(), all.end()) : Texts()) {
          phase_.add_edge(kind, id, to, why);
        }
      }
      names.emplace_back(raw(id));
      out.emplace_back(id, &variant);
    }
    const std::string base_raw(raw(base_));
    const std::size_t order = order_++;
    phase_.create(free_id(graph, "routing_set::" + base_raw + "__" + std::to_string(order)),
                  {{Field::kind, std::string(name_of(operation.kind))},
                   {Field::base, base_raw},
                   {Field::dilemmas, operation.dilemmas},
                   {Field::scope, std::string(name_of(operation.scope))},
                   {Field::exhaustive, operation.exhaustive},
                   {Field::variants, names},
                   {Field::requires_codewords, gates_of(operation)},
                   {Field::order, static_cast<std::int64_t>(order)}},
                  why);
    if (ending) {
      phase_.update(base_, {{Field::is_ending, FieldValue()}}, "its variants end the story; it stays as the fallback");
    }
    return out;
  }

  // Of each variant, its codewords with blanks between: what validation asks arcs for.
  static Texts gates_of(const RoutingOperation& operation) {
    Texts out;
    for (const RoutingVariant& variant : operation.variants) {
      out.emplace_back();
      for (const std::string& word : variant.requires_words) {
        out.back() += (out.back().empty() ? "" : " ") + word;
      }
    }
    return out;
  }

  Texts paths_of(const RoutingVariant& variant) const {
    if (!variant.path.empty()) {
      return {variant.path};
    }
    Texts out;
    for (std::size_t path = 0; path < w_.paths.size(); ++path) {
      const std::size_t word = w_.codeword_of[path];
      if (word != Weave::npos && std::find(variant.requires_words.begin(), variant.requires_words.end(),
                                           w_.codewords[word]) != variant.requires_words.end()) {
        out.emplace_back(w_.paths[path]);
      }
    }
    return out;
  }

  // The arcs on which a reader comes by this choice; all of the passage where it stands beside the beats.
  Bits arcs_by(const std::string& choice) const {
    const std::string from(phase_.graph().only_out(choice, EdgeKind::choice_from));
    const auto host = w_.passage_number.find("passage::" + phase_.graph().at(from).text(Field::from_beat));
    const auto to = w_.passage_number.find(base_);
    if (host == w_.passage_number.end() || to == w_.passage_number.end()) {
      return {~std::uint64_t{0}, ~std::uint64_t{0}};
    }
    const auto step = w_.steps.find({host->second, to->second});
    return step == w_.steps.end() ? w_.through[to->second] : step->second;
  }

  // Clones the choice for each variant of the layers from `first` that somebody on it can match; the choice itself is
  // the fallback behind them.
  void route(const std::string& choice,
             const std::vector<std::vector<std::pair<std::string, const RoutingVariant*>>>& layers, std::size_t first,
             const Bits* arcs_given = nullptr) {
    const Graph& graph = phase_.graph();
    const Bits arcs = arcs_given != nullptr ? *arcs_given : arcs_by(choice);
    const std::string from(graph.only_out(choice, EdgeKind::choice_from));
    const std::string label = graph.at(choice).text(Field::label);
    const Texts gate = graph.at(choice).texts(Field::requires_codewords);
    const std::string base_raw(raw(base_));
    std::int64_t order = 0;
    for (std::size_t layer = first; layer < layers.size(); ++layer) {
      for (const auto& [passage, variant] : layers[layer]) {
        if ((variant->arcs & arcs).none()) {
          continue;
        }
        const std::string own = graph.at(passage).text(Field::label);
        Texts words = gate;
        words.insert(words.end(), variant->requires_words.begin(), variant->requires_words.end());
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
        const std::string id = free_id(
            graph, "choice::" + base_raw + "__route_" + std::string(raw(passage)) + "_" + std::to_string(clone_++));
        phase_.create(id,
                      {{Field::label, own.empty() ? label : own},
                       {Field::requires_codewords, words},
                       {Field::order, order++},
                       {Field::is_routing, true},
                       {Field::base, base_raw}},
                      "for those who hold " + some(words));
        phase_.add_edge(EdgeKind::choice_from, id, from, "a variant of " + choice);
        phase_.add_edge(EdgeKind::choice_to, id, passage, "a variant of " + base_);
        ++clones_;
      }
    }
    phase_.update(choice, {{Field::is_routing, true}, {Field::base, base_raw}, {Field::order, order}},
                  "the fallback of its variants");
  }

  static std::string some(const Texts& words) {
    std::string out;
    for (const std::string& one : words) {
      out += (out.empty() ? "" : ", ") + std::string(raw(one));
    }
    return out;
  }

  Phase& phase_;
  const Weave& w_;
  std::string base_;
  std::size_t order_ = 0, clone_ = 0, clones_ = 0;
};

}  // namespace

void propose_residue(Phase& phase) {
  const Graph& graph = phase.graph();
  const Weave w = weave(graph);
  const std::set<std::string_view> spoken = spoken_paths(graph);
  std::string text;
  json::Writer json(text);
  json.begin_array();
  std::size_t count = 0, silent = 0;
  for (std::size_t number = 0; number < w.dilemmas.size(); ++number) {
    const Node& dilemma = graph.at(w.dilemmas[number].id);
    if (is_heavy(dilemma)) {
      continue;  // has its residue in any case
    }
    for (const std::size_t passage : meetings(w, number)) {
      Texts paths;
      for (const std::size_t path : w.dilemmas[number].paths) {
        const std::string aside = aside_for(graph, "residue", w.passages[passage], {std::string(w.paths[path])});
        if (spoken.count(w.paths[path]) != 0 && !aside.empty()) {
          paths.emplace_back(w.paths[path]);
        }
      }
      silent += paths.empty() && dilemma.text(Field::residue_weight) == "light" ? 1U : 0U;
      if (!paths.empty()) {
        json.begin_object().member("passage", w.passages[passage]).member("dilemma", w.dilemmas[number].id);
        json.key("paths").begin_array();
        for (const std::string& path : paths) {
          json.string(path);
        }
        json.end_array().end_object();
        ++count;
      }
    }
  }
  json.end_array();
  phase.create("meta::residue_proposals", {{Field::value, text}}, "what the outline says remains of light dilemmas");
  phase.left_out("residue for light dilemmas", silent);
  phase.tell(std::to_string(count) + " proposals");
}

void apply_routing(Phase& phase) {
  const RoutingPlan plan = compute_routing_plan(phase.graph());
  const Weave w = weave(phase.graph());
  std::size_t clones = 0, variants = 0;
  for (std::size_t i = 0; i < plan.operations.size();) {
    std::vector<const RoutingOperation*> layers;
    const std::string base = plan.operations[i].base;
    for (; i < plan.operations.size() && plan.operations[i].base == base; ++i) {
      layers.push_back(&plan.operations[i]);
      variants += plan.operations[i].variants.size();
    }
    clones += Applying(phase, w, base).apply(layers);
  }
  std::string text;
  json::Writer json(text);
  json.begin_object().member_uint("operations", plan.operations.size()).member_uint("variants", variants);
  json.member_uint("clones", clones).key("conflicts").begin_array();
  for (const RoutingConflict& one : plan.conflicts) {
    json.begin_object().member("base", one.base).member("dilemma", one.dilemma);
    json.member("winner", name_of(one.winner)).member("loser", name_of(one.loser));
    json.member("reason", "a dilemma has one routing at a passage: ending splits, then heavy residue, then proposals");
    json.end_object();
  }
  json.end_array().end_object();
  phase.create("meta::routing_applied", {{Field::value, text}}, "what was carried out of the plan, and what gave way");
  for (const std::string& warning : plan.warnings) {
    phase.warn(warning);
  }
  phase.tell(std::to_string(plan.operations.size()) + " routings with " + std::to_string(variants) + " variants");
}

}  // namespace plumb::story
