// Places, evaluations and outcomes. See engine.hpp for the idea, engine_types.hpp for the data.
//
// The common case is an instance with one schema object and no applicator in place: then there is one evaluation a
// container and none a scalar. Everything else goes through begin_place(): it asks for the schemas wanted at the
// instance, closes over $ref, allOf, anyOf and the like, and runs each schema once however many references lead to it.

#include "core/contract/engine.hpp"

#include <algorithm>
#include <utility>

#include "core/json/equality.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

Engine::Engine(std::shared_ptr<const Program> program, const Node* root, const CheckOptions& options)
    : program_(std::move(program)),
      p_(*program_),
      root_(root),
      options_(options),
      scanner_(*this, options.limits.depth_max),
      seed_(options.hash_seed),
      inside_context_(root != p_.root) {
  if (!options.context.empty()) {
    context_text_.assign(options.context);
    Result<json::Value> parsed =
        json::parse(context_text_, context_arena_, {options.limits.depth_max, options.limits.bytes_max});
    if (parsed) {
      context_ = parsed.value();
      has_context_ = true;
      measure_context();
    } else {
      context_bad_ = true;
      context_error_ = parsed.error();
      context_error_.message = "the context is no JSON: " + context_error_.message;
    }
  }
  options_.context = {};
  start();
}

void Engine::start() {
  if (branches_.empty()) {
    branches_.emplace_back();
  }
  scopes_.resize(1);
  Wanted root;
  root.node = root_;
  root.kw = Kw::none;
  wanted_.clear();
  if (!root_->always) {
    wanted_.push_back(root);
  }
  next_readings_.clear();
}

void Engine::reset() {
  scanner_.reset(options_.limits.depth_max);
  // A pool that has stayed small is used again as it is; one that has grown gives its memory back.
  auto keep = [](auto& pool, auto& free, std::uint32_t first, auto clear) {
    constexpr std::size_t kept_max = 256;
    free.clear();
    if (pool.size() > kept_max) {
      pool.shrink(first);
    }
    for (std::size_t i = pool.size(); i-- > first;) {
      clear(pool[i]);
      free.push_back(static_cast<std::uint32_t>(i));
    }
  };
  auto clear_it = [](auto& entry) { entry.clear(); };
  auto leave = [](auto&) {};
  auto keep_list = [](auto& list, auto& free) {
    list.clear();
    free.clear();
  };
  keep_list(evaluations_, free_evaluations_);
  keep_list(edges_, free_edges_);
  keep_list(deferred_, free_deferred_);
  keep(extensions_, free_extensions_, 0, clear_it);
  keep(groups_, free_groups_, 0, leave);
  keep(branches_, free_branches_, 1, leave);
  keep(sets_, free_sets_, 0, clear_it);
  keep(found_, free_found_, 0, leave);
  keep_list(key_tables_, free_key_tables_);
  frames_.clear();
  place_.clear();
  readings_.clear();
  keys_.clear();
  key_bytes_.clear();
  values_.clear();
  value_arena_.clear();
  set_arena_.clear();
  recording_ = 0;
  sets_open_ = 0;
  token_ = Token();
  token_text_.clear();
  enum_runs_.clear();
  pattern_runs_.clear();
  touched_.clear();
  certain_.clear();
  completed_.clear();
  kept_.clear();
  others_.clear();
  more_by_rule_.clear();
  next_id_ = 1;
  root_broken_ = false;
  limit_reached_ = false;
  context_missing_ = false;
  stopped_ = false;
  positions_.reset();
  placed_frames_ = 0;
  item_begun_ = false;
  any_error_ = false;
  any_block_ = false;
  any_warning_ = false;
  size_stopped_ = false;
  repeated_ = 0;
  skipping_ = false;
  bytes_ = 0;
  chunk_start_ = 0;
  whole_ = false;
  now_ = 0;
  signals_.clear();
  degenerate_.reset();
  skim_open_.clear();
  start();
}

// ---------------------------------------------------------------- evaluations, groups and branches

std::uint32_t Engine::new_evaluation() {
  if (!free_evaluations_.empty()) {
    std::uint32_t i = free_evaluations_.back();
    free_evaluations_.pop_back();
    evaluations_[i] = Evaluation();
    return i;
  }
  evaluations_.emplace_back();
  return static_cast<std::uint32_t>(evaluations_.size() - 1);
}

void Engine::free_evaluation(std::uint32_t index) {
  Evaluation& e = evaluations_[index];
  if (e.extension != none32) {
    Extension& x = extensions_[e.extension];
    free_groups(x);
    for (std::uint32_t set : x.sets) {
      if (set != none32) {
        sets_[set].clear();
        free_sets_.push_back(set);
        if (--sets_open_ == 0) {
          set_arena_.clear();
        }
      }
    }
    x.clear();
    free_extensions_.push_back(e.extension);
    e.extension = none32;
  }
  if (e.site != none32) {
    release(e.site);
  }
  if (e.fan != none32) {
    branches_[e.fan].clear();
    free_branches_.push_back(e.fan);
  }
  for (std::uint32_t edge = evaluations_[index].more_edges; edge != none32;) {
    std::uint32_t next = edges_[edge].next;
    free_edges_.push_back(edge);
    edge = next;
  }
  evaluations_[index].node = nullptr;
  free_evaluations_.push_back(index);
}

Extension& Engine::extension(Evaluation& e) {
  if (e.extension == none32) {
    if (!free_extensions_.empty()) {
      e.extension = free_extensions_.back();
      free_extensions_.pop_back();
    } else {
      e.extension = static_cast<std::uint32_t>(extensions_.size());
      extensions_.emplace_back();
    }
  }
  return extensions_[e.extension];
}

std::uint32_t Engine::new_branch(std::uint32_t group, std::uint32_t parent_sink) {
  std::uint32_t i = 0;
  if (!free_branches_.empty()) {
    i = free_branches_.back();
    free_branches_.pop_back();
    branches_[i].clear();
  } else {
    i = static_cast<std::uint32_t>(branches_.size());
    branches_.emplace_back();
  }
  branches_[i].group = group;
  branches_[i].parent_sink = parent_sink;
  if (group != none32) {
    groups_[group].branches.push_back(i);
  }
  return i;
}

std::uint32_t Engine::new_group(Kw kw, std::uint32_t owner, const InPlace* in, Position position, std::uint32_t order) {
  std::uint32_t i = 0;
  if (!free_groups_.empty()) {
    i = free_groups_.back();
    free_groups_.pop_back();
    groups_[i].clear();
  } else {
    i = static_cast<std::uint32_t>(groups_.size());
    groups_.emplace_back();
  }
  Group& g = groups_[i];
  g.kw = kw;
  g.owner = owner;
  g.in = in;
  g.position = position;
  g.order = order;
  if (kw != Kw::contains) {  // those go as soon as they are told
    extension(evaluations_[owner]).groups.push_back(i);
  }
  return i;
}

