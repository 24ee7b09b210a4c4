// Links a contract after all of its nodes are made: properties that identify branches, loops of references, places to
// remember, and what can be accepted fast.

#include <algorithm>
#include <map>
#include <utility>

#include "core/contract/compiler.hpp"
#include "core/contract/keywords/bounds.hpp"
#include "core/contract/keywords/member_of.hpp"
#include "core/stable_sort.hpp"

namespace plumb::contract {

namespace {

json::PointerToken star_token() {
  json::PointerToken token;
  token.star = true;
  return token;
}

bool compares_to_containers(const Node& node) {
  bool found = node.scalar && node.scalar->has_containers;
  for (const auto& more : node.more_scalars) {
    found = found || more->has_containers;
  }
  return found;
}

// uniqueItems, or `distinct` without `by`, over items that may be containers.
bool tells_containers_apart(const Node& node) {
  if (!node.array || (!node.array->unique && node.array->distinct.empty())) {
    return false;
  }
  bool by_self = node.array->unique;
  for (const DistinctPart& d : node.array->distinct) {
    by_self = by_self || d.by_self;
  }
  const bool containers = node.array->items == nullptr || !node.array->prefix.empty() ||
                          !node.array->items->in_place.empty() ||
                          (node.array->items->types & (type_array | type_object)) != 0;
  return by_self && containers;
}

// The properties that a schema fixes to one value, including those of its references and allOf.
void fixed_properties(const Node& node, std::map<std::string_view, const json::Value*>& out, int depth) {
  if (node.object) {
    for (const Slot& slot : node.object->slots) {
      if (slot.node != nullptr && slot.node->scalar && slot.node->scalar->members.size() == 1) {
        out.emplace(slot.key, &slot.node->scalar->members.front().value);
      }
    }
  }
  if (depth > 0) {
    for (const InPlace& in : node.in_place) {
      if (in.joins()) {
        fixed_properties(*in.node, out, depth - 1);
      }
    }
  }
}

}  // namespace

void Compiler::want(Node& node, std::uint32_t pattern_index) {
  if (pattern_index == none32) {
    wants_[&node].insert({0, none32});
    return;
  }
  const PointerPattern& pattern = program_.pointer_patterns[pattern_index];
  if (pattern.base == json::PointerBase::root) {
    wants_[&program_.nodes.front()].insert({0, pattern_index});
  } else if (pattern.base == json::PointerBase::instance) {
    wants_[&node].insert({pattern.levels_up, pattern_index});
  }
}

// Finds anyOf and oneOf whose branches all fix one property, each to a different value.
void Compiler::link_discriminators() {
  for (Node& node : program_.nodes) {
    for (InPlace& in : node.in_place) {
      if (in.branches.size() < 2) {
        continue;
      }
      std::vector<std::map<std::string_view, const json::Value*>> fixed(in.branches.size());
      for (std::size_t i = 0; i < in.branches.size(); ++i) {
        fixed_properties(*in.branches[i], fixed[i], 3);
      }
      for (const auto& [key, value] : fixed.front()) {
        std::vector<const json::Value*> values;
        for (const auto& of_branch : fixed) {
          auto found = of_branch.find(key);
          if (found == of_branch.end() || found->second->is(json::Kind::object) ||
              found->second->is(json::Kind::array)) {
            break;
          }
          bool repeated = std::any_of(values.begin(), values.end(),
                                      [&](const json::Value* v) { return json::equal(*v, *found->second); });
          if (repeated) {
            break;
          }
          values.push_back(found->second);
        }
        if (values.size() == in.branches.size()) {
          in.discriminator = key;
          in.discriminator_values = std::move(values);
          slot(node, key).discriminates = true;
          node.discriminates = true;
          break;
        }
      }
    }
  }
}

// Finds schemas that lead to themselves at the same instance, and so can never be decided.
void Compiler::link_loops() {
  std::unordered_map<const Node*, std::vector<const Node*>> next;
  for (const Edge& edge : edges_) {
    if (edge.step == Step::in_place) {
      next[edge.parent].push_back(edge.child);
    }
  }
  for (const DynamicUse& use : dynamic_uses_) {  // decided while checking
    auto& list = next[use.node];
    const Node* target = use.node->in_place[use.in_place].node;
    auto it = std::find(list.begin(), list.end(), target);
    if (it != list.end()) {
      list.erase(it);
    }
  }
  std::unordered_map<const Node*, int> state;  // 1: on the path, 2: done
  std::vector<std::pair<const Node*, std::size_t>> way;
  for (const Node& each : program_.nodes) {
    const Node* start = &each;
    if (next.find(start) == next.end() || state[start] != 0) {
      continue;
    }
    state[start] = 1;
    way.emplace_back(start, 0);
    while (!way.empty()) {
      auto& [node, i] = way.back();
      auto found = next.find(node);
      if (found == next.end() || i == found->second.size()) {
        state[node] = 2;
        way.pop_back();
        continue;
      }
      const Node* child = found->second[i++];
      int& s = state[child];
      if (s == 1) {
        loops_.push_back(child);
      } else if (s == 0) {
        s = 1;
        way.emplace_back(child, 0);
      }
    }
  }
  if (!loops_.empty()) {
    // The first in the text, so that the message does not depend on the order in a hash table.
    const Node* first = *std::min_element(loops_.begin(), loops_.end(),
                                          [](const Node* a, const Node* b) { return a->location < b->location; });
    const SchemaPlace& place = documents_.place(first->schema);
    documents_.fail(documents_.resource(place.resource).document, place.pointer, first->schema->from,
                    "this schema leads back to itself at the same place, so it can never be decided");
  }
}

std::uint32_t Compiler::new_reading() {
  program_.readings.emplace_back();
  return static_cast<std::uint32_t>(program_.readings.size() - 1);
}

// The state that a pattern leads to from `start`, which is made if it is missing. With `keep`, the values on the way
// are remembered.
std::uint32_t Compiler::add_reading(std::uint32_t start, const PointerPattern& pattern, bool keep) {
  std::uint32_t at = start;
  for (const json::PointerToken& token : pattern.tokens) {
    program_.readings[at].keep = program_.readings[at].keep || keep;
    std::uint32_t next = none32;
    if (token.star) {
      next = program_.readings[at].star;
    } else {
      for (const auto& [key, state] : program_.readings[at].children) {
        if (key == token.text) {
          next = state;
        }
      }
    }
    if (next == none32) {
      next = new_reading();
      if (token.star) {
        program_.readings[at].star = next;
      } else {
        program_.readings[at].children.emplace_back(token.text, next);
      }
    }
    at = next;
  }
  return at;
}

// The edges that lead to each schema object.
Compiler::EdgesInto Compiler::edges_into() {
  EdgesInto into;
  for (const Edge& edge : edges_) {
    into[edge.child].push_back(&edge);
  }
  for (const DynamicUse& use : dynamic_uses_) {
    for (std::uint32_t i = 0; i < documents_.resource_count(); ++i) {
      const SchemaResource& r = documents_.resource(i);
      auto lead = [&](const json::Value* schema) {
        auto found = node_by_schema_.find(schema);
        if (found != node_by_schema_.end()) {
          dynamic_edges_.push_back({use.node, found->second, Step::in_place, none32});
          into[found->second].push_back(&dynamic_edges_.back());
        }
      };
      if (use.recursive && r.recursive_anchor) {
        lead(r.root);
      }
      for (const std::string& name : r.dynamic_anchors) {
        if (!use.recursive && use.node->in_place[use.in_place].anchor == name) {
          lead(r.anchors.find(name)->second);
        }
      }
    }
  }
  return into;
}

// What remains wanted above an edge; nothing if the edge leads to another instance.
std::optional<Want> Compiler::want_above(const Edge& edge, const Want& w) {
  Want up = w;
  if (edge.step == Step::apart) {
    return std::nullopt;
  }
  if (edge.step == Step::child) {
    up.levels -= 1;
  } else if (edge.step == Step::path) {
    const auto& path = program_.pointer_patterns[edge.path].tokens;
    if (w.levels >= path.size()) {
      up.levels -= static_cast<std::uint32_t>(path.size());
    } else {
      PointerPattern joined;
      joined.tokens.assign(path.begin(), path.end() - static_cast<std::ptrdiff_t>(w.levels));
      const auto& tokens = program_.pointer_patterns[w.pattern].tokens;
      joined.tokens.insert(joined.tokens.end(), tokens.begin(), tokens.end());
      up.levels = 0;
      up.pattern = static_cast<std::uint32_t>(program_.pointer_patterns.size());
      program_.pointer_patterns.push_back(std::move(joined));
    }
  }
  return up;
}

// Moves wants up to the schema objects at their level. False if there are too many, which is reported.
bool Compiler::raise_wants(EdgesInto& into) {
  std::vector<std::pair<Node*, Want>> work;
  for (Node& node : program_.nodes) {
    auto found = wants_.find(&node);
    if (found != wants_.end()) {
      for (const Want& w : found->second) {
        work.emplace_back(&node, w);
      }
    }
  }
  constexpr std::size_t work_max = 1'000'000;
  std::size_t done = 0;
  while (!work.empty()) {
    auto [node, w] = work.back();
    work.pop_back();
    if (w.levels == 0) {
      continue;
    }
    if (++done > work_max) {
      documents_.fail(0, "", 0, "too many rules read other places from too many schemas");
      return false;
    }
    for (const Edge* edge : into[node]) {
      const std::optional<Want> up = want_above(*edge, w);
      if (up && wants_[edge->parent].insert(*up).second) {
        work.emplace_back(edge->parent, *up);
      }
    }
  }
  return true;
}

void Compiler::link_readings() {
  EdgesInto into = edges_into();
  if (!raise_wants(into)) {
    return;
  }
  for (Node& node : program_.nodes) {
    link_readings_of(node);
  }
}

void Compiler::link_readings_of(Node& node) {
  const PointerPattern whole;
  std::uint32_t start = none32;
  auto begin = [&] {
    if (start == none32) {
      start = new_reading();
      extra(node).readings.push_back(start);
    }
    return start;
  };
  auto found = wants_.find(&node);
  if (found != wants_.end()) {
    for (const Want& w : found->second) {
      if (w.levels != 0) {
        continue;
      }
      // Copied, because add_reading may move the patterns.
      const PointerPattern& pattern = w.pattern == none32 ? whole : program_.pointer_patterns[w.pattern];
      std::uint32_t leaf = add_reading(begin(), pattern, true);
      program_.readings[leaf].keep_all = true;
    }
  }
  if (compares_to_containers(node)) {
    program_.readings[begin()].keep_all = true;
  }
  if (tells_containers_apart(node)) {
    PointerPattern items;
    items.tokens.push_back(star_token());
    program_.readings[add_reading(begin(), items, false)].keep_all = true;
  }
  for (const ByUse& use : bys_) {
    if (use.node == &node) {
      link_items(use);
    }
  }
  if (node.extra) {
    for (std::size_t i = 0; i < node.extra->pointed.size(); ++i) {
      const PointerPattern& pattern = program_.pointer_patterns[node.extra->pointed[i].pattern];
      if (pattern.base != json::PointerBase::context) {
        std::uint32_t leaf = add_reading(begin(), pattern, false);
        program_.readings[leaf].applies.push_back(static_cast<std::uint32_t>(i));
      }
    }
  }
  for (const TreeUse& use : trees_) {
    if (use.node == &node && !rides(use)) {
      link_tree(use);
    }
  }
}

// `distinct` with `by` has its own start state: each value is collected for one rule.
void Compiler::link_items(const ByUse& use) {
  PointerPattern path;
  path.tokens.push_back(star_token());
  const auto& by = program_.pointer_patterns[use.by].tokens;
  path.tokens.insert(path.tokens.end(), by.begin(), by.end());
  std::uint32_t apart = new_reading();
  extra(*use.node).readings.push_back(apart);
  program_.readings[add_reading(apart, path, false)].collect = static_cast<std::uint32_t>(use.distinct);
}

// acyclic and distinct over the same tree read each label once. True if another rule reads it for this one.
bool Compiler::rides(const TreeUse& use) {
  const DistinctPart& part = use.node->extra->trees[use.tree];
  for (const TreeUse& other : trees_) {
    DistinctPart& first = use.node->extra->trees[other.tree];
    if (other.node == use.node && other.tree < use.tree && first.kw != part.kw && first.rider == none32 &&
        first.fold.trim == part.fold.trim && first.fold.lowercase == part.fold.lowercase && other.from == use.from &&
        other.children == use.children && other.by == use.by) {
      first.rider = static_cast<std::uint32_t>(use.tree);
      return true;
    }
  }
  return false;
}

void Compiler::link_tree(const TreeUse& use) {
  std::uint32_t root = new_reading();
  extra(*use.node).readings.push_back(root);
  std::uint32_t at = add_reading(root, program_.pointer_patterns[use.from], false);
  program_.readings[at].tree_node = static_cast<std::uint32_t>(use.tree);
  // The way to the children ends where it began.
  PointerPattern way = program_.pointer_patterns[use.children];
  json::PointerToken last = way.tokens.back();
  way.tokens.pop_back();
  std::uint32_t before = add_reading(at, way, false);
  if (last.star) {
    program_.readings[before].star = at;
  } else {
    program_.readings[before].children.emplace_back(last.text, at);
  }
  std::uint32_t leaf = add_reading(at, program_.pointer_patterns[use.by], false);
  program_.readings[leaf].collect = static_cast<std::uint32_t>(use.tree) | tree_collect_flag;
}

void Compiler::link_fast_accept() {
  for (Node& node : program_.nodes) {
    node.tracks =
        (node.array && node.array->unevaluated != nullptr) || (node.object && node.object->unevaluated != nullptr);
    if (node.object) {
      ObjectPart& o = *node.object;
      o.few = o.slots.size() <= 64;
      if (o.few) {
        for (std::uint32_t s : o.required) {
          o.required_mask |= std::uint64_t{1} << s;
        }
      }
    }
    if (node.number) {
      find_fast_bounds(*node.number);
    }
    if (node.object) {
      ObjectPart& o = *node.object;
      o.simple = o.few && o.pattern_properties.empty() && o.names == nullptr && o.max_properties == no_bound;
      for (const Slot& s : o.slots) {
        o.simple = o.simple && s.dependent_schema == none32;
      }
    }
    if (node.array) {
      ArrayPart& a = *node.array;
      a.simple = a.prefix.empty() && !a.contains && a.unevaluated == nullptr;
      a.compares_items = a.unique || std::any_of(a.distinct.begin(), a.distinct.end(),
                                                 [](const DistinctPart& d) { return d.by_self; });
    }
    node.settles_plainly =
        !node.tracks && !(node.array && node.array->contains) && !(node.extra && !node.extra->rules.empty());
    node.fast_member =
        node.extra && node.extra->cross.size() == 1 && is_common_member_of(program_, node.extra->cross.front());
    bool extras = node.extra && ((!node.extra->cross.empty() && !node.fast_member) || !node.extra->pointed.empty() ||
                                 !node.extra->rules.empty() || (!node.extra->readings.empty() && !node.fast_member));
    node.plain = node.in_place.empty() && !(node.extra && (!node.extra->rules.empty()));
    node.always = node.always ||
                  (node.schema->is(json::Kind::object) && node.types == type_any && !node.never && !node.scalar &&
                   !node.number && !node.string && !node.array && !node.object && node.in_place.empty() && !node.extra);
    node.fast_scalar = node.plain && !extras && !node.never && node.more_scalars.empty() &&
                       (!node.scalar || node.scalar->only_strings) && (!node.number || node.number->fast) &&
                       (!node.string || node.string->text_rules.empty());
  }
}

// A schema that is only a reference is replaced by its target, which saves an evaluation at each instance. Not if
// dynamic scopes are in use, because they see the resources on the way.
void Compiler::link_references() {
  if (!dynamic_uses_.empty()) {
    return;
  }
  auto target = [](const Node* node) {
    for (int hops = 0; node != nullptr && hops < 100; ++hops) {
      bool only_reference = node->in_place.size() == 1 && node->in_place.front().form == InPlaceForm::reference &&
                            node->types == type_any && !node->never && !node->scalar && !node->number &&
                            !node->string && !node->array && !node->object && !node->extra &&
                            node->more_scalars.empty();
      if (!only_reference) {
        break;
      }
      node = node->in_place.front().node;
    }
    return node;
  };
  for (Node& node : program_.nodes) {
    for (InPlace& in : node.in_place) {
      in.node = target(in.node);
      in.then_node = target(in.then_node);
      in.else_node = target(in.else_node);
      for (const Node*& branch : in.branches) {
        branch = target(branch);
      }
    }
    if (node.array) {
      for (const Node*& item : node.array->prefix) {
        item = target(item);
      }
      node.array->items = target(node.array->items);
      node.array->unevaluated = target(node.array->unevaluated);
      if (node.array->contains) {
        node.array->contains->node = target(node.array->contains->node);
      }
    }
    if (node.object) {
      for (Slot& s : node.object->slots) {
        s.node = target(s.node);
      }
      for (ObjectPart::PatternProperty& p : node.object->pattern_properties) {
        p.node = target(p.node);
      }
      node.object->additional = target(node.object->additional);
      node.object->names = target(node.object->names);
      node.object->unevaluated = target(node.object->unevaluated);
    }
    if (node.extra) {
      for (PointedSchema& pointed : node.extra->pointed) {
        pointed.node = target(pointed.node);
      }
      for (Rule& rule : node.extra->rules) {
        rule.check = target(rule.check);
      }
    }
  }
  program_.root = target(program_.root);
}

void Compiler::link() {
  link_discriminators();
  link_loops();
  if (documents_.failed()) {
    return;
  }
  link_readings();
  link_references();
  link_fast_accept();
  plan_fast_paths(program_);
  stable_sort(program_.context_read);
  program_.context_read.erase(std::unique(program_.context_read.begin(), program_.context_read.end()),
                              program_.context_read.end());
  // The resources, for dynamic scopes.
  for (std::uint32_t i = 0; i < documents_.resource_count(); ++i) {
    const SchemaResource& r = documents_.resource(i);
    Resource out;
    out.uri = r.uri;
    out.dialect = r.dialect;
    out.recursive_anchor = r.recursive_anchor;
    auto node_of = [&](const json::Value* schema) -> const Node* {
      auto found = node_by_schema_.find(schema);
      return found == node_by_schema_.end() ? nullptr : found->second;
    };
    out.root = node_of(r.root);
    for (const std::string& name : r.dynamic_anchors) {
      if (const Node* node = node_of(r.anchors.find(name)->second)) {
        out.dynamic_anchors.emplace_back(name, node);
      }
    }
    program_.resources.push_back(std::move(out));
  }
  program_.uses_dynamic_scope = !dynamic_uses_.empty();
}

}  // namespace plumb::contract
