#include "core/contract/engine/outcomes.hpp"

#include "core/contract/engine/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

// All branches of anyOf or oneOf are broken. Reports one finding, whose causes are the findings of the closest branch.
void group_fails(Engine& engine, std::uint32_t group) {
  Group& g = engine.groups[group];
  g.decided = true;
  std::uint32_t best = none32;
  auto near = [&](const Branch& b) {
    for (std::uint32_t f : b.found) {
      const Found& found = engine.found[f];
      if ((found.kw == Kw::type || found.kw == Kw::enum_ || found.kw == Kw::const_) &&
          found.depth == engine.evaluations[g.owner].depth) {
        return false;
      }
    }
    return true;
  };
  bool best_near = false;
  for (std::uint32_t b : g.branches) {
    bool n = near(engine.branches[b]);
    if (best == none32 || (n && !best_near) ||
        (n == best_near && engine.branches[b].broken_at > engine.branches[best].broken_at)) {
      best = b;
      best_near = n;
    }
  }
  std::uint32_t f = prepare(engine, g.owner, g.kw, g.position, 0);
  Found& found = engine.found[f];
  if (!g.in->discriminator.empty() && best != none32) {
    found.finding.requirement = "one of the alternatives that " + std::string(g.in->discriminator) + " names";
    for (const json::Value* v : g.in->discriminator_values) {
      found.finding.allowed.push_back(json::excerpt_json(json::value_text(*v), 200));
    }
  } else {
    found.finding.requirement =
        g.kw == Kw::any_of ? "at least one of the alternatives" : "exactly one of the alternatives";
  }
  found.size = "0";
  if (best != none32) {
    for (std::uint32_t c : engine.branches[best].found) {
      found.cause_found.push_back(c);
      ++engine.found[c].refs;
    }
  }
  for (std::uint32_t b : g.branches) {
    discard(engine, engine.branches[b]);
  }
  report(engine, f, engine.now);
}

// The condition of an `if` is decided. From now on the branch that applies counts.
void decide_if(Engine& engine, std::uint32_t group, bool holds) {
  Group& g = engine.groups[group];
  if (g.decided) {
    return;
  }
  g.decided = true;
  g.active = holds;
  Branch& then_branch = branch_of(engine, group, 1);
  Branch& else_branch = branch_of(engine, group, 2);
  Branch& applies = holds ? then_branch : else_branch;
  discard(engine, holds ? else_branch : then_branch);
  promote(engine, applies);
  if (applies.broken) {
    break_evaluation(engine, g.owner);
  }
}

// The check of a rule is broken at a place. Reports one finding, whose causes are the check's own findings.
void rule_broken(Engine& engine, Group& g, const Branch& branch) {
  Evaluation& owner = engine.evaluations[g.owner];
  const Rule& rule = owner.node->extra->rules[g.rule];
  Extension& x = extension_of(engine, owner);
  x.rules.resize(owner.node->extra->rules.size());
  ++x.rules[g.rule].broken;
  g.decided = true;
  std::uint32_t f = prepare(engine, g.owner, Kw::rules, g.position, (std::uint64_t{rule.order} << 24U) | g.index);
  Found& found = engine.found[f];
  found.finding.rule = rule.id;
  found.finding.severity = rule.severity;
  found.finding.finding_class = FindingClass::meaning;
  found.finding.action = rule.action;
  found.finding.blocks = rule.blocks;
  found.finding.requirement = rule.title.empty() ? rule.id : rule.title;
  found.finding.schema_location += "/" + std::to_string(rule.order);
  found.rule_message = found.finding.requirement;
  // The check's own findings are the causes. The finding is at the first of them, and ends with it.
  if (!branch.found.empty()) {
    const Found& first = engine.found[branch.found.front()];
    found.depth = first.depth;
    found.finding.at = first.finding.at;
    if (!first.open) {
      found.placed = true;
      found.finding.item = first.finding.item;
      found.finding.span = first.finding.span;
      found.whole_place = first.whole_place;
      found.end_place = first.end_place;
      found.kind = first.kind;
      found.size_number = first.size_number;
      found.value = first.value;
      found.has_value = true;
    }
  }
  for (std::uint32_t c : branch.found) {
    found.cause_found.push_back(c);
    ++engine.found[c].refs;
  }
  std::uint32_t owner_index = g.owner;
  bool breaks = rule.severity == Severity::error;
  report(engine, f, engine.now, false);
  if (breaks) {
    break_evaluation(engine, owner_index);
  }
}

