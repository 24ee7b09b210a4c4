// Arcs: the product of the dilemmas' paths, each with its beats in the one reference order, and where each leaves the
// spine and meets it again.
#include <algorithm>

#include "core/story/grow_parts.hpp"
#include "core/story/outline.hpp"
#include "core/story/weave.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t arcs_by_hard_max = 64;

// In a beat's arcs: of every dilemma of which it names paths, the arc takes one of them.
bool in_arc(const Weave& w, std::size_t beat, const Bits& arc_paths) {
  const Bits& named = w.beat_paths[beat];
  for (const WeaveDilemma& dilemma : w.dilemmas) {
    Bits own;
    for (const std::size_t path : dilemma.paths) {
      own.add(path);
    }
    const Bits of_this = named & own;
    if (!of_this.none() && (of_this & arc_paths).none()) {
      return false;
    }
  }
  return true;
}

struct Policy {
  std::string name = "flavor";
  std::int64_t budget = 0;
};

// An arc's policy is the strictest of the dilemmas in which it leaves the spine, its budget the largest (ADR-013).
Policy policy_of(const Graph& graph, const Weave& w, const WeaveArc& arc, const WeaveArc& spine) {
  Policy out;
  const auto rank = [](std::string_view name) { return name == "hard" ? 2 : name == "soft" ? 1 : 0; };
  for (const WeaveDilemma& dilemma : w.dilemmas) {
    const bool leaves = std::any_of(dilemma.paths.begin(), dilemma.paths.end(),
                                    [&](std::size_t path) { return arc.paths.has(path) && !spine.paths.has(path); });
    if (!leaves || dilemma.paths.size() < 2) {
      continue;
    }
    const Node& node = graph.at(dilemma.id);
    out.budget = std::max(out.budget, node.number(Field::payoff_budget));
    if (rank(node.text(Field::convergence_policy)) > rank(out.name)) {
      out.name = node.text(Field::convergence_policy);
    }
  }
  return out;
}

const WeaveArc* spine_of(const Weave& w) {
  for (const WeaveArc& arc : w.arcs) {
    if (arc.spine) {
      return &arc;
    }
  }
  return nullptr;
}

struct Meeting {
  std::size_t diverges = Weave::npos;   // index in the arc of the last beat before it leaves the spine
  std::size_t converges = Weave::npos;  // index in the arc of the beat where it meets it again
  std::int64_t exclusive = 0;           // beats of its own, in all
};

// hard: never; soft: the first shared beat after `budget` beats of its own; flavor: the first shared beat.
Meeting meeting(const WeaveArc& arc, const WeaveArc& spine, const Policy& policy) {
  Meeting out;
  std::size_t common = 0;
  while (common < arc.beats.size() && common < spine.beats.size() && arc.beats[common] == spine.beats[common]) {
    ++common;
  }
  if (common > 0) {
    out.diverges = common - 1;
  }
  std::int64_t own = 0;
  for (std::size_t i = common; i < arc.beats.size(); ++i) {
    const bool shared = std::find(spine.beats.begin(), spine.beats.end(), arc.beats[i]) != spine.beats.end();
    own += shared ? 0 : 1;
    const bool may = policy.name == "flavor" || (policy.name == "soft" && own >= policy.budget);
    if (shared && may && out.converges == Weave::npos) {
      out.converges = i;
    }
  }
  out.exclusive = own;
  return out;
}

}  // namespace

void validate_dag(Phase& phase) {
  const std::size_t all = phase.graph().ids(NodeType::beat).size();
  const std::size_t ordered = reference_order(phase.graph()).size();
  if (ordered < all) {
    phase.fail(std::to_string(all - ordered) + " beats wait for each other in a circle");
    return;
  }
  phase.tell(std::to_string(all) + " beats in order");
}

