// What follows when an evaluation is broken or settled: for its group, for its branch, and for who asked.

#include "core/contract/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

void Engine::break_asker(std::uint32_t parent, std::uint32_t group, std::uint32_t branch) {
  if (group != none32) {
    branch_broken(group, branch);
  } else if (parent != none32) {
    break_evaluation(parent);
  } else {
    root_broken_ = true;
  }
}

void Engine::break_evaluation(std::uint32_t index) {
  if (evaluations_[index].broken) {
    return;
  }
  evaluations_[index].broken = true;
  break_asker(evaluations_[index].parent, evaluations_[index].group, evaluations_[index].branch);
  for (std::uint32_t e = evaluations_[index].more_edges; e != none32; e = edges_[e].next) {
    break_asker(edges_[e].parent, edges_[e].group, edges_[e].branch);
  }
}

void Engine::branch_broken(std::uint32_t group, std::uint32_t number) {
  Branch& branch = branch_of(group, number);
  if (branch.broken) {
    return;
  }
  branch.broken = true;
  branch.broken_at = now_;
  Group& g = groups_[group];
  ++g.broken;
  switch (g.kw) {
    case Kw::any_of:
    case Kw::one_of:
      if (g.chosen == number) {
        break_evaluation(g.owner);
      } else if (g.chosen == none32 && g.broken == g.size() && !g.decided) {
        group_fails(group);
      }
      break;
    case Kw::if_:
      if (number == 0) {
        decide_if(group, false);
      } else if (branch.state == BranchState::promoted) {
        break_evaluation(g.owner);
      }
      break;
    case Kw::dependent_schemas:
      if (g.active) {
        break_evaluation(g.owner);
      }
      break;
    case Kw::unevaluated_items:
    case Kw::unevaluated_properties:
      if (branch.state == BranchState::promoted) {
        break_evaluation(g.owner);
      }
      break;
    case Kw::rules: {
      Evaluation& owner = evaluations_[g.owner];
      const Rule& rule = owner.node->extra->rules[g.rule];
      Extension& x = extension(owner);
      x.rules.resize(owner.node->extra->rules.size());
      ++x.rules[g.rule].broken;
      g.decided = true;
      std::uint32_t f = prepare(g.owner, Kw::rules, g.position, (std::uint64_t{rule.order} << 24U) | g.index);
      Found& found = found_[f];
      found.finding.rule = rule.id;
      found.finding.severity = rule.severity;
      found.finding.finding_class = FindingClass::meaning;
      found.finding.action = rule.action;
      found.finding.blocks = rule.blocks;
      found.finding.requirement = rule.title.empty() ? rule.id : rule.title;
      found.finding.schema_location += "/" + std::to_string(rule.order);
      found.rule_message = found.finding.requirement;
      // The check's own findings are the causes; the finding stands where the first of them does, and ends with it.
      if (!branch.found.empty()) {
        const Found& first = found_[branch.found.front()];
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
        ++found_[c].refs;
      }
      std::uint32_t owner_index = g.owner;
      bool breaks = rule.severity == Severity::error;
      report(f, now_, false);
      if (breaks) {
        break_evaluation(owner_index);
      }
      break;
    }
    default:
      break;
  }
}

// The condition of an `if` is known: the branch that applies counts from now on.
void Engine::decide_if(std::uint32_t group, bool holds) {
  Group& g = groups_[group];
  if (g.decided) {
    return;
  }
  g.decided = true;
  g.active = holds;
  Branch& then_branch = branch_of(group, 1);
  Branch& else_branch = branch_of(group, 2);
  Branch& applies = holds ? then_branch : else_branch;
  discard(holds ? else_branch : then_branch);
  promote(applies);
  if (applies.broken) {
    break_evaluation(g.owner);
  }
}