void branch_broken(Engine& engine, std::uint32_t group, std::uint32_t number) {
  Branch& branch = branch_of(engine, group, number);
  if (branch.broken) {
    return;
  }
  branch.broken = true;
  branch.broken_at = engine.now;
  Group& g = engine.groups[group];
  ++g.broken;
  switch (g.form) {
    case InPlaceForm::alternatives:
      if (g.chosen == number) {
        break_evaluation(engine, g.owner);
      } else if (g.chosen == none32 && g.broken == g.size() && !g.decided) {
        group_fails(engine, group);
      }
      break;
    case InPlaceForm::condition:
      if (number == 0) {
        decide_if(engine, group, false);
      } else if (branch.state == BranchState::promoted) {
        break_evaluation(engine, g.owner);
      }
      break;
    case InPlaceForm::dependent:
      if (g.active) {
        break_evaluation(engine, g.owner);
      }
      break;
    case InPlaceForm::unevaluated:
      if (branch.state == BranchState::promoted) {
        break_evaluation(engine, g.owner);
      }
      break;
    case InPlaceForm::checked:
      rule_broken(engine, g, branch);
      break;
    default:
      break;
  }
}

void break_asker(Engine& engine, std::uint32_t parent, std::uint32_t group, std::uint32_t branch) {
  if (group != none32) {
    branch_broken(engine, group, branch);
  } else if (parent != none32) {
    break_evaluation(engine, parent);
  } else {
    engine.findings.root_broken = true;
  }
}

// `contains`: an item is done. If it holds, it may be one too many.
void item_tried(Engine& engine, const Group& g, const Branch& branch) {
  Evaluation& owner = engine.evaluations[g.owner];
  if (branch.held_true) {
    ++owner.contained;
    if (owner.tracks && owner.node->array->contains_evaluates) {
      extension_of(engine, owner).evaluated.set(g.index);
    }
    const ContainsPart& part = *owner.node->array->contains;
    if (owner.contained == part.max + 1 && part.max != no_bound) {
      std::uint32_t f = prepare(engine, g.owner, Kw::max_contains, part.max_at, 0);
      engine.found[f].finding.requirement = "at most " + std::to_string(part.max) + " items that match";
      engine.found[f].limit = std::to_string(part.max);
      engine.found[f].finding.finding_class = FindingClass::count;
      report(engine, f, engine.now);
    }
  } else if (branch.undecided) {
    ++owner.contained_maybe;
  }
}

// The check of a rule is done at a place, and is not broken.
void rule_tried(Engine& engine, const Group& g, Branch& branch, const Evaluation& child) {
  Evaluation& owner = engine.evaluations[g.owner];
  Extension& x = extension_of(engine, owner);
  x.rules.resize(owner.node->extra->rules.size());
  if (branch.held_true) {
    ++x.rules[g.rule].held;
  } else if (branch.undecided) {
    ++x.rules[g.rule].undecided;
    if (!owner.node->extra->rules[g.rule].ask.empty()) {
      for (const std::uint32_t f : branch.found) {
        engine.found[f].asks_judge = true;  // a question to a judge needs no context
      }
    }
    promote(engine, branch);
  }
  if (x.novelty.empty() && child.extension != none32) {
    x.novelty = engine.extensions[child.extension].novelty;
  }
}

void any_tried(Engine& engine, Group& g, Branch& branch) {
  if (branch.held_true && g.held == 1 && !g.decided) {
    g.decided = true;
    for (std::uint32_t b : g.branches) {
      if (engine.branches[b].state == BranchState::held && !engine.branches[b].held_true) {
        discard(engine, engine.branches[b]);
      }
    }
    // What a branch that holds has to say (warnings, undecided rules) counts.
    promote(engine, branch);
  } else if (branch.held_true) {
    promote(engine, branch);
  }
}

void one_tried(Engine& engine, Group& g, const Branch& branch) {
  if (g.held == 2 && branch.held_true && !g.decided) {
    g.decided = true;
    for (std::uint32_t b : g.branches) {
      if (engine.branches[b].state == BranchState::held) {
        discard(engine, engine.branches[b]);
      }
    }
    std::uint32_t f = prepare(engine, g.owner, Kw::one_of, g.position, 0);
    engine.found[f].finding.requirement = "exactly one of the alternatives";
    engine.found[f].size = "2";
    report(engine, f, engine.now);
  }
}