void Engine::free_group(std::uint32_t group) {
  for (std::uint32_t b : groups_[group].branches) {
    if (branches_[b].state == BranchState::held) {
      discard(branches_[b]);
    }
    free_branches_.push_back(b);
  }
  free_groups_.push_back(group);
}

void Engine::free_groups(Extension& x) {
  for (std::uint32_t g : x.groups) {
    free_group(g);
  }
  x.groups.clear();
}

Branch& Engine::branch_of(std::uint32_t group, std::uint32_t number) {
  return branches_[groups_[group].branches[number]];
}

void Engine::promote(Branch& branch) {
  if (branch.state != BranchState::held) {
    return;
  }
  branch.state = BranchState::promoted;
  std::vector<std::uint32_t> held = std::move(branch.found);
  branch.found.clear();
  std::uint32_t parent = branch.parent_sink;
  for (std::uint32_t f : held) {
    found_[f].finding.decided_at = std::max(found_[f].finding.decided_at, now_);
    add(parent, f);
    release(f);
  }
}

void Engine::discard(Branch& branch) {
  branch.state = BranchState::discarded;
  std::vector<std::uint32_t> held = std::move(branch.found);
  branch.found.clear();
  for (std::uint32_t f : held) {
    release(f);
  }
}

// ---------------------------------------------------------------- outcomes

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
    settle_rules(index);
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

// ---------------------------------------------------------------- places

std::uint32_t Engine::enter_scope(std::uint32_t scope, std::uint32_t resource) {
  const std::vector<std::uint32_t>& chain = scopes_[scope].resources;
  if (std::find(chain.begin(), chain.end(), resource) != chain.end()) {
    return scope;  // only the outermost occurrence matters
  }
  std::vector<std::uint32_t> longer = chain;
  longer.push_back(resource);
  for (std::uint32_t i = 0; i < scopes_.size(); ++i) {
    if (scopes_[i].resources == longer) {
      return i;
    }
  }
  scopes_.push_back({std::move(longer)});
  return static_cast<std::uint32_t>(scopes_.size() - 1);
}

const Node* Engine::dynamic_target(const InPlace& in, std::uint32_t scope) const {
  for (std::uint32_t r : scopes_[scope].resources) {
    const Resource& resource = p_.resources[r];
    if (in.kw == Kw::recursive_ref) {
      if (resource.recursive_anchor && resource.root != nullptr) {
        return resource.root;
      }
      continue;
    }
    for (const auto& [name, node] : resource.dynamic_anchors) {
      if (name == in.anchor) {
        return node;
      }
    }
  }
  return in.node;
}

// Gives an evaluation another sink, with all that it has asked for at this place.
void Engine::retarget(std::uint32_t index, std::uint32_t old_sink, std::uint32_t new_sink, std::uint32_t place_from) {
  evaluations_[index].sink = new_sink;
  if (evaluations_[index].extension != none32) {
    for (std::uint32_t g : extensions_[evaluations_[index].extension].groups) {
      for (std::uint32_t b : groups_[g].branches) {
        if (branches_[b].parent_sink == old_sink) {
          branches_[b].parent_sink = new_sink;
        }
      }
    }
  }
  for (std::size_t i = place_from; i < place_.size(); ++i) {
    const Evaluation& e = evaluations_[place_[i]];
    if (e.parent == index && e.in_place && e.group == none32 && e.sink == old_sink) {
      retarget(place_[i], old_sink, new_sink, place_from);
    }
  }
}

std::uint32_t Engine::ask(const Wanted& w, std::uint32_t place_from) {
  std::uint32_t scope = p_.uses_dynamic_scope ? enter_scope(w.scope, w.node->resource) : 0;
  std::uint32_t waiting = w.group != none32 ? groups_[w.group].owner : w.parent;
  std::size_t size = place_.size() - place_from;
  constexpr std::size_t few = 24;
  std::size_t first = place_from;
  std::size_t last = place_.size();
  std::uint64_t identity = json::hash_combine(reinterpret_cast<std::uintptr_t>(w.node), scope);
  if (size >= few) {
    if (size == few) {
      place_index_.clear();
      for (std::size_t i = place_from; i < place_.size(); ++i) {
        const Evaluation& e = evaluations_[place_[i]];
        place_index_.emplace(json::hash_combine(reinterpret_cast<std::uintptr_t>(e.node), e.scope),
                             static_cast<std::uint32_t>(i));
      }
    }
    auto range = place_index_.equal_range(identity);
    first = last;
    for (auto it = range.first; it != range.second; ++it) {
      const Evaluation& e = evaluations_[place_[it->second]];
      if (e.node == w.node && e.scope == scope) {
        first = it->second;
        last = first + 1;
      }
    }
  }
  for (std::size_t i = first; i < last; ++i) {
    Evaluation& e = evaluations_[place_[i]];
    if (e.node != w.node || e.scope != scope) {
      continue;
    }
    // Known already: one more asker.
    Edge edge{w.parent, w.group, w.branch, e.more_edges, w.in_place};
    if (!free_edges_.empty()) {
      e.more_edges = free_edges_.back();
      free_edges_.pop_back();
      edges_[e.more_edges] = edge;
    } else {
      edges_.push_back(edge);
      e.more_edges = static_cast<std::uint32_t>(edges_.size() - 1);
    }
    if (w.in_place) {
      ++evaluations_[waiting].pending;
      e.in_place = true;
    }
    bool tracks = w.in_place && evaluations_[waiting].tracks;
    if (tracks && !e.tracks) {
      e.tracks = true;
      for (std::size_t j = place_from; j < place_.size(); ++j) {  // what it asked for follows
        if (evaluations_[place_[j]].in_place && evaluations_[place_[j]].parent != none32 &&
            evaluations_[evaluations_[place_[j]].parent].tracks) {
          evaluations_[place_[j]].tracks = true;
        }
      }
    }
    if (e.sink != w.sink && e.sink != 0) {
      std::uint32_t old = e.sink;
      std::uint32_t sink = 0;
      if (w.sink != 0) {
        sink = new_branch(none32, old);
        branches_[sink].fan = {old, w.sink};
        if (e.fan != none32) {  // one more asker of a sink that has several already
          branches_[e.fan].fan.push_back(w.sink);
          branches_[sink].fan.clear();
          free_branches_.push_back(sink);
          return place_[i];
        }
        evaluations_[place_[i]].fan = sink;
      }
      retarget(place_[i], old, sink, place_from);
    }
    return place_[i];
  }
  if (place_.size() - place_from >= options_.limits.evaluations_max) {
    if (!limit_reached_) {
      limit_found("More than " + std::to_string(options_.limits.evaluations_max) + " schemas are at work at one place",
                  pointer_of(depth()), now_, now_,
                  "at most " + std::to_string(options_.limits.evaluations_max) + " schemas at one place");
    }
    if (waiting != none32) {
      evaluations_[waiting].undecided = true;
    }
    return none32;
  }
  std::uint32_t index = new_evaluation();
  Evaluation& e = evaluations_[index];
  e.node = w.node;
  e.parent = w.parent;
  e.group = w.group;
  e.branch = w.branch;
  e.sink = w.sink;
  e.position = w.position;
  e.order = w.order;
  e.depth = depth();
  e.scope = scope;
  e.in_place = w.in_place;
  e.counted = w.in_place;
  e.tracks = w.node->tracks;
  if (w.in_place) {
    ++evaluations_[waiting].pending;
    e.tracks = e.tracks || evaluations_[waiting].tracks;
  }
  if (w.kw != Kw::none && w.node->never) {
    e.asked_by = w.kw;
  }
  if (size >= few) {
    place_index_.emplace(identity, static_cast<std::uint32_t>(place_.size()));
  }
  place_.push_back(index);
  return index;
}

