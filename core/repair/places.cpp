#include "core/repair/places.hpp"

#include "core/require.hpp"

namespace plumb::repair {

using contract::EditClass;
using contract::EditLevel;
using contract::Kw;
using contract::Node;

namespace {

constexpr unsigned steps_max = 32;  // references that are followed at one place
constexpr std::size_t nodes_max = 32;
constexpr unsigned alternatives_max = 256;  // schemas that are looked at for one question

std::uint8_t types_of(const Node& node) {
  std::uint8_t types = node.types;
  if ((types & contract::type_integer) != 0) {
    types = static_cast<std::uint8_t>(types | contract::type_number);
  }
  return types & contract::type_any;
}

std::uint8_t kinds_of(const contract::ScalarPart& values) {
  std::uint8_t kinds = 0;
  for (const contract::Value& one : values.members) {
    kinds = static_cast<std::uint8_t>(kinds | contract::bit_of(one.value.kind));
  }
  return kinds;
}

// `left`: the number of schemas that may still be looked at. If there are more, anything may fit.
std::uint8_t kinds_of(const Node& node, unsigned depth, unsigned& left) {
  if (node.never) {
    return 0;
  }
  if (node.always || node.severity != contract::Severity::error || depth > steps_max || left == 0) {
    return contract::type_any;
  }
  --left;
  std::uint8_t kinds = types_of(node);
  if (node.scalar != nullptr) {
    kinds = kinds & kinds_of(*node.scalar);
  }
  for (const auto& more : node.more_scalars) {
    kinds = kinds & kinds_of(*more);
  }
  for (const contract::InPlace& in : node.in_place) {
    if (in.joins() && in.node != nullptr) {
      kinds = kinds & kinds_of(*in.node, depth + 1, left);
    } else if (in.form == contract::InPlaceForm::alternatives) {
      std::uint8_t any = 0;
      for (const Node* branch : in.branches) {
        any = static_cast<std::uint8_t>(any | kinds_of(*branch, depth + 1, left));
      }
      kinds = kinds & any;
    }
  }
  return kinds;
}

const contract::Slot* slot_of(const contract::ObjectPart& o, std::string_view key) {
  if (o.table.empty()) {
    return nullptr;
  }
  for (std::uint32_t h = contract::slot_hash(key) & o.table_mask; o.table[h] != 0; h = (h + 1) & o.table_mask) {
    const contract::Slot& slot = o.slots[o.table[h] - 1];
    if (slot.key == key) {
      return &slot;
    }
  }
  return nullptr;
}

// True if an object that this node judges may need the member. Also true if that is not known.
bool may_ask_for(const Node* node, std::string_view key, unsigned depth, unsigned& left) {
  if (node == nullptr || node->always || node->never) {
    return false;
  }
  if (depth > steps_max || left == 0) {
    return true;
  }
  --left;
  if (node->object != nullptr) {
    const contract::Slot* slot = slot_of(*node->object, key);
    if (node->object->min_properties != 0 || (slot != nullptr && slot->required != contract::none32)) {
      return true;
    }
    for (const contract::Dependent& one : node->object->dependents) {
      for (std::string_view required : one.required) {
        if (required == key) {
          return true;
        }
      }
    }
  }
  for (const contract::InPlace& in : node->in_place) {
    if (!in.anchor.empty()) {
      return true;  // it depends on the path to this schema
    }
    for (const Node* below : {in.node, in.then_node, in.else_node}) {
      if (may_ask_for(below, key, depth + 1, left)) {
        return true;
      }
    }
    for (const Node* branch : in.branches) {
      if (may_ask_for(branch, key, depth + 1, left)) {
        return true;
      }
    }
  }
  if (node->extra != nullptr) {
    for (const contract::Rule& rule : node->extra->rules) {
      if (may_ask_for(rule.check, key, depth + 1, left)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Places::Places(const contract::Program& program) : program_(&program) { reset(); }

void Places::reset() {
  nodes_.clear();
  frames_.clear();
  levels_.assign(1, contract::EditLevels());
  next_ = Frame();
  add(program_->root, 0);
  settle_levels();
}

void Places::begin_next() {
  PLUMB_REQUIRE(!frames_.empty(), "a member or item is in a container");
  const Frame& open = frames_.back();
  nodes_.resize(open.to);
  next_.from = open.to;
  next_.to = open.to;
  next_.levels = open.levels;
  levels_.resize(open.levels + 1);
}

void Places::add(const Node* node, unsigned depth) {
  if (node == nullptr || node->always || node->never || depth > steps_max || nodes_.size() - next_.from >= nodes_max) {
    return;
  }
  for (std::size_t i = next_.from; i < nodes_.size(); ++i) {
    if (nodes_[i] == node) {
      return;
    }
  }
  nodes_.push_back(node);
  for (const contract::InPlace& in : node->in_place) {
    if (in.joins()) {
      add(in.node, depth + 1);
    }
  }
}

void Places::settle_levels() {
  next_.to = static_cast<std::uint32_t>(nodes_.size());
  for (std::uint32_t i = next_.from; i < next_.to; ++i) {
    if (nodes_[i]->extra == nullptr || nodes_[i]->extra->edits == nullptr) {
      continue;
    }
    contract::EditLevels merged = levels_[next_.levels];
    for (std::size_t c = 0; c < contract::edit_classes; ++c) {
      if (nodes_[i]->extra->edits->of[c] != EditLevel::unset) {
        merged.of[c] = nodes_[i]->extra->edits->of[c];
      }
    }
    levels_.push_back(merged);
    next_.levels = static_cast<std::uint32_t>(levels_.size() - 1);
  }
}

void Places::member(std::string_view key) {
  begin_next();
  const Frame open = frames_.back();
  for (std::uint32_t i = open.from; i < open.to; ++i) {
    if (nodes_[i]->object == nullptr) {
      continue;
    }
    const contract::ObjectPart& o = *nodes_[i]->object;
    const contract::Slot* slot = slot_of(o, key);
    if (slot != nullptr && slot->node != nullptr) {
      add(slot->node, 0);
    } else if (o.pattern_properties.empty()) {
      add(o.additional, 0);
    }
  }
  settle_levels();
}

void Places::item(std::uint64_t index) {
  begin_next();
  const Frame open = frames_.back();
  for (std::uint32_t i = open.from; i < open.to; ++i) {
    if (nodes_[i]->array == nullptr) {
      continue;
    }
    const contract::ArrayPart& a = *nodes_[i]->array;
    add(index < a.prefix.size() ? a.prefix[static_cast<std::size_t>(index)] : a.items, 0);
  }
  settle_levels();
}

void Places::open() { frames_.push_back(next_); }

void Places::close() {
  PLUMB_REQUIRE(!frames_.empty(), "what closes was open");
  next_ = frames_.back();
  frames_.pop_back();
  nodes_.resize(next_.to);
}

std::uint8_t Places::types() const {
  std::uint8_t types = contract::type_any;
  for (std::uint32_t i = next_.from; i < next_.to; ++i) {
    types = types & types_of(*nodes_[i]);
  }
  return types;
}

std::uint8_t Places::kinds() const {
  std::uint8_t kinds = contract::type_any;
  unsigned left = alternatives_max;
  for (std::uint32_t i = next_.from; i < next_.to; ++i) {
    kinds = kinds & kinds_of(*nodes_[i], 0, left);
  }
  return kinds;
}

bool Places::optional(std::string_view key) const {
  PLUMB_REQUIRE(!frames_.empty(), "a member is in a container");
  bool named = false;
  unsigned left = alternatives_max;
  const Frame& open = frames_.back();
  for (std::uint32_t i = open.from; i < open.to; ++i) {
    if (may_ask_for(nodes_[i], key, 0, left)) {
      return false;
    }
    const contract::Slot* slot = nodes_[i]->object == nullptr ? nullptr : slot_of(*nodes_[i]->object, key);
    named = named || (slot != nullptr && slot->node != nullptr);
  }
  return named;
}

const contract::ScalarPart* Places::texts() const {
  const contract::ScalarPart* found = nullptr;
  for (std::uint32_t i = next_.from; i < next_.to; ++i) {
    const Node& node = *nodes_[i];
    if (node.scalar == nullptr) {
      continue;
    }
    if (found != nullptr || !node.more_scalars.empty() || !node.scalar->only_strings) {
      return nullptr;
    }
    found = node.scalar.get();
  }
  return found;
}

std::uint8_t Places::item_types() const {
  std::uint8_t types = contract::type_any;
  for (std::uint32_t i = next_.from; i < next_.to; ++i) {
    const Node& node = *nodes_[i];
    if (node.array == nullptr) {
      continue;
    }
    const Node* item = node.array->prefix.empty() ? node.array->items : node.array->prefix.front();
    for (unsigned steps = 0; item != nullptr && steps < steps_max; ++steps) {
      types = types & types_of(*item);
      const Node* further = nullptr;
      for (const contract::InPlace& in : item->in_place) {
        if (in.form == contract::InPlaceForm::reference) {
          further = in.node;
        }
      }
      item = further;
    }
  }
  return types;
}

bool Places::requires_members() const {
  for (std::uint32_t i = next_.from; i < next_.to; ++i) {
    if (nodes_[i]->object != nullptr && !nodes_[i]->object->required.empty()) {
      return true;
    }
  }
  return false;
}

void Places::required(std::vector<std::string_view>& out) const {
  for (std::uint32_t i = next_.from; i < next_.to; ++i) {
    if (nodes_[i]->object == nullptr) {
      continue;
    }
    for (std::uint32_t slot : nodes_[i]->object->required) {
      out.push_back(nodes_[i]->object->slots[slot].key);
    }
  }
}

bool Places::knows(std::string_view key) const {
  for (std::uint32_t i = next_.from; i < next_.to; ++i) {
    if (nodes_[i]->object != nullptr && slot_of(*nodes_[i]->object, key) != nullptr) {
      return true;
    }
  }
  return false;
}

EditLevel Places::level(EditClass c) const { return levels_[next_.levels][c]; }

}  // namespace plumb::repair
