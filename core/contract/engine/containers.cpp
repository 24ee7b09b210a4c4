#include "core/contract/engine/containers.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/counts.hpp"
#include "core/contract/keywords/distinct.hpp"
#include "core/contract/keywords/required.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

void close_object(Engine& engine, Evaluation& e, std::uint32_t index, const Frame& frame) {
  const ObjectPart& o = *e.node->object;
  judge_required(engine, e, index, o);
  judge_count(engine, index, o, frame.count);
  judge_dependents(engine, index, o);
}

// Notes what a reading requires of an array's items: nothing, only that they are remembered, or a look at each.
void note_items(const Engine& engine, Frame& frame, const AutomatonState& reading, bool& named) {
  if (!reading.children.empty()) {
    named = true;
  }
  if (reading.star != none32) {
    const AutomatonState& items = engine.program->readings[reading.star];
    frame.items_kept = frame.items_kept || items.keep || items.keep_all;
    named = named || items.collect != none32 || !items.applies.empty();
  }
}

// Takes over the readings of a container, both from outside and from its own schema objects. True if members or items
// must be looked at one by one, because a reading goes by name or does more than remember.
bool open_readings(Engine& engine, Frame& frame) {
  const std::size_t at = engine.frames.size() - 1;
  frame.readings_from = static_cast<std::uint32_t>(engine.memory.readings.size());
  const bool parent_all = at > 0 && engine.frames[at - 1].records_all;
  frame.records_all = parent_all;
  bool named_readings = false;
  for (const AutomatonAt& r : engine.memory.next_readings) {
    engine.memory.readings.push_back(r);
    const AutomatonState& reading = engine.program->readings[r.state];
    frame.records = frame.records || reading.keep;
    frame.records_all = frame.records_all || reading.keep_all || reading.collect != none32;
    frame.collects = frame.collects || reading.collect != none32;
    frame.has_trees = frame.has_trees || reading.tree_node != none32;
    note_items(engine, frame, reading, named_readings);
  }
  frame.kept = at > 0 && engine.frames[at - 1].records && (parent_all || frame.records || frame.records_all);
  for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
    std::uint32_t index = engine.place[k];
    const Node& node = *engine.evaluations[index].node;
    if (frame.kind == Kind::array && node.array) {
      engine.evaluations[index].seen = 1;  // it is an array: `contains` applies
      frame.item_hooks = frame.item_hooks || node.array->compares_items;
    }
    if (node.extra) {
      frame.needs_value = frame.needs_value || !node.extra->cross.empty();
      for (std::uint32_t start : node.extra->readings) {
        engine.memory.readings.push_back({start, index});
        const AutomatonState& reading = engine.program->readings[start];
        frame.records = frame.records || reading.keep;
        frame.records_all = frame.records_all || reading.keep_all;
        frame.has_trees = frame.has_trees || reading.tree_node != none32;
        note_items(engine, frame, reading, named_readings);
      }
    }
  }
  frame.readings_to = static_cast<std::uint32_t>(engine.memory.readings.size());
  frame.records = frame.records || frame.records_all;
  if (frame.records && engine.memory.recording++ == 0) {
    frame.releases = true;
    frame.mark = engine.memory.arena.mark();
  }
  return named_readings;
}

// For an array with one schema object at most: notes if all its items are asked for one schema and nothing else.
void note_simple_items(const Engine& engine, Frame& frame) {
  const Evaluation* e = frame.evaluations_from == frame.evaluations_to
                            ? nullptr
                            : &engine.evaluations[engine.place[frame.evaluations_from]];
  const ArrayPart* array = e == nullptr ? nullptr : e->node->array.get();
  if (e != nullptr && (e->tracks || (array != nullptr && !array->simple))) {
    return;
  }
  frame.simple_items = true;
  frame.item_node = array == nullptr || array->items == nullptr || array->items->always ? nullptr : array->items;
  frame.items_room =
      array == nullptr ? none32 : static_cast<std::uint32_t>(std::min<std::uint64_t>(array->max_items, none32));
  frame.items_kept = (frame.items_kept || frame.records_all) && frame.records;
}