void Engine::expand(std::uint32_t index, std::uint32_t place_from) {
  const Node& node = *evaluations_[index].node;
  auto ask_for = [&](const Node* target, const InPlace& in, std::uint32_t group, std::uint32_t branch,
                     std::uint32_t sink) {
    Wanted w;
    w.node = target;
    w.parent = index;
    w.kw = in.kw;
    w.position = in.position;
    w.order = in.order;
    w.group = group;
    w.branch = branch;
    w.sink = sink;
    w.scope = evaluations_[index].scope;
    w.in_place = true;
    return w;
  };
  for (const InPlace& in : node.in_place) {
    std::uint32_t sink = evaluations_[index].sink;
    switch (in.kw) {
      case Kw::dynamic_ref:
      case Kw::recursive_ref: {
        const Node* target = dynamic_target(in, evaluations_[index].scope);
        ask(ask_for(target, in, none32, 0, sink), place_from);
        break;
      }
      case Kw::any_of:
      case Kw::one_of: {
        std::uint32_t g = new_group(in.kw, index, &in, in.position, 0);
        for (std::uint32_t i = 0; i < in.branches.size(); ++i) {
          new_branch(g, sink);
        }
        for (std::uint32_t i = 0; i < in.branches.size(); ++i) {
          Wanted w = ask_for(in.branches[i], in, g, i, groups_[g].branches[i]);
          w.order = i;
          ask(w, place_from);
        }
        break;
      }
      case Kw::not_: {
        std::uint32_t g = new_group(Kw::not_, index, &in, in.position, 0);
        std::uint32_t b = new_branch(g, sink);
        branches_[b].state = BranchState::discarded;
        ask(ask_for(in.node, in, g, 0, b), place_from);
        break;
      }
      case Kw::if_: {
        std::uint32_t g = new_group(Kw::if_, index, &in, in.position, 0);
        std::uint32_t condition = new_branch(g, sink);
        std::uint32_t then_sink = new_branch(g, sink);
        std::uint32_t else_sink = new_branch(g, sink);
        branches_[condition].state = BranchState::discarded;
        ask(ask_for(in.node, in, g, 0, condition), place_from);
        if (in.then_node != nullptr) {
          Wanted w = ask_for(in.then_node, in, g, 1, then_sink);
          w.position = in.then_at;
          ask(w, place_from);
        }
        if (in.else_node != nullptr) {
          Wanted w = ask_for(in.else_node, in, g, 2, else_sink);
          w.position = in.else_at;
          ask(w, place_from);
        }
        break;
      }
      case Kw::dependent_schemas: {
        std::uint32_t g = new_group(Kw::dependent_schemas, index, &in, in.position, in.order);
        std::uint32_t b = new_branch(g, sink);
        ask(ask_for(in.node, in, g, 0, b), place_from);
        break;
      }
      default:
        ask(ask_for(in.node, in, none32, 0, sink), place_from);
        break;
    }
  }
  if (node.extra) {
    for (std::uint32_t i = 0; i < node.extra->rules.size(); ++i) {
      const Rule& rule = node.extra->rules[i];
      if (rule.check == nullptr || (rule.each && !p_.pointer_patterns[rule.each_pattern].tokens.empty())) {
        continue;
      }
      std::uint32_t g = new_group(Kw::rules, index, nullptr, rule.position, rule.order);
      groups_[g].rule = i;
      std::uint32_t b = new_branch(g, evaluations_[index].sink);
      InPlace in;
      in.kw = Kw::rules;
      in.position = rule.position;
      in.order = rule.order;
      ask(ask_for(rule.check, in, g, 0, b), place_from);
    }
    if (!node.extra->pointed.empty()) {
      context_schemas(index);
    }
  }
}

// Opens the evaluations wanted at the next instance. Returns where they begin in place_.
std::uint32_t Engine::begin_place() {
  std::uint32_t from = static_cast<std::uint32_t>(place_.size());
  if (wanted_.size() == 1) {
    const Wanted& w = wanted_.front();
    const Node& node = *w.node;
    if (w.group == none32 && node.plain && !p_.uses_dynamic_scope && !(node.extra && !node.extra->pointed.empty())) {
      // One schema object without applicators in place: the common case.
      std::uint32_t index = new_evaluation();
      Evaluation& e = evaluations_[index];
      e.node = w.node;
      e.parent = w.parent;
      e.sink = w.sink;
      e.position = w.position;
      e.order = w.order;
      e.depth = depth();
      e.tracks = node.tracks;
      if (node.never) {
        e.asked_by = w.kw;
      }
      place_.push_back(index);
      wanted_.clear();
      return from;
    }
    ask(w, from);
  } else {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      ask(wanted_[i], from);
    }
  }
  wanted_.clear();
  for (std::size_t i = from; i < place_.size(); ++i) {
    const Node& node = *evaluations_[place_[i]].node;
    if (!node.plain || (node.extra && !node.extra->pointed.empty())) {
      expand(place_[i], from);
    }
  }
  return from;
}

void Engine::end_place(std::uint32_t place_from) {
  std::size_t count = place_.size();
  if (count == place_from) {
    return;
  }
  if (count == place_from + 1) {
    Evaluation& e = evaluations_[place_.back()];
    if (e.node->settles_plainly && e.pending == 0 && !e.undecided && e.group == none32 && e.extension == none32 &&
        e.more_edges == none32 && !e.in_place && e.site == none32 && e.fan == none32) {
      // It has told what it had to tell.
      e.node = nullptr;
      free_evaluations_.push_back(place_.back());
      place_.pop_back();
      return;
    }
  }
  // Those asked for last first: most askers then find all that they have asked for done.
  for (std::size_t i = count; i-- > place_from;) {
    close(place_[i]);
  }
  for (std::size_t i = place_from; i < count; ++i) {
    if (evaluations_[place_[i]].node != nullptr && evaluations_[place_[i]].pending > 0) {
      wait(place_[i]);
    }
  }
  place_.resize(place_from);
}