// A branch is done. Decides what follows for its group, by the form of its keyword.
void tell_group(Engine& engine, const Evaluation& child, std::uint32_t group, std::uint32_t number) {
  Group& g = engine.groups[group];
  Evaluation& owner = engine.evaluations[g.owner];
  Branch& branch = branch_of(engine, group, number);
  if (owner.tracks && child.in_place && child.extension != none32 && !child.broken) {
    branch.evaluated.add(engine.extensions[child.extension].evaluated);
  }
  if (!child.broken && child.undecided) {
    branch.undecided = true;
    ++g.undecided;
  } else if (!child.broken) {
    branch.held_true = true;
    ++g.held;
  }
  switch (g.form) {
    case InPlaceForm::alternatives:
      if (g.kw == Kw::any_of) {
        any_tried(engine, g, branch);
      } else {
        one_tried(engine, g, branch);
      }
      break;
    case InPlaceForm::negation:
      if (branch.held_true) {
        std::uint32_t f = prepare(engine, g.owner, Kw::not_, g.position, 0);
        engine.found[f].finding.requirement = "not what `not` describes";
        report(engine, f, engine.now);
      } else if (branch.undecided) {
        owner.undecided = true;
      }
      break;
    case InPlaceForm::condition:
      if (number == 0 && branch.held_true) {
        decide_if(engine, group, true);
      }
      break;
    case InPlaceForm::contained:
      item_tried(engine, g, branch);
      break;
    case InPlaceForm::checked:
      rule_tried(engine, g, branch, child);
      break;
    default:
      break;
  }
}

// An evaluation without alternatives is done.
void tell_parent(Engine& engine, const Evaluation& child, std::uint32_t parent) {
  Evaluation& asker = engine.evaluations[parent];
  if (child.undecided && !child.broken) {
    asker.undecided = true;
  }
  if (child.in_place && child.extension != none32) {
    // Also for a broken one. Its asker is broken too, and should not report that its members were not evaluated.
    if (asker.tracks) {
      extension_of(engine, asker).evaluated.add(engine.extensions[child.extension].evaluated);
    }
    if (!engine.extensions[child.extension].novelty.empty()) {
      extension_of(engine, asker).novelty = engine.extensions[child.extension].novelty;
    }
  } else if (child.extension != none32 && !engine.extensions[child.extension].novelty.empty()) {
    extension_of(engine, asker).novelty = engine.extensions[child.extension].novelty;
  }
}

}  // namespace

void break_evaluation(Engine& engine, std::uint32_t index) {
  if (engine.evaluations[index].broken) {
    return;
  }
  engine.evaluations[index].broken = true;
  break_asker(engine, engine.evaluations[index].parent, engine.evaluations[index].group,
              engine.evaluations[index].branch);
  for (std::uint32_t e = engine.evaluations[index].more_edges; e != none32; e = engine.evaluations.edges[e].next) {
    break_asker(engine, engine.evaluations.edges[e].parent, engine.evaluations.edges[e].group,
                engine.evaluations.edges[e].branch);
  }
}

void discriminate(Engine& engine, std::uint32_t owner, std::string_view key, Kind kind, std::string_view text,
                  bool boolean) {
  if (engine.evaluations[owner].extension == none32) {
    return;
  }
  std::vector<std::uint32_t> groups = engine.extensions[engine.evaluations[owner].extension].groups;
  for (std::uint32_t gi : groups) {
    const InPlace* in = engine.groups[gi].in;
    if (in == nullptr || in->discriminator != key || engine.groups[gi].chosen != none32) {
      continue;
    }
    for (std::uint32_t i = 0; i < in->discriminator_values.size(); ++i) {
      const json::Value& v = *in->discriminator_values[i];
      bool same = v.kind == kind && (kind == Kind::null || (kind == Kind::boolean && v.boolean == boolean) ||
                                     (kind == Kind::string && v.str() == text) ||
                                     (kind == Kind::number && json::numbers_equal(v.str(), text)));
      if (!same) {
        continue;
      }
      Group& g = engine.groups[gi];
      if (g.decided) {
        break;
      }
      g.chosen = i;
      std::uint32_t number = 0;
      bool is_broken = false;
      for (std::uint32_t b : g.branches) {
        if (number == i) {
          is_broken = engine.branches[b].broken;
          promote(engine, engine.branches[b]);
        } else {
          discard(engine, engine.branches[b]);
        }
        ++number;
      }
      if (is_broken) {
        break_evaluation(engine, g.owner);
      }
      break;
    }
  }
}

void tell_asker(Engine& engine, const Evaluation& child, std::uint32_t parent, std::uint32_t group,
                std::uint32_t number, bool counted) {
  if (group != none32) {
    tell_group(engine, child, group, number);
  } else if (parent != none32) {
    tell_parent(engine, child, parent);
  }
  std::uint32_t waiting = group != none32 ? engine.groups[group].owner : parent;
  if (group != none32 && engine.groups[group].kw == Kw::contains) {
    free_group(engine, group);
  }
  if (counted && waiting != none32) {
    Evaluation& asker = engine.evaluations[waiting];
    PLUMB_REQUIRE(asker.pending > 0, "an evaluation waits for those it has counted");
    if (--asker.pending == 0 && asker.closed) {
      settle(engine, waiting);
    }
  }
}

}  // namespace plumb::contract
