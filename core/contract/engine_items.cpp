// Items of arrays as they begin: which schemas are wanted there, and the bounds that an item breaks.

#include "core/contract/engine.hpp"

namespace plumb::contract {

using json::Kind;

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

}  // namespace plumb::contract