// ---------------------------------------------------------------- containers

void Engine::readings_for_child(const Frame& frame) {
  next_readings_.clear();
  for (std::uint32_t i = frame.readings_from; i < frame.readings_to; ++i) {
    const Reading& reading = p_.readings[readings_[i].state];
    if (reading.star != none32) {
      next_readings_.push_back({reading.star, readings_[i].owner});
    }
    if (reading.children.empty()) {
      continue;
    }
    if (frame.kind == Kind::object) {
      std::string_view key = key_of(frame);
      for (const auto& [name, state] : reading.children) {
        if (name == key) {
          next_readings_.push_back({state, readings_[i].owner});
        }
      }
    } else {
      std::string index = std::to_string(frame.count - 1);
      for (const auto& [name, state] : reading.children) {
        if (name == index) {
          next_readings_.push_back({state, readings_[i].owner});
        }
      }
    }
  }
  for (const ReadingAt& at : next_readings_) {
    const Reading& reading = p_.readings[at.state];
    if (!reading.applies.empty()) {
      want_applied(reading, at.owner);
    }
  }
}

// `pointers`, and rules with `each`: schemas for a place that a pattern reaches.
void Engine::want_applied(const Reading& reading, std::uint32_t owner) {
  for (std::uint32_t a : reading.applies) {
    const PointedSchema& pointed = evaluations_[owner].node->extra->pointed[a];
    Wanted w;
    w.node = pointed.node;
    w.parent = owner;
    w.kw = pointed.kw;
    w.position = pointed.position;
    w.order = pointed.order;
    w.sink = evaluations_[owner].sink;
    w.scope = evaluations_[owner].scope;
    if (pointed.rule != none32) {
      std::uint32_t g = new_group(Kw::rules, owner, nullptr, pointed.position, pointed.order);
      groups_[g].rule = pointed.rule;
      groups_[g].index = static_cast<std::uint32_t>(extensions_[evaluations_[owner].extension].groups.size() - 1);
      w.group = g;
      w.branch = 0;
      w.sink = new_branch(g, evaluations_[owner].sink);
    }
    wanted_.push_back(w);
  }
}

void Engine::item_begin() {
  if (frames_.empty()) {
    return;
  }
  Frame& frame = frames_.back();
  if (frame.kind == Kind::object) {
    return;  // key() has done it
  }
  std::uint32_t i = frame.count++;
  wanted_.clear();
  next_readings_.clear();
  if (frame.simple_items && i < frame.items_room) {
    if (frame.item_node != nullptr) {
      const Evaluation& e = evaluations_[place_[frame.evaluations_from]];
      wanted_.emplace_back();
      Wanted& w = wanted_.back();
      w.node = frame.item_node;
      w.parent = place_[frame.evaluations_from];
      w.kw = e.node->array->items_kw;
      w.position = e.node->array->items_at;
      w.order = i;
      w.sink = e.sink;
      w.scope = e.scope;
    }
    if (frame.readings_from != frame.readings_to) {
      readings_for_child(frame);
    }
    return;
  }
  for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
    std::uint32_t index = place_[k];
    const Node& node = *evaluations_[index].node;
    if (!node.array) {
      continue;
    }
    const ArrayPart& a = *node.array;
    Wanted w;
    w.parent = index;
    w.scope = evaluations_[index].scope;
    w.sink = evaluations_[index].sink;
    if (i == a.max_items) {
      std::uint32_t f = prepare(index, Kw::max_items, a.max_items_at, 0);
      found_[f].finding.requirement =
          "at most " + std::to_string(a.max_items) + (a.max_items == 1 ? " item" : " items");
      found_[f].limit = std::to_string(a.max_items);
      found_[f].finding.finding_class = FindingClass::count;
      report(f, now_);
    }
    bool evaluated = false;
    if (i < a.prefix.size()) {
      w.node = a.prefix[i];
      w.kw = Kw::prefix_items;
      w.position = a.prefix_at;
      w.order = i;
      evaluated = true;
    } else if (a.items != nullptr) {
      w.node = a.items;
      w.kw = a.items_kw;
      w.position = a.items_at;
      w.order = i;
      evaluated = true;
    }
    if (w.node != nullptr && !w.node->always) {
      wanted_.push_back(w);
    }
    if (a.contains && a.contains->node != nullptr) {
      std::uint32_t g = new_group(Kw::contains, index, nullptr, a.contains->position, i);
      groups_[g].index = i;
      std::uint32_t b = new_branch(g, w.sink);
      branches_[b].state = BranchState::discarded;
      Wanted c = w;
      c.node = a.contains->node;
      c.kw = Kw::contains;
      c.position = a.contains->position;
      c.order = i;
      c.group = g;
      c.branch = 0;
      c.sink = b;
      wanted_.push_back(c);
    }
    if (evaluations_[index].tracks && evaluated) {
      extension(evaluations_[index]).evaluated.set(i);
    }
    if (a.unevaluated != nullptr && !evaluated && !a.unevaluated->always) {
      std::uint32_t g = new_group(Kw::unevaluated_items, index, nullptr, a.unevaluated_at, i);
      groups_[g].index = i;
      std::uint32_t b = new_branch(g, evaluations_[index].sink);
      Wanted u = w;
      u.node = a.unevaluated;
      u.kw = Kw::unevaluated_items;
      u.position = a.unevaluated_at;
      u.order = i;
      u.group = g;
      u.branch = 0;
      u.sink = b;
      wanted_.push_back(u);
    }
  }
  if (frame.readings_from != frame.readings_to) {
    readings_for_child(frame);
  }
}

const Slot* Engine::find_slot(Evaluation& e, const ObjectPart& o, std::string_view key, std::uint32_t& index) const {
  std::uint32_t hint = e.hint;
  if (hint < o.slots.size() && o.slots[hint].key == key) {
    index = hint;
    e.hint = hint + 1;
    return &o.slots[hint];
  }
  if (o.table.empty()) {
    return nullptr;
  }
  for (std::uint32_t h = slot_hash(key) & o.table_mask; o.table[h] != 0; h = (h + 1) & o.table_mask) {
    const Slot& slot = o.slots[o.table[h] - 1];
    if (slot.key == key) {
      index = o.table[h] - 1;
      e.hint = index + 1;
      return &slot;
    }
  }
  return nullptr;
}