// The value of a container that ends, made from its remembered children.
json::Value remembered_value(Engine& engine, const Frame& frame, std::uint64_t to) {
  const std::vector<json::Member>& values = engine.memory.values;
  const std::size_t size = values.size() - frame.values_from;
  json::Value value;
  value.kind = frame.kind;
  value.size = static_cast<std::uint32_t>(size);
  value.from = frame.from;
  value.to = to;
  if (frame.kind == Kind::object) {
    json::Member* members = engine.memory.arena.array<json::Member>(size);
    std::copy(values.begin() + frame.values_from, values.end(), members);
    value.members = members;
  } else {
    json::Value* items = engine.memory.arena.array<json::Value>(size);
    for (std::size_t i = 0; i < size; ++i) {
      items[i] = values[frame.values_from + i].value;
    }
    value.items = items;
  }
  return value;
}

// Decides everything that only the end of a container decides.
void close_evaluations(Engine& engine, std::size_t at, const json::Value& value) {
  const Kind kind = engine.frames[at].kind;
  for (std::uint32_t k = engine.frames[at].evaluations_from; k < engine.frames[at].evaluations_to; ++k) {
    const std::uint32_t index = engine.place[k];
    const Node& node = *engine.evaluations[index].node;
    if (kind == Kind::object && node.object) {
      close_object(engine, engine.evaluations[index], index, engine.frames[at]);
    } else if (kind == Kind::array && node.array) {
      judge_count(engine, index, *node.array, engine.frames[at].count);
    }
    if (node.scalar) {
      judge_members_of(engine, index, value);
    }
    if (node.extra && !node.extra->cross.empty()) {
      cross_rules(engine, index, value);
    }
  }
}

// Removes the innermost container: its evaluations close, and its room is freed. Returns its frame.
Frame leave_frame(Engine& engine, std::uint64_t to) {
  const std::size_t at = engine.frames.size() - 1;
  const Frame& frame = engine.frames[at];
  Memory& memory = engine.memory;
  if (frame.collects) {
    memory.arrived.assign(memory.readings.begin() + frame.readings_from, memory.readings.begin() + frame.readings_to);
  }
  engine.spots.last_from = frame.from;
  engine.spots.last_to = to;
  engine.spots.last_placed = frame.placed;
  engine.spots.last_place = frame.place;
  memory.readings.resize(frame.readings_from);
  engine.keys.entries.resize(frame.keys_from);
  engine.keys.bytes.resize(frame.key_bytes_from);
  memory.values.resize(frame.values_from);
  if (frame.key_table != none32) {
    std::vector<std::uint32_t>& table = engine.keys.tables[frame.key_table];
    if (table.size() > 4096) {
      std::vector<std::uint32_t>().swap(table);
    }
    engine.keys.tables.give(frame.key_table);
  }
  end_place(engine, frame.evaluations_from);
  if (engine.frames[at].open_found != none32) {
    complete_frame(engine, engine.frames[at], to);  // findings that became certain while its evaluations closed
  }
  const Frame closed = engine.frames[at];
  engine.frames.pop_back();
  engine.spots.placed_frames = std::min(engine.spots.placed_frames, depth(engine));
  return closed;
}

}  // namespace

Frame& open_frame(Engine& engine, Kind kind, std::uint64_t from) {
  std::uint32_t place_from = static_cast<std::uint32_t>(engine.place.size());
  // Findings from before the first byte, about the context, wait for this container to end.
  std::uint32_t found_first = none32;
  if (!engine.wanted.empty()) {
    std::swap(engine.token.open_found, found_first);
    place_from = begin_place(engine);
    std::swap(engine.token.open_found, found_first);
  }
  engine.frames.emplace_back();
  Frame& frame = engine.frames.back();
  frame.kind = kind;
  frame.from = from;
  frame.open_found = found_first;
  for (std::uint32_t i = found_first; i != none32; i = engine.found[i].next_open) {
    engine.found[i].finding.span.from = from;
    engine.found[i].whole_place = false;
  }
  frame.evaluations_from = place_from;
  frame.evaluations_to = static_cast<std::uint32_t>(engine.place.size());
  frame.keys_from = static_cast<std::uint32_t>(engine.keys.entries.size());
  frame.key_bytes_from = static_cast<std::uint32_t>(engine.keys.bytes.size());
  frame.values_from = static_cast<std::uint32_t>(engine.memory.values.size());
  const bool named_readings = open_readings(engine, frame);
  if (kind == Kind::array && !named_readings && frame.evaluations_to - frame.evaluations_from <= 1) {
    note_simple_items(engine, frame);
  }
  for (std::uint32_t k = frame.readings_from; frame.has_trees && k < frame.readings_to; ++k) {
    const AutomatonAt at = engine.memory.readings[k];
    if (engine.program->readings[at.state].tree_node != none32) {
      tree_begin(engine, engine.program->readings[at.state].tree_node, at.owner);
    }
  }
  if (frame.simple_items) {
    frame.fast_path = fast_items(engine, frame);
  }
  frame.listens = frame.records || frame.item_hooks;
  for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
    frame.listens = frame.listens || engine.evaluations[engine.place[k]].node->discriminates;
  }
  engine.now = from + 1;
  const std::uint32_t evaluations_from = frame.evaluations_from;
  const std::uint32_t evaluations_to = frame.evaluations_to;
  for (std::uint32_t k = evaluations_from; k < evaluations_to; ++k) {
    const Node& node = *engine.evaluations[engine.place[k]].node;
    if ((node.types & bit_of(kind)) == 0 || node.never) {
      check_type(engine, engine.place[k], kind, from);
    }
  }
  engine.memory.next_readings.clear();
  return engine.frames.back();
}