// All branches of anyOf or oneOf are broken: one finding, with the closest branch's findings as its causes.
void Engine::group_fails(std::uint32_t group) {
  Group& g = groups_[group];
  g.decided = true;
  std::uint32_t best = none32;
  auto near = [&](const Branch& b) {
    for (std::uint32_t f : b.found) {
      const Found& found = found_[f];
      if ((found.kw == Kw::type || found.kw == Kw::enum_ || found.kw == Kw::const_) &&
          found.depth == evaluations_[g.owner].depth) {
        return false;
      }
    }
    return true;
  };
  bool best_near = false;
  for (std::uint32_t b : g.branches) {
    bool n = near(branches_[b]);
    if (best == none32 || (n && !best_near) || (n == best_near && branches_[b].broken_at > branches_[best].broken_at)) {
      best = b;
      best_near = n;
    }
  }
  std::uint32_t f = prepare(g.owner, g.kw, g.position, 0);
  Found& found = found_[f];
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
    for (std::uint32_t c : branches_[best].found) {
      found.cause_found.push_back(c);
      ++found_[c].refs;
    }
  }
  for (std::uint32_t b : g.branches) {
    discard(branches_[b]);
  }
  report(f, now_);
}

// A property that tells branches apart has been read.
void Engine::discriminate(std::uint32_t owner, std::string_view key, Kind kind, std::string_view text, bool boolean) {
  if (evaluations_[owner].extension == none32) {
    return;
  }
  std::vector<std::uint32_t> groups = extensions_[evaluations_[owner].extension].groups;
  for (std::uint32_t gi : groups) {
    const InPlace* in = groups_[gi].in;
    if (in == nullptr || in->discriminator != key || groups_[gi].chosen != none32) {
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
      Group& g = groups_[gi];
      if (g.decided) {
        break;
      }
      g.chosen = i;
      std::uint32_t number = 0;
      bool is_broken = false;
      for (std::uint32_t b : g.branches) {
        if (number == i) {
          is_broken = branches_[b].broken;
          promote(branches_[b]);
        } else {
          discard(branches_[b]);
        }
        ++number;
      }
      if (is_broken) {
        break_evaluation(g.owner);
      }
      break;
    }
  }
}