// False when it had been seen before.
bool Engine::mark_seen(Evaluation& e, std::uint32_t slot) {
  if (slot < 64) {
    std::uint64_t bit = std::uint64_t{1} << slot;
    bool fresh = (e.seen & bit) == 0;
    e.seen |= bit;
    return fresh;
  }
  Extension& x = extension(e);
  std::size_t word = slot / 64 - 1;
  if (word >= x.seen_more.size()) {
    x.seen_more.resize(word + 1);
  }
  std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  bool fresh = (x.seen_more[word] & bit) == 0;
  x.seen_more[word] |= bit;
  return fresh;
}

bool Engine::has_seen(const Evaluation& e, std::uint32_t slot) const {
  if (slot < 64) {
    return (e.seen >> slot & 1U) != 0;
  }
  if (e.extension == none32) {
    return false;
  }
  const std::vector<std::uint64_t>& more = extensions_[e.extension].seen_more;
  std::size_t word = slot / 64 - 1;
  return word < more.size() && (more[word] >> (slot % 64) & 1U) != 0;
}

// Keys that no schema object knows are remembered while their object is open, to find repeated ones.
bool Engine::key_is_new(Frame& frame, std::string_view key, std::uint64_t hash) {
  auto same = [&](const KeyEntry& k) {
    return k.hash == hash && std::string_view(key_bytes_.data() + k.offset, k.size) == key;
  };
  std::size_t known = keys_.size() - frame.keys_from;
  constexpr std::size_t few = 16;
  if (known < few) {
    for (std::size_t i = frame.keys_from; i < keys_.size(); ++i) {
      if (same(keys_[i])) {
        return false;
      }
    }
    return true;
  }
  if (frame.key_table == none32) {
    if (!free_key_tables_.empty()) {
      frame.key_table = free_key_tables_.back();
      free_key_tables_.pop_back();
    } else {
      frame.key_table = static_cast<std::uint32_t>(key_tables_.size());
      key_tables_.emplace_back();
    }
    key_tables_[frame.key_table].clear();
  }
  std::vector<std::uint32_t>& table = key_tables_[frame.key_table];
  auto place = [&](const KeyEntry& k, std::uint32_t number) {
    std::size_t h = static_cast<std::size_t>(k.hash) & (table.size() - 1);
    while (table[h] != 0) {
      h = (h + 1) & (table.size() - 1);
    }
    table[h] = number + 1;
  };
  if (table.size() < known * 2 + 2) {
    std::size_t size = 64;
    while (size < known * 4) {
      size *= 2;
    }
    table.assign(size, 0);
    for (std::size_t i = 0; i < known; ++i) {
      place(keys_[frame.keys_from + i], static_cast<std::uint32_t>(i));
    }
  } else if (known > 0) {
    // The last one was added after the table was built.
    const KeyEntry& last = keys_.back();
    std::size_t h = static_cast<std::size_t>(last.hash) & (table.size() - 1);
    bool there = false;
    for (; table[h] != 0; h = (h + 1) & (table.size() - 1)) {
      there = there || table[h] == known;
    }
    if (!there) {
      table[h] = static_cast<std::uint32_t>(known);
    }
  }
  for (std::size_t h = static_cast<std::size_t>(hash) & (table.size() - 1); table[h] != 0;
       h = (h + 1) & (table.size() - 1)) {
    if (same(keys_[frame.keys_from + table[h] - 1])) {
      return false;
    }
  }
  return true;
}

void Engine::remember_key(Frame& frame, std::string_view key, std::uint64_t hash) {
  (void)frame;
  keys_.push_back({hash, static_cast<std::uint32_t>(key_bytes_.size()), static_cast<std::uint32_t>(key.size())});
  key_bytes_.append(key);
}