void close_frame(Engine& engine, std::uint64_t to) {
  engine.now = to;
  const std::size_t at = engine.frames.size() - 1;
  json::Value value;
  // The value itself is built only if a rule needs it. Otherwise its remembered children were enough.
  const bool recorded = engine.frames[at].records && (engine.frames[at].records_all || engine.frames[at].needs_value ||
                                                      (at > 0 && engine.frames[at - 1].records));
  if (recorded) {
    value = remembered_value(engine, engine.frames[at], to);
  }
  close_evaluations(engine, at, value);
  if (engine.frames[at].deferred != none32) {
    run_deferred(engine, static_cast<std::uint32_t>(at), true);
  }
  if (engine.frames[at].open_found != none32) {
    complete_frame(engine, engine.frames[at], to);
  }
  engine.spots.frame_to = to;
  for (std::uint32_t k = engine.frames[at].readings_from;
       engine.frames[at].has_trees && k < engine.frames[at].readings_to; ++k) {
    const AutomatonAt reading = engine.memory.readings[k];
    if (engine.program->readings[reading.state].tree_node != none32) {
      tree_end(engine, engine.program->readings[reading.state].tree_node, reading.owner);
    }
  }
  const Frame closed = leave_frame(engine, to);
  engine.memory.next_readings.clear();
  // Passes the value to the parent, which collects or remembers it.
  const json::Value* const whole = recorded ? &value : nullptr;
  if (closed.collects) {
    for (const AutomatonAt& r : engine.memory.arrived) {
      if (engine.program->readings[r.state].collect != none32) {
        collect(engine, engine.program->readings[r.state].collect, r.owner, closed.kind, {}, false, whole);
      }
    }
  }
  if (closed.records) {
    --engine.memory.recording;
  }
  if (!engine.frames.empty() && engine.frames.back().listens) {
    after_value(engine, closed.kept ? whole : nullptr, closed.kind, {}, false, whole);
  }
  if (closed.releases) {
    engine.memory.arena.release(closed.mark);
  }
}

void after_value(Engine& engine, const json::Value* remembered, Kind kind, std::string_view text, bool boolean,
                 const json::Value* value) {
  if (engine.frames.empty()) {
    return;
  }
  Frame& frame = engine.frames.back();
  if (frame.records && (remembered != nullptr || frame.kind == Kind::array)) {
    json::Member member;
    if (frame.kind == Kind::object) {
      member.key = frame.known_key ? key_of(engine, frame) : engine.memory.arena.copy(key_of(engine, frame));
      member.key_from = frame.key_from;
      member.key_to = frame.key_to;
    }
    if (remembered != nullptr) {
      member.value = *remembered;
    }
    engine.memory.values.push_back(member);
  }
  if (frame.item_hooks) {
    item_seen(engine, kind, text, boolean, value);
  }
  if (frame.kind == Kind::object) {
    for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
      Evaluation& e = engine.evaluations[engine.place[k]];
      if (e.node->discriminates && kind != Kind::object && kind != Kind::array) {
        discriminate(engine, engine.place[k], key_of(engine, engine.frames.back()), kind, text, boolean);
      }
    }
  }
  if (engine.frames.back().deferred != none32) {
    run_deferred(engine, depth(engine) - 1, false);
  }
}

}  // namespace plumb::contract