void enumerate_arcs(Phase& phase) {
  const Weave w = weave(phase.graph());
  std::size_t hard = 0;
  std::size_t arcs = 1;
  for (const WeaveDilemma& dilemma : w.dilemmas) {
    const bool branches = dilemma.paths.size() > 1;
    hard += branches && phase.graph().at(dilemma.id).text(Field::convergence_policy) == "hard" ? 1U : 0U;
    arcs *= branches ? 2 : 1;
    if (dilemma.paths.empty()) {
      phase.fail("the dilemma '" + std::string(raw(dilemma.id)) + "' has no path");
      return;
    }
    if ((std::size_t{1} << std::min<std::size_t>(hard, 20)) > arcs_by_hard_max || arcs > 128) {
      phase.fail("more arcs than can be kept apart: " + std::to_string(hard) + " hard dilemmas, " +
                 std::to_string(arcs) + " arcs so far");
      return;
    }
  }
  const StorySize& size = size_named(phase.graph().at("vision::vision").text(Field::size));
  if (arcs > std::size_t{4} * size.arcs_max) {
    phase.fail(std::to_string(arcs) + " arcs; a story of size '" + std::string(size.name) + "' has at most " +
               std::to_string(4 * size.arcs_max));
    return;
  }
  for (std::size_t number = 0; number < arcs; ++number) {
    Bits taken;
    Texts names;
    bool spine = true;
    std::size_t rest = number;
    for (const WeaveDilemma& dilemma : w.dilemmas) {
      const std::size_t which = dilemma.paths.size() > 1 ? rest % 2 : 0;
      rest /= dilemma.paths.size() > 1 ? 2 : 1;
      const std::size_t path = dilemma.paths[which];
      taken.add(path);
      names.emplace_back(raw(w.paths[path]));
      spine = spine && phase.graph().at(w.paths[path]).flag(Field::is_canonical);
    }
    std::sort(names.begin(), names.end());
    Texts sequence;
    for (std::size_t beat = 0; beat < w.beats.size(); ++beat) {
      if (in_arc(w, beat, taken)) {
        sequence.emplace_back(raw(w.beats[beat]));
        if (phase.graph().at(w.beats[beat]).flag(Field::is_ending)) {
          break;
        }
      }
    }
    if (sequence.empty()) {
      phase.fail("no beat belongs to the arc of " + some_of(names));
      return;
    }
    std::string id = "arc::";
    for (const std::string& name : names) {
      id += (id.back() == ':' ? "" : "+") + name;
    }
    phase.create(std::move(id),
                 {{Field::arc_type, std::string(spine ? "spine" : "branch")},
                  {Field::paths, names},
                  {Field::sequence, sequence}},
                 spine ? "the default answers" : "one path of each dilemma");
  }
  phase.tell(std::to_string(arcs) + " arcs");
}

void divergence(Phase& phase) {
  const Weave w = weave(phase.graph());
  const WeaveArc* spine = spine_of(w);
  if (spine == nullptr) {
    phase.fail("no arc has all default answers, so there is no spine");
    return;
  }
  for (const WeaveArc& arc : w.arcs) {
    const Meeting met = meeting(arc, *spine, {});
    if (!arc.spine && met.diverges != Weave::npos) {
      phase.add_edge(EdgeKind::diverges_at, arc.id, w.beats[arc.beats[met.diverges]],
                     "the last beat it shares with the spine at first");
    }
  }
}

void convergence(Phase& phase) {
  const Weave w = weave(phase.graph());
  const WeaveArc* spine = spine_of(w);
  PLUMB_REQUIRE(spine != nullptr, "divergence has seen to it that there is a spine");
  for (const WeaveArc& arc : w.arcs) {
    const Policy policy = policy_of(phase.graph(), w, arc, *spine);
    const Meeting met = meeting(arc, *spine, policy);
    Texts by_dilemma;
    for (const WeaveDilemma& dilemma : w.dilemmas) {
      const Node& node = phase.graph().at(dilemma.id);
      if (dilemma.paths.size() > 1) {
        by_dilemma.push_back(std::string(raw(dilemma.id)) + ":" + node.text(Field::convergence_policy) + ":" +
                             std::to_string(node.number(Field::payoff_budget)));
      }
    }
    phase.update(arc.id,
                 {{Field::convergence_policy, policy.name},
                  {Field::payoff_budget, policy.budget},
                  {Field::exclusive_beats, met.exclusive},
                  {Field::dilemma_convergences, by_dilemma.empty() ? FieldValue() : FieldValue(by_dilemma)}},
                 "the strictest policy and the largest budget of the dilemmas in which it leaves the spine");
    if (!arc.spine && met.converges != Weave::npos) {
      phase.add_edge(EdgeKind::converges_at, arc.id, w.beats[arc.beats[met.converges]],
                     "the first shared beat that its policy allows");
    }
  }
}

}  // namespace plumb::story