void Engine::tell_asker(const Evaluation& child, std::uint32_t parent, std::uint32_t group, std::uint32_t number,
                        bool counted) {
  if (group != none32) {
    Group& g = groups_[group];
    Evaluation& owner = evaluations_[g.owner];
    Branch& branch = branch_of(group, number);
    if (owner.tracks && child.in_place && child.extension != none32 && !child.broken) {
      branch.evaluated.add(extensions_[child.extension].evaluated);
    }
    if (!child.broken && child.undecided) {
      branch.undecided = true;
      ++g.undecided;
    } else if (!child.broken) {
      branch.held_true = true;
      ++g.held;
    }
    switch (g.kw) {
      case Kw::any_of:
        if (branch.held_true && g.held == 1 && !g.decided) {
          g.decided = true;
          for (std::uint32_t b : g.branches) {
            if (branches_[b].state == BranchState::held && !branches_[b].held_true) {
              discard(branches_[b]);
            }
          }
          // What a branch that holds has to say (warnings, undecided rules) counts.
          promote(branch);
        } else if (branch.held_true) {
          promote(branch);
        }
        break;
      case Kw::one_of:
        if (g.held == 2 && branch.held_true && !g.decided) {
          g.decided = true;
          for (std::uint32_t b : g.branches) {
            if (branches_[b].state == BranchState::held) {
              discard(branches_[b]);
            }
          }
          std::uint32_t f = prepare(g.owner, Kw::one_of, g.position, 0);
          found_[f].finding.requirement = "exactly one of the alternatives";
          found_[f].size = "2";
          report(f, now_);
        }
        break;
      case Kw::not_:
        if (branch.held_true) {
          std::uint32_t f = prepare(g.owner, Kw::not_, g.position, 0);
          found_[f].finding.requirement = "not what `not` describes";
          report(f, now_);
        } else if (branch.undecided) {
          owner.undecided = true;
        }
        break;
      case Kw::if_:
        if (number == 0 && branch.held_true) {
          decide_if(group, true);
        }
        break;
      case Kw::contains:
        if (branch.held_true) {
          ++owner.contained;
          if (owner.tracks && owner.node->array->contains_evaluates) {
            extension(owner).evaluated.set(g.index);
          }
          const ContainsPart& part = *owner.node->array->contains;
          if (owner.contained == part.max + 1 && part.max != no_bound) {
            std::uint32_t f = prepare(g.owner, Kw::max_contains, part.max_at, 0);
            found_[f].finding.requirement = "at most " + std::to_string(part.max) + " items that match";
            found_[f].limit = std::to_string(part.max);
            found_[f].finding.finding_class = FindingClass::count;
            report(f, now_);
          }
        } else if (branch.undecided) {
          ++owner.contained_maybe;
        }
        break;
      case Kw::rules: {
        Extension& x = extension(owner);
        x.rules.resize(owner.node->extra->rules.size());
        if (branch.held_true) {
          ++x.rules[g.rule].held;
        } else if (branch.undecided) {
          ++x.rules[g.rule].undecided;
          if (!owner.node->extra->rules[g.rule].ask.empty()) {
            for (const std::uint32_t f : branch.found) {
              found_[f].asks_judge = true;  // who is asked needs no context
            }
          }
          promote(branch);
        }
        if (x.novelty.empty() && child.extension != none32) {
          x.novelty = extensions_[child.extension].novelty;
        }
        break;
      }
      default:
        break;
    }
  } else if (parent != none32) {
    Evaluation& asker = evaluations_[parent];
    if (child.undecided && !child.broken) {
      asker.undecided = true;
    }
    if (child.in_place && child.extension != none32) {
      // Also of one that is broken: its asker is broken too, and need not be told that nothing evaluated its members.
      if (asker.tracks) {
        extension(asker).evaluated.add(extensions_[child.extension].evaluated);
      }
      if (!extensions_[child.extension].novelty.empty()) {
        extension(asker).novelty = extensions_[child.extension].novelty;
      }
    } else if (child.extension != none32 && !extensions_[child.extension].novelty.empty()) {
      extension(asker).novelty = extensions_[child.extension].novelty;
    }
  }
  std::uint32_t waiting = group != none32 ? groups_[group].owner : parent;
  if (group != none32 && groups_[group].kw == Kw::contains) {
    free_group(group);
  }
  if (counted && waiting != none32) {
    Evaluation& asker = evaluations_[waiting];
    PLUMB_REQUIRE(asker.pending > 0, "an evaluation waits for those it has counted");
    if (--asker.pending == 0 && asker.closed) {
      settle(waiting);
    }
  }
}

void Engine::settle_group(std::uint32_t owner, std::uint32_t group) {
  Group& g = groups_[group];
  Evaluation& e = evaluations_[owner];
  auto add_evaluated = [&](std::uint32_t number) {
    if (e.tracks) {
      extension(evaluations_[owner]).evaluated.add(branch_of(group, number).evaluated);
    }
  };
  switch (g.kw) {
    case Kw::any_of:
    case Kw::one_of: {
      if (g.chosen != none32) {
        e.undecided = e.undecided || branch_of(group, g.chosen).undecided;
      } else if (!g.decided && g.held == 0 && g.undecided > 0) {
        e.undecided = true;
      } else if (g.kw == Kw::one_of && !g.decided && g.held == 1) {
        e.undecided = e.undecided || g.undecided > 0;
        for (std::uint32_t b : g.branches) {
          if (branches_[b].held_true) {
            promote(branches_[b]);
          }
        }
      }
      for (std::uint32_t i = 0; i < g.size(); ++i) {
        if (branch_of(group, i).held_true) {
          add_evaluated(i);
        }
      }
      break;
    }
    case Kw::if_: {
      Branch& condition = branch_of(group, 0);
      if (condition.held_true) {
        add_evaluated(0);
      }
      if (!g.decided && condition.undecided) {
        bool both = branch_of(group, 1).held_true && branch_of(group, 2).held_true;
        e.undecided = e.undecided || !both;
      } else if (g.decided) {
        std::uint32_t applies = g.active ? 1 : 2;
        add_evaluated(applies);
        e.undecided = e.undecided || branch_of(group, applies).undecided;
      }
      break;
    }
    case Kw::dependent_schemas:
      if (g.active) {
        add_evaluated(0);
        e.undecided = e.undecided || branch_of(group, 0).undecided;
      }
      break;
    default:
      break;
  }
}

