#include "core/compare/schemas.hpp"

#include <algorithm>

#include "core/contract/engine/engine.hpp"

namespace plumb::compare {

using json::Kind;

Kind kind_of(Sort sort) {
  switch (sort) {
    case Sort::null:
      return Kind::null;
    case Sort::boolean:
      return Kind::boolean;
    case Sort::string:
      return Kind::string;
    case Sort::array:
      return Kind::array;
    case Sort::object:
      return Kind::object;
    default:
      return Kind::number;
  }
}

namespace {

// Whether two contracts differ in white space alone, as far as references can tell.
bool written_alike(const Program& a, const Program& b) {
  if (a.hash == b.hash) {
    return true;
  }
  if (a.nodes.size() != b.nodes.size() || a.resources.size() != b.resources.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    if (a.nodes[i].location != b.nodes[i].location || a.nodes[i].resource != b.nodes[i].resource ||
        !json::equal(*a.nodes[i].schema, *b.nodes[i].schema)) {
      return false;
    }
  }
  for (std::size_t i = 0; i < a.resources.size(); ++i) {
    const contract::Resource& x = a.resources[i];
    const contract::Resource& y = b.resources[i];
    if (x.uri != y.uri || x.dialect != y.dialect || x.recursive_anchor != y.recursive_anchor ||
        x.dynamic_anchors.size() != y.dynamic_anchors.size()) {
      return false;
    }
    for (std::size_t j = 0; j < x.dynamic_anchors.size(); ++j) {
      if (x.dynamic_anchors[j].first != y.dynamic_anchors[j].first ||
          x.dynamic_anchors[j].second->location != y.dynamic_anchors[j].second->location) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

Schemas::Schemas(const contract::Contract& first, const contract::Contract& second)
    : first_(first.shared_program()), second_(second.shared_program()) {
  append(*first_);
  first_size_ = nodes_.size();
  if (second_ != first_) {
    append(*second_);
  }
  same_text_ = (first_->uses_dynamic_scope || second_->uses_dynamic_scope) && written_alike(*first_, *second_);
  std::sort(by_address_.begin(), by_address_.end());
  alone_.assign(nodes_.size(), true);
  barred_.assign(nodes_.size() * std::size(sorts), Barred::not_known);
  spelling_.assign(nodes_.size(), false);
  std::vector<std::vector<SchemaId>> below_of(nodes_.size());
  for (SchemaId i = 0; i < nodes_.size(); ++i) {
    const Node& node = *nodes_[i];
    const bool reads =
        node.extra && (!node.extra->cross.empty() || !node.extra->pointed.empty() || !node.extra->rules.empty());
    alone_[i] = !reads;
    for (const InPlace& in : node.in_place) {
      alone_[i] = alone_[i] && (in.anchor.empty() || target(i, in) != no_schema);
    }
    spelling_[i] = node.plain_integer && (node.types & contract::type_integer) != 0;
    below_of[i] = below(i);
  }
  for (bool changed = true; changed;) {  // at most as often as schemas are nested
    changed = false;
    for (SchemaId i = 0; i < nodes_.size(); ++i) {
      for (const SchemaId child : below_of[i]) {
        changed = changed || (alone_[i] && !alone_[child]) || (!spelling_[i] && spelling_[child]);
        alone_[i] = alone_[i] && alone_[child];
        spelling_[i] = spelling_[i] || spelling_[child];
      }
    }
  }
}

void Schemas::append(const Program& program) {
  for (const Node& node : program.nodes) {
    by_address_.emplace_back(&node, static_cast<SchemaId>(nodes_.size()));
    nodes_.push_back(&node);
  }
}

SchemaId Schemas::id(const Node* node) const {
  const auto found = std::lower_bound(by_address_.begin(), by_address_.end(), node,
                                      [](const auto& entry, const Node* wanted) { return entry.first < wanted; });
  return found != by_address_.end() && found->first == node ? found->second : no_schema;
}

// All that a schema leads to.
std::vector<SchemaId> Schemas::below(SchemaId id_of) const {
  const Node& node = *nodes_[id_of];
  std::vector<SchemaId> out;
  const auto add = [&](const Node* one) {
    if (one != nullptr) {
      out.push_back(id(one));
    }
  };
  for (const InPlace& in : node.in_place) {
    add(in.node);
    add(in.then_node);
    add(in.else_node);
    for (const Node* branch : in.branches) {
      add(branch);
    }
    if (!in.anchor.empty() && target(id_of, in) != no_schema) {
      out.push_back(target(id_of, in));
    }
  }
  if (node.array) {
    for (const Node* item : node.array->prefix) {
      add(item);
    }
    add(node.array->items);
    add(node.array->contains ? node.array->contains->node : nullptr);
    add(node.array->unevaluated);
  }
  if (node.object) {
    for (const Slot& slot : node.object->slots) {
      add(slot.node);
    }
    for (const ObjectPart::PatternProperty& one : node.object->pattern_properties) {
      add(one.node);
    }
    add(node.object->additional);
    add(node.object->names);
    add(node.object->unevaluated);
  }
  return out;
}

SchemaId Schemas::target(SchemaId owner, const InPlace& in) const {
  if (in.anchor.empty()) {
    return id(in.node);
  }
  // An anchor that one place alone has leads there from everywhere.
  const Node* found = nullptr;
  for (const contract::Resource& resource : program(owner).resources) {
    const Node* here = nullptr;
    if (in.kw == Kw::recursive_ref) {
      here = resource.recursive_anchor ? resource.root : nullptr;
    } else {
      for (const auto& [name, node] : resource.dynamic_anchors) {
        here = name == in.anchor ? node : here;
      }
    }
    if (here != nullptr && found != nullptr && here != found) {
      return no_schema;
    }
    found = here != nullptr ? here : found;
  }
  return found == in.node ? id(found) : no_schema;
}

bool Schemas::takes(SchemaId id_of, Sort sort) const {
  const Node& node = *nodes_[id_of];
  if (node.always || !refuses(id_of)) {
    return !node.never;
  }
  if (node.never) {
    return false;
  }
  if ((node.types & contract::bit_of(kind_of(sort))) != 0) {
    return true;
  }
  return (node.types & contract::type_integer) != 0 &&
         (sort == Sort::integer || (sort == Sort::odd_integer && !node.plain_integer));
}

bool Schemas::bars(SchemaId id_of, Sort sort) const {
  Barred& known = barred_[id_of * std::size(sorts) + static_cast<std::size_t>(sort)];
  if (known == Barred::not_known) {
    known = Barred::looked_at;  // dynamic references may lead back: then it is not known
    known = finds_barred(id_of, sort) ? Barred::yes : Barred::no;
  }
  return known == Barred::yes;
}

bool Schemas::finds_barred(SchemaId id_of, Sort sort) const {
  const Node& node = *nodes_[id_of];
  if (!takes(id_of, sort)) {
    return true;
  }
  if (refuses(id_of) && node.scalar) {
    const Kind kind = kind_of(sort);
    const auto has = [kind](const contract::ScalarPart& part) {
      return std::any_of(part.members.begin(), part.members.end(),
                         [kind](const contract::Value& value) { return value.value.is(kind); });
    };
    bool any = has(*node.scalar);
    for (const auto& more : node.more_scalars) {
      any = any && has(*more);
    }
    if (!any) {
      return true;
    }
  }
  for (const InPlace& in : node.in_place) {
    if (in.joins() || in.form == InPlaceForm::dynamic) {
      const SchemaId to = target(id_of, in);
      if (to != no_schema && bars(to, sort)) {
        return true;
      }
    } else if (in.form == InPlaceForm::alternatives && refuses(id_of)) {
      if (std::all_of(in.branches.begin(), in.branches.end(),
                      [&](const Node* branch) { return bars(id(branch), sort); })) {
        return true;
      }
    }
  }
  return false;
}

Three Schemas::judge(SchemaId id_of, std::string_view text) const {
  const Node& node = *nodes_[id_of];
  if (node.always || node.never) {
    return node.always ? Three::yes : Three::no;
  }
  if (!alone_[id_of]) {
    return Three::maybe;
  }
  contract::Engine engine(of_first(id_of) ? first_ : second_, &node, {});
  const contract::Verdict verdict = engine.check_whole(text);
  return verdict.decision == contract::Decision::undecided ? Three::maybe : verdict.valid ? Three::yes : Three::no;
}

const Slot* slot_of(const ObjectPart& object, std::string_view key) {
  if (object.table.empty()) {
    return nullptr;
  }
  for (std::uint32_t h = contract::slot_hash(key) & object.table_mask; object.table[h] != 0;
       h = (h + 1) & object.table_mask) {
    const Slot& slot = object.slots[object.table[h] - 1];
    if (slot.key == key) {
      return &slot;
    }
  }
  return nullptr;
}

bool matches(const Program& program, std::uint32_t pattern, std::string_view name) {
  text::Matcher matcher(program.patterns[pattern]);
  return matcher.search(name);
}

std::string_view pattern_source(const Node& node, const ObjectPart::PatternProperty& property) {
  const json::Value* list = node.schema->find("patternProperties");
  if (list == nullptr || property.order >= list->object().size()) {
    return {};
  }
  return list->object()[property.order].key;
}

}  // namespace plumb::compare
