// Settles an evaluation after its instance has closed and everything that it asked for is done.

#include "core/contract/engine/outcomes.hpp"

#include "core/contract/engine/engine.hpp"

namespace plumb::contract {

namespace {

void settle_group(Engine& engine, std::uint32_t owner, std::uint32_t group) {
  Group& g = engine.groups[group];
  Evaluation& e = engine.evaluations[owner];
  auto add_evaluated = [&](std::uint32_t number) {
    if (e.tracks) {
      extension_of(engine, engine.evaluations[owner]).evaluated.add(branch_of(engine, group, number).evaluated);
    }
  };
  switch (g.form) {
    case InPlaceForm::alternatives: {
      if (g.chosen != none32) {
        e.undecided = e.undecided || branch_of(engine, group, g.chosen).undecided;
      } else if (!g.decided && g.held == 0 && g.undecided > 0) {
        e.undecided = true;
      } else if (g.kw == Kw::one_of && !g.decided && g.held == 1) {
        e.undecided = e.undecided || g.undecided > 0;
        for (std::uint32_t b : g.branches) {
          if (engine.branches[b].held_true) {
            promote(engine, engine.branches[b]);
          }
        }
      }
      for (std::uint32_t i = 0; i < g.size(); ++i) {
        if (branch_of(engine, group, i).held_true) {
          add_evaluated(i);
        }
      }
      break;
    }
    case InPlaceForm::condition: {
      Branch& condition = branch_of(engine, group, 0);
      if (condition.held_true) {
        add_evaluated(0);
      }
      if (!g.decided && condition.undecided) {
        bool both = branch_of(engine, group, 1).held_true && branch_of(engine, group, 2).held_true;
        e.undecided = e.undecided || !both;
      } else if (g.decided) {
        std::uint32_t applies = g.active ? 1 : 2;
        add_evaluated(applies);
        e.undecided = e.undecided || branch_of(engine, group, applies).undecided;
      }
      break;
    }
    case InPlaceForm::dependent:
      if (g.active) {
        add_evaluated(0);
        e.undecided = e.undecided || branch_of(engine, group, 0).undecided;
      }
      break;
    default:
      break;
  }
}

}  // namespace

void close(Engine& engine, std::uint32_t index) {
  engine.evaluations[index].closed = true;
  if (engine.evaluations[index].pending == 0) {
    settle(engine, index);
  }
}

void wait(Engine& engine, std::uint32_t index) {
  engine.evaluations[index].site = make_site(engine, index);
  auto count = [&](std::uint32_t parent, std::uint32_t group) {
    std::uint32_t waiting = group != none32 ? engine.groups[group].owner : parent;
    if (waiting != none32) {
      ++engine.evaluations[waiting].pending;
    }
  };
  if (!engine.evaluations[index].counted) {
    engine.evaluations[index].counted = true;
    count(engine.evaluations[index].parent, engine.evaluations[index].group);
  }
  for (std::uint32_t e = engine.evaluations[index].more_edges; e != none32; e = engine.evaluations.edges[e].next) {
    if (!engine.evaluations.edges[e].counted) {
      engine.evaluations.edges[e].counted = true;
      count(engine.evaluations.edges[e].parent, engine.evaluations.edges[e].group);
    }
  }
}

void settle(Engine& engine, std::uint32_t index) {
  const Node& node = *engine.evaluations[index].node;
  if (engine.evaluations[index].extension != none32) {
    // By index: settling opens nothing new, but the pools may move.
    for (std::size_t i = 0; i < engine.extensions[engine.evaluations[index].extension].groups.size(); ++i) {
      settle_group(engine, index, engine.extensions[engine.evaluations[index].extension].groups[i]);
    }
  }
  if (node.array && node.array->contains && node.array->contains->node != nullptr &&
      engine.evaluations[index].seen != 0) {
    const ContainsPart& part = *node.array->contains;
    Evaluation& e = engine.evaluations[index];
    if (e.contained < part.min) {
      if (e.contained + e.contained_maybe < part.min) {
        bool by_min = part.has_min && e.contained > 0;
        std::uint32_t f = prepare(engine, index, by_min || part.min != 1 ? Kw::min_contains : Kw::contains,
                                  part.has_min ? part.min_at : part.position, 0);
        engine.found[f].finding.requirement = part.min == 1
                                                  ? "at least 1 item that matches"
                                                  : "at least " + std::to_string(part.min) + " items that match";
        engine.found[f].finding.provided = std::to_string(e.contained);
        engine.found[f].limit = std::to_string(part.min);
        engine.found[f].size = std::to_string(e.contained);
        engine.found[f].finding.finding_class = FindingClass::count;
        report(engine, f, engine.now);
      } else {
        e.undecided = true;
      }
    }
  }
  if (node.tracks) {
    extension_of(engine, engine.evaluations[index]);
    // unevaluatedItems and unevaluatedProperties judge what no schema has evaluated.
    std::vector<std::uint32_t> groups = engine.extensions[engine.evaluations[index].extension].groups;
    for (std::uint32_t g : groups) {
      Kw kw = engine.groups[g].kw;
      if (kw != Kw::unevaluated_items && kw != Kw::unevaluated_properties) {
        continue;
      }
      Branch& branch = branch_of(engine, g, 0);
      if (engine.extensions[engine.evaluations[index].extension].evaluated.has(engine.groups[g].index)) {
        discard(engine, branch);
        continue;
      }
      promote(engine, branch);
      if (branch.undecided) {
        engine.evaluations[index].undecided = true;
      }
      if (branch.broken) {
        break_evaluation(engine, index);
      }
    }
    bool array_all = node.array && node.array->unevaluated != nullptr;
    bool object_all = node.object && node.object->unevaluated != nullptr;
    if (array_all || object_all) {
      engine.extensions[engine.evaluations[index].extension].evaluated.all = true;
    }
  }
  if (node.extra && !node.extra->rules.empty()) {
    if (only_asks(engine, index)) {
      engine.findings.asks = &node;
    } else {
      settle_rules(engine, index);
    }
  }
  // A copy, because telling the askers may settle and free the evaluation.
  Evaluation e = engine.evaluations[index];
  tell_asker(engine, e, e.parent, e.group, e.branch, e.counted);
  for (std::uint32_t edge = e.more_edges; edge != none32;) {
    Edge at = engine.evaluations.edges[edge];
    tell_asker(engine, e, at.parent, at.group, at.branch, at.counted);
    edge = at.next;
  }
  free_evaluation(engine, index);
}

}  // namespace plumb::contract
