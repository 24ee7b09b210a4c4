#include "core/contract/engine/asking.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/json/equality.hpp"

namespace plumb::contract {

namespace {

constexpr std::uint64_t evaluation_steps = 10;  // for a schema that is one of several at a place
constexpr std::size_t few_asked = 24;           // this many evaluations of a place are searched one by one

std::uint64_t identity_of(const Node* node, std::uint32_t scope) {
  return json::hash_combine(reinterpret_cast<std::uintptr_t>(node), scope);
}

std::uint32_t enter_scope(Engine& engine, std::uint32_t scope, std::uint32_t resource) {
  const std::vector<std::uint32_t>& chain = engine.scopes[scope].resources;
  if (std::find(chain.begin(), chain.end(), resource) != chain.end()) {
    return scope;  // only the outermost occurrence matters
  }
  std::vector<std::uint32_t> longer = chain;
  longer.push_back(resource);
  for (std::uint32_t i = 0; i < engine.scopes.size(); ++i) {
    if (engine.scopes[i].resources == longer) {
      return i;
    }
  }
  engine.scopes.push_back({std::move(longer)});
  return static_cast<std::uint32_t>(engine.scopes.size() - 1);
}

const Node* dynamic_target(const Engine& engine, const InPlace& in, std::uint32_t scope) {
  for (std::uint32_t r : engine.scopes[scope].resources) {
    const Resource& resource = engine.program->resources[r];
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

// Gives an evaluation another sink, together with everything it has asked for at this place.
void retarget(Engine& engine, std::uint32_t index, std::uint32_t old_sink, std::uint32_t new_sink,
              std::uint32_t place_from) {
  engine.evaluations[index].sink = new_sink;
  if (engine.evaluations[index].extension != none32) {
    for (std::uint32_t g : engine.extensions[engine.evaluations[index].extension].groups) {
      for (std::uint32_t b : engine.groups[g].branches) {
        if (engine.branches[b].parent_sink == old_sink) {
          engine.branches[b].parent_sink = new_sink;
        }
      }
    }
  }
  for (std::size_t i = place_from; i < engine.place.size(); ++i) {
    const Evaluation& e = engine.evaluations[engine.place[i]];
    if (e.parent == index && e.in_place && e.group == none32 && e.sink == old_sink) {
      retarget(engine, engine.place[i], old_sink, new_sink, place_from);
    }
  }
}

// The index in the place of an evaluation of the same schema object in the same scope, or place.size(). If there are
// many evaluations, an index over them is made here.
std::size_t find_asked(Engine& engine, const Node* node, std::uint32_t scope, std::uint32_t place_from) {
  const auto is_it = [&](std::uint32_t index) {
    return engine.evaluations[index].node == node && engine.evaluations[index].scope == scope;
  };
  const std::size_t end = engine.place.size();
  const std::size_t size = end - place_from;
  if (size < few_asked) {
    for (std::size_t i = place_from; i < end; ++i) {
      if (is_it(engine.place[i])) {
        return i;
      }
    }
    return end;
  }
  if (size == few_asked) {
    engine.place_index.clear();
    for (std::size_t i = place_from; i < end; ++i) {
      const Evaluation& e = engine.evaluations[engine.place[i]];
      engine.place_index.emplace(identity_of(e.node, e.scope), static_cast<std::uint32_t>(i));
    }
  }
  const auto range = engine.place_index.equal_range(identity_of(node, scope));
  const auto found =
      std::find_if(range.first, range.second, [&](const auto& entry) { return is_it(engine.place[entry.second]); });
  return found == range.second ? end : found->second;
}

// Adds an asker to an evaluation that the place already has.
void add_asker(Engine& engine, std::uint32_t index, const Wanted& w, std::uint32_t waiting, std::uint32_t place_from) {
  Evaluation& e = engine.evaluations[index];
  const std::uint32_t edge = engine.evaluations.edges.take();
  engine.evaluations.edges[edge] = {w.parent, w.group, w.branch, e.more_edges, w.in_place};
  e.more_edges = edge;
  if (w.in_place) {
    ++engine.evaluations[waiting].pending;
    e.in_place = true;
  }
  const bool tracks = w.in_place && engine.evaluations[waiting].tracks;
  if (tracks && !e.tracks) {
    e.tracks = true;
    for (std::size_t j = place_from; j < engine.place.size(); ++j) {  // the evaluations that it asked for follow
      Evaluation& other = engine.evaluations[engine.place[j]];
      if (other.in_place && other.parent != none32 && engine.evaluations[other.parent].tracks) {
        other.tracks = true;
      }
    }
  }
  if (e.sink == w.sink || e.sink == 0) {
    return;
  }
  const std::uint32_t old = e.sink;
  std::uint32_t sink = 0;
  if (w.sink != 0) {
    if (e.fan != none32) {  // another asker of a sink with several parents
      engine.branches[e.fan].fan.push_back(w.sink);
      return;
    }
    sink = new_branch(engine, none32, old);
    engine.branches[sink].fan = {old, w.sink};
    e.fan = sink;
  }
  retarget(engine, index, old, sink, place_from);
}

// An evaluation of a wanted schema at this place, new or existing. none32 if there are too many.
std::uint32_t ask(Engine& engine, const Wanted& w, std::uint32_t place_from) {
  const std::uint32_t scope = engine.program->uses_dynamic_scope ? enter_scope(engine, w.scope, w.node->resource) : 0;
  const std::uint32_t waiting = w.group != none32 ? engine.groups[w.group].owner : w.parent;
  const std::size_t known = find_asked(engine, w.node, scope, place_from);
  if (known != engine.place.size()) {
    add_asker(engine, engine.place[known], w, waiting, place_from);
    return engine.place[known];
  }
  const std::size_t size = engine.place.size() - place_from;
  const std::uint32_t evaluations_max = engine.options.limits.evaluations_max;
  if (!spend(engine, evaluation_steps) || size >= evaluations_max) {
    if (!engine.findings.limit_reached) {
      limit_found(engine, "More than " + std::to_string(evaluations_max) + " schemas are at work at one place",
                  pointer_of(engine, depth(engine)), engine.now, engine.now,
                  "at most " + std::to_string(evaluations_max) + " schemas at one place");
    }
    if (waiting != none32) {
      engine.evaluations[waiting].undecided = true;
    }
    return none32;
  }
  const std::uint32_t index = new_evaluation(engine);
  Evaluation& e = engine.evaluations[index];
  e.node = w.node;
  e.parent = w.parent;
  e.group = w.group;
  e.branch = w.branch;
  e.sink = w.sink;
  e.position = w.position;
  e.order = w.order;
  e.depth = depth(engine);
  e.scope = scope;
  e.in_place = w.in_place;
  e.counted = w.in_place;
  e.tracks = w.node->tracks;
  if (w.in_place) {
    ++engine.evaluations[waiting].pending;
    e.tracks = e.tracks || engine.evaluations[waiting].tracks;
  }
  if (w.kw != Kw::none && w.node->never) {
    e.asked_by = w.kw;
  }
  if (size >= few_asked) {
    engine.place_index.emplace(identity_of(w.node, scope), static_cast<std::uint32_t>(engine.place.size()));
  }
  engine.place.push_back(index);
  return index;
}

// Asks for the schemas of one applicator at the same instance.
void apply(Engine& engine, std::uint32_t index, const InPlace& in, std::uint32_t place_from) {
  const std::uint32_t sink = engine.evaluations[index].sink;
  const auto want = [&](const Node* node, Position position, std::uint32_t order, std::uint32_t group = none32,
                        std::uint32_t branch = 0) {
    Wanted w;
    w.node = node;
    w.parent = index;
    w.kw = in.kw;
    w.position = position;
    w.order = order;
    w.group = group;
    w.branch = branch;
    w.sink = group == none32 ? sink : engine.groups[group].branches[branch];
    w.scope = engine.evaluations[index].scope;
    w.in_place = true;
    ask(engine, w, place_from);
  };
  const auto group_of = [&](std::size_t branches, std::uint32_t order) {
    const std::uint32_t g = new_group(engine, in.kw, index, &in, in.position, order);
    for (std::size_t i = 0; i < branches; ++i) {
      new_branch(engine, g, sink);
    }
    return g;
  };
  switch (in.form) {
    case InPlaceForm::dynamic:
      want(dynamic_target(engine, in, engine.evaluations[index].scope), in.position, in.order);
      break;
    case InPlaceForm::alternatives: {
      const std::uint32_t g = group_of(in.branches.size(), 0);
      for (std::uint32_t i = 0; i < in.branches.size(); ++i) {
        want(in.branches[i], in.position, i, g, i);
      }
      break;
    }
    case InPlaceForm::negation: {
      const std::uint32_t g = group_of(1, 0);
      branch_of(engine, g, 0).state = BranchState::discarded;
      want(in.node, in.position, in.order, g);
      break;
    }
    case InPlaceForm::condition: {
      const std::uint32_t g = group_of(3, 0);  // the condition, then and else
      branch_of(engine, g, 0).state = BranchState::discarded;
      want(in.node, in.position, in.order, g);
      if (in.then_node != nullptr) {
        want(in.then_node, in.then_at, in.order, g, 1);
      }
      if (in.else_node != nullptr) {
        want(in.else_node, in.else_at, in.order, g, 2);
      }
      break;
    }
    case InPlaceForm::dependent:
      want(in.node, in.position, in.order, group_of(1, in.order));
      break;
    default:
      want(in.node, in.position, in.order);
      break;
  }
}

// Asks for the checks of rules that are about this instance.
void apply_rules(Engine& engine, std::uint32_t index, const std::vector<Rule>& rules, std::uint32_t place_from) {
  for (std::uint32_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    if (rule.check == nullptr || (rule.each && !engine.program->pointer_patterns[rule.each_pattern].tokens.empty())) {
      continue;
    }
    Wanted w;
    w.node = rule.check;
    w.parent = index;
    w.kw = Kw::rules;
    w.position = rule.position;
    w.order = rule.order;
    w.group = new_group(engine, Kw::rules, index, nullptr, rule.position, rule.order);
    engine.groups[w.group].rule = i;
    w.sink = new_branch(engine, w.group, engine.evaluations[index].sink);
    w.scope = engine.evaluations[index].scope;
    w.in_place = true;
    ask(engine, w, place_from);
  }
}

// Asks for everything that an evaluation's schema object applies at its own instance.
void expand(Engine& engine, std::uint32_t index, std::uint32_t place_from) {
  const Node& node = *engine.evaluations[index].node;
  for (const InPlace& in : node.in_place) {
    apply(engine, index, in, place_from);
  }
  if (node.extra) {
    apply_rules(engine, index, node.extra->rules, place_from);
    if (!node.extra->pointed.empty()) {
      context_schemas(engine, index);
    }
  }
}

}  // namespace

std::uint32_t begin_place(Engine& engine) {
  std::uint32_t from = static_cast<std::uint32_t>(engine.place.size());
  if (engine.wanted.size() == 1) {
    const Wanted& w = engine.wanted.front();
    const Node& node = *w.node;
    if (w.group == none32 && node.plain && !engine.program->uses_dynamic_scope &&
        !(node.extra && !node.extra->pointed.empty())) {
      // One schema object without applicators in place: the common case.
      std::uint32_t index = new_evaluation(engine);
      Evaluation& e = engine.evaluations[index];
      e.node = w.node;
      e.parent = w.parent;
      e.sink = w.sink;
      e.position = w.position;
      e.order = w.order;
      e.depth = depth(engine);
      e.tracks = node.tracks;
      if (node.never) {
        e.asked_by = w.kw;
      }
      engine.place.push_back(index);
      engine.wanted.clear();
      return from;
    }
    ask(engine, w, from);
  } else {
    for (std::size_t i = 0; i < engine.wanted.size(); ++i) {
      ask(engine, engine.wanted[i], from);
    }
  }
  engine.wanted.clear();
  for (std::size_t i = from; i < engine.place.size(); ++i) {
    const Node& node = *engine.evaluations[engine.place[i]].node;
    if (!node.plain || (node.extra && !node.extra->pointed.empty())) {
      expand(engine, engine.place[i], from);
    }
  }
  return from;
}

void end_place(Engine& engine, std::uint32_t place_from) {
  std::size_t count = engine.place.size();
  if (count == place_from) {
    return;
  }
  if (count == place_from + 1) {
    Evaluation& e = engine.evaluations[engine.place.back()];
    if (e.node->settles_plainly && e.pending == 0 && !e.undecided && e.group == none32 && e.extension == none32 &&
        e.more_edges == none32 && !e.in_place && e.site == none32 && e.fan == none32) {
      // It is done, and so is its report.
      e.node = nullptr;
      engine.evaluations.give(engine.place.back());
      engine.place.pop_back();
      return;
    }
  }
  // In reverse order, because then most askers find everything they asked for done.
  for (std::size_t i = count; i-- > place_from;) {
    close(engine, engine.place[i]);
  }
  for (std::size_t i = place_from; i < count; ++i) {
    if (engine.evaluations[engine.place[i]].node != nullptr && engine.evaluations[engine.place[i]].pending > 0) {
      wait(engine, engine.place[i]);
    }
  }
  engine.place.resize(place_from);
}

}  // namespace plumb::contract