void Engine::settle_rules(std::uint32_t index) {
  const ExtraPart& extra = *evaluations_[index].node->extra;
  Extension& x = extension(evaluations_[index]);
  x.rules.resize(extra.rules.size());
  for (std::size_t i = 0; i < extra.rules.size(); ++i) {
    const Rule& rule = extra.rules[i];
    Outcome outcome = Outcome::undecided;
    if (rule.check != nullptr) {
      outcome = x.rules[i].broken > 0      ? Outcome::broken
                : x.rules[i].undecided > 0 ? Outcome::undecided
                                           : Outcome::holds;
    }
    bool asks = outcome == Outcome::undecided && !rule.ask.empty();
    if (rule.check == nullptr || asks) {
      std::uint32_t f = new_found(Found::What::undecided);
      Found& u = found_[f];
      u.not_decided.rule = rule.id;
      u.not_decided.at = pointer_of(evaluations_[index].depth);
      u.not_decided.schema_location = evaluations_[index].node->location;
      u.not_decided.schema_location.append("/rules/").append(std::to_string(rule.order));
      u.not_decided.ask = rule.ask;
      u.not_decided.reason = "left to a judge";
      u.walk = walk_of(index);
      u.walk.push_back((std::uint64_t{rule.position} << 40U) | rule.order);
      u.refs = 1;
      add(evaluations_[index].sink, f);
      release(f);
    } else if (outcome == Outcome::undecided && rule.severity == Severity::error) {
      evaluations_[index].undecided = true;
    }
    std::uint32_t f = new_found(Found::What::score);
    Found& s = found_[f];
    s.score.id = rule.id;
    s.score.title = rule.title;
    s.score.at = pointer_of(evaluations_[index].depth);
    s.score.outcome = outcome;
    s.score.asks = asks || rule.check == nullptr;
    s.score.blocks = rule.blocks;
    s.score.action = rule.action;
    s.score.reason.clear();
    s.score.from = s.score.to = 0;
    s.not_decided.schema_location = evaluations_[index].node->location;
    s.not_decided.schema_location.append("/rules/").append(std::to_string(rule.order));
    if (rule.check != nullptr && outcome != Outcome::undecided) {
      place_line(evaluations_[index], s.score);
    }
    for (const Rule::Label& label : rule.labels) {
      if (!label.from_keyword.empty()) {
        if (label.context != none32) {
          add_context_label(label, s.labels);
        } else if (!x.novelty.empty()) {
          s.labels.emplace_back(label.name, x.novelty);
        }
        continue;
      }
      for (const auto& [name, text] : label.by_outcome) {
        if (name == outcome_name(outcome)) {
          s.labels.emplace_back(label.name, text);
        }
      }
    }
    s.walk = walk_of(index);
    s.walk.push_back((std::uint64_t{rule.position} << 40U) | rule.order);
    s.refs = 1;
    add(evaluations_[index].sink, f);
    release(f);
  }
}

// Whether it is the root's, and its rules are left to a judge whatever the text is.
bool Engine::only_asks(std::uint32_t index) const {
  const Evaluation& e = evaluations_[index];
  const std::vector<Rule>& rules = e.node->extra->rules;
  return e.parent == none32 && e.group == none32 && e.more_edges == none32 && e.fan == none32 && e.sink == 0 &&
         e.depth == 0 && std::all_of(rules.begin(), rules.end(), [](const Rule& rule) {
           return rule.check == nullptr && rule.labels.empty();
         });
}