void Engine::key(std::string_view text, std::uint64_t from, std::uint64_t to) {
  now_ = to;
  Frame& frame = frames_.back();
  std::uint32_t member = frame.count++;
  wanted_.clear();
  next_readings_.clear();
  frame.known_key = false;
  frame.key_from = from;
  frame.key_to = to;
  frame.key_size = static_cast<std::uint32_t>(text.size());
  if (frame.evaluations_to - frame.evaluations_from == 1) {
    // One schema object that knows the key: the common case.
    std::uint32_t index = place_[frame.evaluations_from];
    Evaluation& e = evaluations_[index];
    if (e.node->object && e.node->object->simple && !e.tracks) {
      std::uint32_t slot_index = 0;
      const Slot* slot = find_slot(e, *e.node->object, text, slot_index);
      std::uint64_t bit = std::uint64_t{1} << (slot_index & 63U);
      if (slot != nullptr && (e.seen & bit) == 0 && (slot->node != nullptr || e.node->object->additional == nullptr)) {
        e.seen |= bit;
        frame.known_key = true;
        frame.key_known = slot->key.data();
        if (slot->node != nullptr && !slot->node->always) {
          wanted_.emplace_back();
          Wanted& w = wanted_.back();
          w.node = slot->node;
          w.parent = index;
          w.kw = Kw::properties;
          w.position = e.node->object->properties_at;
          w.order = slot->order;
          w.sink = e.sink;
          w.scope = e.scope;
        }
        if (frame.readings_from != frame.readings_to) {
          readings_for_child(frame);
        }
        return;
      }
    }
  }
  bool repeated = false;
  bool known = false;
  // The contract's own copy of the key, where the first schema object knows it.
  for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to && !known; ++k) {
    Evaluation& e = evaluations_[place_[k]];
    if (e.node->object == nullptr) {
      continue;
    }
    std::uint32_t slot = 0;
    if (const Slot* s = find_slot(e, *e.node->object, text, slot)) {
      frame.known_key = true;
      frame.key_known = s->key.data();
      known = true;
      repeated = has_seen(e, slot);
      e.hint = slot;  // found again at once below
    }
    break;
  }
  if (!known) {
    std::uint64_t hash = json::hash_text(text, seed_);
    repeated = !key_is_new(frame, text, hash);
    frame.key_offset = static_cast<std::uint32_t>(key_bytes_.size());
    remember_key(frame, text, hash);
  }
  std::string_view key = key_of(frame);
  if (repeated) {
    text_found(Kw::duplicate_key, "The key '" + json::excerpt(key, 100) + "' stands here a second time", from, to, to);
  }
  for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
    std::uint32_t index = place_[k];
    const Node& node = *evaluations_[index].node;
    if (!node.object) {
      continue;
    }
    const ObjectPart& o = *node.object;
    Wanted w;
    w.parent = index;
    w.sink = evaluations_[index].sink;
    w.scope = evaluations_[index].scope;
    bool matched = false;
    std::uint32_t slot_index = 0;
    const Slot* slot = find_slot(evaluations_[index], o, key, slot_index);
    if (slot != nullptr) {
      mark_seen(evaluations_[index], slot_index);
      if (slot->node != nullptr) {
        matched = true;
        if (!slot->node->always) {
          w.node = slot->node;
          w.kw = Kw::properties;
          w.position = o.properties_at;
          w.order = slot->order;
          wanted_.push_back(w);
        }
      }
      if (slot->dependent_schema != none32) {
        const InPlace* in = &node.in_place[slot->dependent_schema];
        std::vector<std::uint32_t> groups = extension(evaluations_[index]).groups;
        for (std::uint32_t g : groups) {
          if (groups_[g].in == in && !groups_[g].active) {
            groups_[g].active = true;
            Branch& branch = branch_of(g, 0);
            promote(branch);
            if (branch.broken) {
              break_evaluation(index);
            }
          }
        }
      }
    }
    for (const ObjectPart::PatternProperty& p : o.pattern_properties) {
      if (matcher(p.pattern).search(key)) {
        matched = true;
        if (!p.node->always) {
          w.node = p.node;
          w.kw = Kw::pattern_properties;
          w.position = o.pattern_properties_at;
          w.order = p.order;
          wanted_.push_back(w);
        }
      }
    }
    if (o.additional != nullptr && !matched) {
      if (o.additional->never) {
        std::uint32_t f = prepare(index, Kw::additional_properties, o.additional_at, member);
        Found& found = found_[f];
        found.finding.at = pointer_of(depth());
        found.finding.property = std::string(key);
        found.finding.requirement = "no members besides those that the contract names";
        found.finding.span.from = from;
        found.finding.span.to = to;
        report(f, to);
      } else if (!o.additional->always) {
        w.node = o.additional;
        w.kw = Kw::additional_properties;
        w.position = o.additional_at;
        w.order = member;
        wanted_.push_back(w);
      }
    }
    bool evaluated = matched || o.additional != nullptr;
    if (evaluations_[index].tracks && evaluated) {
      extension(evaluations_[index]).evaluated.set(member);
    }
    if (o.unevaluated != nullptr && !evaluated && !o.unevaluated->always) {
      std::uint32_t g = new_group(Kw::unevaluated_properties, index, nullptr, o.unevaluated_at, member);
      groups_[g].index = member;
      std::uint32_t b = new_branch(g, evaluations_[index].sink);
      if (o.unevaluated->never) {
        branches_[b].broken = true;
        std::uint32_t f = prepare(index, Kw::unevaluated_properties, o.unevaluated_at, member);
        Found& found = found_[f];
        found.finding.at = pointer_of(depth());
        found.finding.property = std::string(key);
        found.finding.requirement = "no members besides those that the contract names";
        found.finding.span.from = from;
        found.finding.span.to = to;
        found.open = false;
        found.finding.decided_at = to;
        if (from < chunk_start_) {
          set_start(found, cut_place_.place);
        }
        touched_.push_back(f);
        complete(f);
        add(b, f);
        release(f);
      } else {
        w.node = o.unevaluated;
        w.kw = Kw::unevaluated_properties;
        w.position = o.unevaluated_at;
        w.order = member;
        w.group = g;
        w.branch = 0;
        w.sink = b;
        wanted_.push_back(w);
        w.group = none32;
        w.sink = evaluations_[index].sink;
      }
    }
    if (member == o.max_properties) {
      std::uint32_t f = prepare(index, Kw::max_properties, o.max_properties_at, 0);
      found_[f].finding.requirement =
          "at most " + std::to_string(o.max_properties) + (o.max_properties == 1 ? " member" : " members");
      found_[f].limit = std::to_string(o.max_properties);
      found_[f].finding.finding_class = FindingClass::count;
      report(f, to);
    }
    if (o.names != nullptr && !o.names->always) {
      check_name(index, o, key, from, to);
    }
  }
  if (frame.readings_from != frame.readings_to) {
    readings_for_child(frame);
  }
}

// propertyNames: the key is an instance of its own, a string.
void Engine::check_name(std::uint32_t index, const ObjectPart& o, std::string_view key, std::uint64_t from,
                        std::uint64_t to) {
  if (o.names->quick_scalar && quick_string(*o.names, key)) {
    return;
  }
  std::vector<Wanted> kept_wanted = std::move(wanted_);
  std::vector<ReadingAt> kept_readings = std::move(next_readings_);
  wanted_.clear();
  next_readings_.clear();
  Wanted w;
  w.node = o.names;
  w.parent = index;
  w.kw = Kw::property_names;
  w.position = o.names_at;
  w.order = frames_.back().count - 1;
  w.sink = evaluations_[index].sink;
  w.scope = evaluations_[index].scope;
  wanted_.push_back(w);
  std::string copy(key);
  name_instance_ = true;
  scalar_place(Kind::string, from);
  feed(copy, from + 1, to - 1, to - from == copy.size() + 2);
  now_ = to;
  token_.text = copy;
  scalar_finish(to);
  name_instance_ = false;
  wanted_ = std::move(kept_wanted);
  next_readings_ = std::move(kept_readings);
}

// What a reading asks of the items of an array: nothing, to remember them, or something that needs a look at each.
void Engine::note_items(Frame& frame, const Reading& reading, bool& named) const {
  if (!reading.children.empty()) {
    named = true;
  }
  if (reading.star != none32) {
    const Reading& items = p_.readings[reading.star];
    frame.items_kept = frame.items_kept || items.keep || items.keep_all;
    named = named || items.collect != none32 || !items.applies.empty();
  }
}

