// The beginning of an array's items: asks for their schemas, and reports the bounds that an item breaks.

#include "core/contract/engine/containers.hpp"

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/counts.hpp"

namespace plumb::contract {

using json::Kind;

std::uint32_t want_alone(Engine& engine, Wanted w, const Node* node, Kw kw, Position position, std::uint32_t number) {
  const std::uint32_t g = new_group(engine, kw, w.parent, nullptr, position, number);
  engine.groups[g].index = number;
  w.group = g;
  w.branch = 0;
  w.sink = new_branch(engine, g, engine.evaluations[w.parent].sink);
  w.node = node;
  w.kw = kw;
  w.position = position;
  w.order = number;
  engine.wanted.push_back(w);
  return w.sink;
}

namespace {

// Asks for the schemas that an array's schema object wants at item `i`.
void want_item(Engine& engine, std::uint32_t index, const ArrayPart& a, std::uint32_t i) {
  Wanted w;
  w.parent = index;
  w.scope = engine.evaluations[index].scope;
  w.sink = engine.evaluations[index].sink;
  w.order = i;
  if (i == a.max_items) {
    report_too_many(engine, index, a, engine.now);
  }
  const bool in_prefix = i < a.prefix.size();
  const bool evaluated = in_prefix || a.items != nullptr;
  if (evaluated) {
    w.node = in_prefix ? a.prefix[i] : a.items;
    w.kw = in_prefix ? Kw::prefix_items : a.items_kw;
    w.position = in_prefix ? a.prefix_at : a.items_at;
    if (!w.node->always) {
      engine.wanted.push_back(w);
    }
  }
  if (a.contains && a.contains->node != nullptr) {
    const std::uint32_t b = want_alone(engine, w, a.contains->node, Kw::contains, a.contains->position, i);
    engine.branches[b].state = BranchState::discarded;
  }
  if (engine.evaluations[index].tracks && evaluated) {
    extension_of(engine, engine.evaluations[index]).evaluated.set(i);
  }
  if (a.unevaluated != nullptr && !evaluated && !a.unevaluated->always) {
    want_alone(engine, w, a.unevaluated, Kw::unevaluated_items, a.unevaluated_at, i);
  }
}

}  // namespace

void item_begin(Engine& engine) {
  if (engine.frames.empty()) {
    return;
  }
  Frame& frame = engine.frames.back();
  if (frame.kind == Kind::object) {
    return;  // read_key() has done this already
  }
  std::uint32_t i = frame.count++;
  engine.wanted.clear();
  engine.memory.next_readings.clear();
  if (frame.simple_items && i < frame.items_room) {
    if (frame.item_node != nullptr) {
      const Evaluation& e = engine.evaluations[engine.place[frame.evaluations_from]];
      engine.wanted.emplace_back();
      Wanted& w = engine.wanted.back();
      w.node = frame.item_node;
      w.parent = engine.place[frame.evaluations_from];
      w.kw = e.node->array->items_kw;
      w.position = e.node->array->items_at;
      w.order = i;
      w.sink = e.sink;
      w.scope = e.scope;
    }
  } else {
    for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
      const Node& node = *engine.evaluations[engine.place[k]].node;
      if (node.array) {
        want_item(engine, engine.place[k], *node.array, i);
      }
    }
  }
  if (frame.readings_from != frame.readings_to) {
    readings_for_child(engine, frame);
  }
}

void readings_for_child(Engine& engine, const Frame& frame) {
  engine.memory.next_readings.clear();
  for (std::uint32_t i = frame.readings_from; i < frame.readings_to; ++i) {
    const AutomatonState& reading = engine.program->readings[engine.memory.readings[i].state];
    if (reading.star != none32) {
      engine.memory.next_readings.push_back({reading.star, engine.memory.readings[i].owner});
    }
    if (reading.children.empty()) {
      continue;
    }
    if (frame.kind == Kind::object) {
      std::string_view key = key_of(engine, frame);
      for (const auto& [name, state] : reading.children) {
        if (name == key) {
          engine.memory.next_readings.push_back({state, engine.memory.readings[i].owner});
        }
      }
    } else {
      std::string index = std::to_string(frame.count - 1);
      for (const auto& [name, state] : reading.children) {
        if (name == index) {
          engine.memory.next_readings.push_back({state, engine.memory.readings[i].owner});
        }
      }
    }
  }
  for (const AutomatonAt& at : engine.memory.next_readings) {
    const AutomatonState& reading = engine.program->readings[at.state];
    if (!reading.applies.empty()) {
      want_applied(engine, reading, at.owner);
    }
  }
}

void want_applied(Engine& engine, const AutomatonState& reading, std::uint32_t owner) {
  for (std::uint32_t a : reading.applies) {
    const PointedSchema& pointed = engine.evaluations[owner].node->extra->pointed[a];
    Wanted w;
    w.node = pointed.node;
    w.parent = owner;
    w.kw = pointed.kw;
    w.position = pointed.position;
    w.order = pointed.order;
    w.sink = engine.evaluations[owner].sink;
    w.scope = engine.evaluations[owner].scope;
    if (pointed.rule != none32) {
      std::uint32_t g = new_group(engine, Kw::rules, owner, nullptr, pointed.position, pointed.order);
      engine.groups[g].rule = pointed.rule;
      engine.groups[g].index =
          static_cast<std::uint32_t>(engine.extensions[engine.evaluations[owner].extension].groups.size() - 1);
      w.group = g;
      w.branch = 0;
      w.sink = new_branch(engine, g, engine.evaluations[owner].sink);
    }
    engine.wanted.push_back(w);
  }
}

}  // namespace plumb::contract