void Engine::close(std::uint32_t index) {
  evaluations_[index].closed = true;
  if (evaluations_[index].pending == 0) {
    settle(index);
  }
}

// It waits for another place; so do its askers. What it will have to say is said about where it stands now.
void Engine::wait(std::uint32_t index) {
  evaluations_[index].site = make_site(index);
  auto count = [&](std::uint32_t parent, std::uint32_t group) {
    std::uint32_t waiting = group != none32 ? groups_[group].owner : parent;
    if (waiting != none32) {
      ++evaluations_[waiting].pending;
    }
  };
  if (!evaluations_[index].counted) {
    evaluations_[index].counted = true;
    count(evaluations_[index].parent, evaluations_[index].group);
  }
  for (std::uint32_t e = evaluations_[index].more_edges; e != none32; e = edges_[e].next) {
    if (!edges_[e].counted) {
      edges_[e].counted = true;
      count(edges_[e].parent, edges_[e].group);
    }
  }
}

// All that this evaluation asked for is done.
void Engine::settle(std::uint32_t index) {
  const Node& node = *evaluations_[index].node;
  if (evaluations_[index].extension != none32) {
    // By index: settling may open nothing new, but the pools may move.
    for (std::size_t i = 0; i < extensions_[evaluations_[index].extension].groups.size(); ++i) {
      settle_group(index, extensions_[evaluations_[index].extension].groups[i]);
    }
  }
  if (node.array && node.array->contains && node.array->contains->node != nullptr && evaluations_[index].seen != 0) {
    const ContainsPart& part = *node.array->contains;
    Evaluation& e = evaluations_[index];
    if (e.contained < part.min) {
      if (e.contained + e.contained_maybe < part.min) {
        bool by_min = part.has_min && e.contained > 0;
        std::uint32_t f = prepare(index, by_min || part.min != 1 ? Kw::min_contains : Kw::contains,
                                  part.has_min ? part.min_at : part.position, 0);
        found_[f].finding.requirement = part.min == 1 ? "at least 1 item that matches"
                                                      : "at least " + std::to_string(part.min) + " items that match";
        found_[f].finding.provided = std::to_string(e.contained);
        found_[f].limit = std::to_string(part.min);
        found_[f].size = std::to_string(e.contained);
        found_[f].finding.finding_class = FindingClass::count;
        report(f, now_);
      } else {
        e.undecided = true;
      }
    }
  }
  if (node.tracks) {
    extension(evaluations_[index]);
    // What nothing has evaluated is judged by unevaluatedItems or unevaluatedProperties.
    std::vector<std::uint32_t> groups = extensions_[evaluations_[index].extension].groups;
    for (std::uint32_t g : groups) {
      Kw kw = groups_[g].kw;
      if (kw != Kw::unevaluated_items && kw != Kw::unevaluated_properties) {
        continue;
      }
      Branch& branch = branch_of(g, 0);
      if (extensions_[evaluations_[index].extension].evaluated.has(groups_[g].index)) {
        discard(branch);
        continue;
      }
      promote(branch);
      if (branch.undecided) {
        evaluations_[index].undecided = true;
      }
      if (branch.broken) {
        break_evaluation(index);
      }
    }
    bool array_all = node.array && node.array->unevaluated != nullptr;
    bool object_all = node.object && node.object->unevaluated != nullptr;
    if (array_all || object_all) {
      extensions_[evaluations_[index].extension].evaluated.all = true;
    }
  }
  if (node.extra && !node.extra->rules.empty()) {
    if (only_asks(index)) {
      asks_ = &node;
    } else {
      settle_rules(index);
    }
  }
  // The askers, by value: telling them may settle and free them.
  Evaluation e = evaluations_[index];
  tell_asker(e, e.parent, e.group, e.branch, e.counted);
  for (std::uint32_t edge = e.more_edges; edge != none32;) {
    Edge at = edges_[edge];
    tell_asker(e, at.parent, at.group, at.branch, at.counted);
    edge = at.next;
  }
  free_evaluation(index);
}

}  // namespace plumb::contract