Frame& Engine::open_frame(Kind kind, std::uint64_t from) {
  std::uint32_t place_from = static_cast<std::uint32_t>(place_.size());
  // What is found before the first byte, of the context, waits for this container to end.
  std::uint32_t found_first = none32;
  if (!wanted_.empty()) {
    std::swap(token_.open_found, found_first);
    place_from = begin_place();
    std::swap(token_.open_found, found_first);
  }
  std::uint32_t at = depth();
  frames_.emplace_back();
  Frame& frame = frames_.back();
  frame.kind = kind;
  frame.from = from;
  frame.open_found = found_first;
  for (std::uint32_t i = found_first; i != none32; i = found_[i].next_open) {
    found_[i].finding.span.from = from;
    found_[i].whole_place = false;
  }
  frame.evaluations_from = place_from;
  frame.evaluations_to = static_cast<std::uint32_t>(place_.size());
  frame.keys_from = static_cast<std::uint32_t>(keys_.size());
  frame.key_bytes_from = static_cast<std::uint32_t>(key_bytes_.size());
  frame.values_from = static_cast<std::uint32_t>(values_.size());
  frame.readings_from = static_cast<std::uint32_t>(readings_.size());
  bool parent_all = at > 0 && frames_[at - 1].records_all;
  frame.records_all = parent_all;
  bool named_readings = false;
  for (const ReadingAt& r : next_readings_) {
    readings_.push_back(r);
    const Reading& reading = p_.readings[r.state];
    frame.records = frame.records || reading.keep;
    frame.records_all = frame.records_all || reading.keep_all || reading.collect != none32;
    frame.collects = frame.collects || reading.collect != none32;
    frame.has_trees = frame.has_trees || reading.tree_node != none32;
    note_items(frame, reading, named_readings);
  }
  frame.kept = at > 0 && frames_[at - 1].records && (parent_all || frame.records || frame.records_all);
  for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
    std::uint32_t index = place_[k];
    const Node& node = *evaluations_[index].node;
    if (kind == Kind::array && node.array) {
      evaluations_[index].seen = 1;  // it is an array: `contains` applies
      frame.item_hooks = frame.item_hooks || node.array->compares_items;
    }
    if (node.extra) {
      frame.needs_value = frame.needs_value || !node.extra->cross.empty();
      for (std::uint32_t start : node.extra->readings) {
        readings_.push_back({start, index});
        const Reading& reading = p_.readings[start];
        frame.records = frame.records || reading.keep;
        frame.records_all = frame.records_all || reading.keep_all;
        frame.has_trees = frame.has_trees || reading.tree_node != none32;
        note_items(frame, reading, named_readings);
      }
    }
  }
  frame.readings_to = static_cast<std::uint32_t>(readings_.size());
  frame.records = frame.records || frame.records_all;
  if (frame.records && recording_++ == 0) {
    frame.releases = true;
    frame.mark = value_arena_.mark();
  }
  if (kind == Kind::array && !named_readings && frame.evaluations_to - frame.evaluations_from <= 1) {
    const Node* node =
        frame.evaluations_from == frame.evaluations_to ? nullptr : evaluations_[place_[frame.evaluations_from]].node;
    if (node == nullptr ||
        (!evaluations_[place_[frame.evaluations_from]].tracks && (!node->array || node->array->simple))) {
      frame.simple_items = true;
      frame.item_node = node == nullptr || !node->array || node->array->items == nullptr || node->array->items->always
                            ? nullptr
                            : node->array->items;
      frame.items_room = node == nullptr || !node->array
                             ? none32
                             : static_cast<std::uint32_t>(std::min<std::uint64_t>(node->array->max_items, none32));
      frame.items_kept = (frame.items_kept || frame.records_all) && frame.records;
    }
  }
  for (std::uint32_t k = frame.readings_from; frame.has_trees && k < frame.readings_to; ++k) {
    if (p_.readings[readings_[k].state].tree_node != none32) {
      tree_begin(p_.readings[readings_[k].state].tree_node, readings_[k].owner);
    }
  }
  if (frame.simple_items) {
    frame.skim = skim_items(frame);
  }
  frame.listens = frame.records || frame.item_hooks;
  for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
    frame.listens = frame.listens || evaluations_[place_[k]].node->discriminates;
  }
  now_ = from + 1;
  std::uint32_t evaluations_from = frame.evaluations_from;
  std::uint32_t evaluations_to = frame.evaluations_to;
  for (std::uint32_t k = evaluations_from; k < evaluations_to; ++k) {
    const Node& node = *evaluations_[place_[k]].node;
    if ((node.types & bit_of(kind)) == 0 || node.never) {
      check_type(place_[k], kind, from);
    }
  }
  next_readings_.clear();
  return frames_.back();
}

void Engine::begin_object(std::uint64_t from) {
  now_ = from + 1;
  item_begin();
  open_frame(Kind::object, from);
}

void Engine::begin_array(std::uint64_t from) {
  now_ = from + 1;
  item_begin();
  open_frame(Kind::array, from);
}

void Engine::close_object(Evaluation& e, std::uint32_t index, const Frame& frame) {
  const ObjectPart& o = *e.node->object;
  if (o.few ? (e.seen & o.required_mask) != o.required_mask : !o.required.empty()) {
    std::uint32_t order = 0;
    for (std::uint32_t slot : o.required) {
      if (!has_seen(evaluations_[index], slot)) {
        std::uint32_t f = prepare(index, Kw::required, o.required_at, order);
        Found& found = found_[f];
        found.finding.property = std::string(o.slots[slot].key);
        found.finding.requirement = "the member '" + found.finding.property + "'";
        if (o.slots[slot].node != nullptr) {
          found.finding.requirement += type_requirement(*o.slots[slot].node);
        }
        report(f, now_);
      }
      ++order;
    }
  }
  if (frame.count < o.min_properties) {
    std::uint32_t f = prepare(index, Kw::min_properties, o.min_properties_at, 0);
    found_[f].finding.requirement =
        "at least " + std::to_string(o.min_properties) + (o.min_properties == 1 ? " member" : " members");
    found_[f].limit = std::to_string(o.min_properties);
    found_[f].finding.finding_class = FindingClass::count;
    report(f, now_);
  }
  for (const Dependent& d : o.dependents) {
    std::uint32_t slot = 0;
    std::uint32_t hint = evaluations_[index].hint;
    bool there = find_slot(evaluations_[index], o, d.key, slot) != nullptr && has_seen(evaluations_[index], slot);
    for (std::size_t i = 0; there && i < d.required.size(); ++i) {
      if (find_slot(evaluations_[index], o, d.required[i], slot) == nullptr || !has_seen(evaluations_[index], slot)) {
        std::uint32_t f = prepare(index, d.kw, d.position, (std::uint64_t{d.order} << 20U) | i);
        Found& found = found_[f];
        found.finding.property = std::string(d.required[i]);
        found.finding.requirement =
            "the member '" + found.finding.property + "' where '" + std::string(d.key) + "' is there";
        report(f, now_);
      }
    }
    evaluations_[index].hint = hint;
  }
}

std::string Engine::quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

void Engine::close_array(Evaluation& e, std::uint32_t index, const Frame& frame) {
  const ArrayPart& a = *e.node->array;
  if (frame.count < a.min_items) {
    std::uint32_t f = prepare(index, Kw::min_items, a.min_items_at, 0);
    found_[f].finding.requirement = "at least " + std::to_string(a.min_items) + (a.min_items == 1 ? " item" : " items");
    found_[f].limit = std::to_string(a.min_items);
    found_[f].finding.finding_class = FindingClass::count;
    report(f, now_);
  }
}

void Engine::close_frame(std::uint64_t to) {
  now_ = to;
  std::size_t at = frames_.size() - 1;
  json::Value value;
  // The value itself is built where somebody asks for it; else what was remembered in it has served.
  bool recorded = frames_[at].records &&
                  (frames_[at].records_all || frames_[at].needs_value || (at > 0 && frames_[at - 1].records));
  bool recording = frames_[at].records;
  if (recorded) {
    Frame& frame = frames_[at];
    std::size_t size = values_.size() - frame.values_from;
    value.kind = frame.kind;
    value.size = static_cast<std::uint32_t>(size);
    value.from = frame.from;
    value.to = to;
    if (frame.kind == Kind::object) {
      json::Member* members = value_arena_.array<json::Member>(size);
      std::copy(values_.begin() + frame.values_from, values_.end(), members);
      value.members = members;
    } else {
      json::Value* items = value_arena_.array<json::Value>(size);
      for (std::size_t i = 0; i < size; ++i) {
        items[i] = values_[frame.values_from + i].value;
      }
      value.items = items;
    }
  }
  Kind kind = frames_[at].kind;
  for (std::uint32_t k = frames_[at].evaluations_from; k < frames_[at].evaluations_to; ++k) {
    std::uint32_t index = place_[k];
    const Node& node = *evaluations_[index].node;
    if (kind == Kind::object && node.object) {
      close_object(evaluations_[index], index, frames_[at]);
    } else if (kind == Kind::array && node.array) {
      close_array(evaluations_[index], index, frames_[at]);
    }
    if (node.scalar) {
      check_container_members(index, value);
    }
    if (node.extra && !node.extra->cross.empty()) {
      cross_rules(index, value);
    }
  }
  if (frames_[at].deferred != none32) {
    run_deferred(static_cast<std::uint32_t>(at), true);
  }
  if (frames_[at].open_found != none32) {
    complete_frame(frames_[at], to);
  }
  frame_to_ = to;
  for (std::uint32_t k = frames_[at].readings_from; frames_[at].has_trees && k < frames_[at].readings_to; ++k) {
    if (p_.readings[readings_[k].state].tree_node != none32) {
      tree_end(p_.readings[readings_[k].state].tree_node, readings_[k].owner);
    }
  }
  // What arrives at the parent: collected and remembered values.
  bool collects = frames_[at].collects;
  bool kept = frames_[at].kept;
  if (collects) {
    arrived_.assign(readings_.begin() + frames_[at].readings_from, readings_.begin() + frames_[at].readings_to);
  }
  std::uint32_t place_from = frames_[at].evaluations_from;
  bool releases = frames_[at].releases;
  json::Arena::Mark mark = frames_[at].mark;
  last_from_ = frames_[at].from;
  last_to_ = to;
  last_placed_ = frames_[at].placed;
  last_place_ = frames_[at].place;
  readings_.resize(frames_[at].readings_from);
  keys_.resize(frames_[at].keys_from);
  key_bytes_.resize(frames_[at].key_bytes_from);
  values_.resize(frames_[at].values_from);
  if (frames_[at].key_table != none32) {
    std::vector<std::uint32_t>& table = key_tables_[frames_[at].key_table];
    if (table.size() > 4096) {
      std::vector<std::uint32_t>().swap(table);
    }
    free_key_tables_.push_back(frames_[at].key_table);
  }
  end_place(place_from);
  if (frames_[at].open_found != none32) {
    complete_frame(frames_[at], to);  // what became certain while its evaluations closed
  }
  frames_.pop_back();
  placed_frames_ = std::min(placed_frames_, depth());
  next_readings_.clear();
  if (collects) {
    for (const ReadingAt& r : arrived_) {
      if (p_.readings[r.state].collect != none32) {
        collect(p_.readings[r.state].collect, r.owner, kind, {}, false, recorded ? &value : nullptr);
      }
    }
  }
  if (recording) {
    --recording_;
  }
  if (!frames_.empty() && frames_.back().listens) {
    after_value(kept && recorded ? &value : nullptr, kind, {}, false, recorded ? &value : nullptr);
  }
  if (releases) {
    value_arena_.release(mark);
  }
}

void Engine::end_object(std::uint64_t to) { close_frame(to); }
void Engine::end_array(std::uint64_t to) { close_frame(to); }

// A value has ended: its container remembers it where it should, and looks at it. `value` is the whole of a container
// that was remembered, for rules that look at items.
void Engine::after_value(const json::Value* remembered, Kind kind, std::string_view text, bool boolean,
                         const json::Value* value) {
  if (frames_.empty()) {
    return;
  }
  Frame& frame = frames_.back();
  if (frame.records && (remembered != nullptr || frame.kind == Kind::array)) {
    json::Member member;
    if (frame.kind == Kind::object) {
      member.key = frame.known_key ? key_of(frame) : value_arena_.copy(key_of(frame));
      member.key_from = frame.key_from;
      member.key_to = frame.key_to;
    }
    if (remembered != nullptr) {
      member.value = *remembered;
    }
    values_.push_back(member);
  }
  if (frame.item_hooks) {
    item_seen(kind, text, boolean, value);
  }
  if (frame.kind == Kind::object) {
    for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
      Evaluation& e = evaluations_[place_[k]];
      if (e.node->discriminates && kind != Kind::object && kind != Kind::array) {
        discriminate(place_[k], key_of(frames_.back()), kind, text, boolean);
      }
    }
  }
  if (frames_.back().deferred != none32) {
    run_deferred(depth() - 1, false);
  }
}

// ---------------------------------------------------------------- the text itself

// The scanner's loop is instantiated here and nowhere else: this file is built for speed, also where others are built
// for size.
void Engine::scan(std::string_view bytes) {
  scanner_.push(bytes.data(), bytes.size());
  if (stopped_ && !signals_.empty() && signals_.back().at_byte > now_) {
    signals_.pop_back();  // of what comes after the text has turned out to be none
  }
}

void Engine::scan_end() { scanner_.end(); }

void Engine::lone_surrogate(std::uint64_t, std::uint64_t, std::uint64_t decided) {
  // From the beginning of its string to the byte that shows it: the escape itself may stand in an earlier piece.
  text_found(Kw::lone_surrogate, "This string holds a surrogate without its other half", scanner_.token_from(), decided,
             decided);
}

void Engine::broken(json::ScanError what, std::uint64_t at, std::uint64_t decided) {
  now_ = decided;
  stopped_ = true;
  std::string message(json::scan_error_message(what));
  if (json::is_limit(what)) {
    // A container that is too deep stands where its parent's next child would.
    std::string where = pointer_of(depth() > 0 ? depth() - 1 : 0);
    if (what == json::ScanError::depth_limit && !frames_.empty()) {
      if (frames_.back().kind == Kind::object) {
        json::append_token(where, key_of(frames_.back()));
      } else {
        json::append_token(where, std::uint64_t{frames_.back().count});
      }
    }
    limit_found(std::move(message), std::move(where), at, decided,
                what == json::ScanError::depth_limit
                    ? "at most " + std::to_string(options_.limits.depth_max) + " levels"
                    : "a shorter number");
    return;
  }
  text_found(Kw::syntax, std::move(message), at, decided, decided);
}

}  // namespace plumb::contract
