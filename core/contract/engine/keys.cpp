#include "core/contract/engine/keys.hpp"

#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/counts.hpp"
#include "core/json/equality.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

// Remembers keys that no schema object knows while their object is open, to find repeated ones. True if the key is
// new.
bool key_is_new(Engine& engine, Frame& frame, std::string_view key, std::uint64_t hash) {
  auto same = [&](const Keys::Entry& k) {
    return k.hash == hash && std::string_view(engine.keys.bytes.data() + k.offset, k.size) == key;
  };
  std::size_t known = engine.keys.entries.size() - frame.keys_from;
  constexpr std::size_t few = 16;
  if (known < few) {
    for (std::size_t i = frame.keys_from; i < engine.keys.entries.size(); ++i) {
      if (same(engine.keys.entries[i])) {
        return false;
      }
    }
    return true;
  }
  if (frame.key_table == none32) {
    frame.key_table = engine.keys.tables.take();
    engine.keys.tables[frame.key_table].clear();
  }
  std::vector<std::uint32_t>& table = engine.keys.tables[frame.key_table];
  auto place = [&](const Keys::Entry& k, std::uint32_t number) {
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
      place(engine.keys.entries[frame.keys_from + i], static_cast<std::uint32_t>(i));
    }
  } else if (known > 0) {
    // The last key was added after the table was built.
    const Keys::Entry& last = engine.keys.entries.back();
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
    if (same(engine.keys.entries[frame.keys_from + table[h] - 1])) {
      return false;
    }
  }
  return true;
}

// propertyNames: the key is an instance of its own, a string.
void check_name(Engine& engine, std::uint32_t index, const ObjectPart& o, std::string_view key, std::uint64_t from,
                std::uint64_t to) {
  if (o.names->fast_scalar && accepts_string(engine, *o.names, key)) {
    return;
  }
  std::vector<Wanted> kept_wanted = std::move(engine.wanted);
  std::vector<AutomatonAt> kept_readings = std::move(engine.memory.next_readings);
  engine.wanted.clear();
  engine.memory.next_readings.clear();
  Wanted w;
  w.node = o.names;
  w.parent = index;
  w.kw = Kw::property_names;
  w.position = o.names_at;
  w.order = engine.frames.back().count - 1;
  w.sink = engine.evaluations[index].sink;
  w.scope = engine.evaluations[index].scope;
  engine.wanted.push_back(w);
  std::string copy(key);
  engine.token.is_name = true;
  scalar_place(engine, Kind::string, from);
  feed(engine, copy, from + 1, to - 1, to - from == copy.size() + 2);
  engine.now = to;
  engine.token.text = copy;
  scalar_finish(engine, to);
  engine.token.is_name = false;
  engine.wanted = std::move(kept_wanted);
  engine.memory.next_readings = std::move(kept_readings);
}

// Handles a member whose key only one schema object knows, which is the common case. False in all other cases.
bool want_known(Engine& engine, Frame& frame, std::string_view text) {
  if (frame.evaluations_to - frame.evaluations_from != 1) {
    return false;
  }
  const std::uint32_t index = engine.place[frame.evaluations_from];
  Evaluation& e = engine.evaluations[index];
  if (!e.node->object || !e.node->object->simple || e.tracks) {
    return false;
  }
  std::uint32_t slot_index = 0;
  const Slot* slot = find_slot(e, *e.node->object, text, slot_index);
  const std::uint64_t bit = std::uint64_t{1} << (slot_index & 63U);
  if (slot == nullptr || (e.seen & bit) != 0 || (slot->node == nullptr && e.node->object->additional != nullptr)) {
    return false;
  }
  e.seen |= bit;
  frame.known_key = true;
  frame.key_known = slot->key.data();
  if (slot->node != nullptr && !slot->node->always) {
    engine.wanted.emplace_back();
    Wanted& w = engine.wanted.back();
    w.node = slot->node;
    w.parent = index;
    w.kw = Kw::properties;
    w.position = e.node->object->properties_at;
    w.order = slot->order;
    w.sink = e.sink;
    w.scope = e.scope;
  }
  return true;
}

// Keeps the key of the member that begins: the contract's copy if the first schema object knows it, else a copy of its
// own. True if the object has the key already.
bool remember_key(Engine& engine, Frame& frame, std::string_view text) {
  for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
    Evaluation& e = engine.evaluations[engine.place[k]];
    if (e.node->object == nullptr) {
      continue;
    }
    std::uint32_t slot = 0;
    if (const Slot* s = find_slot(e, *e.node->object, text, slot)) {
      frame.known_key = true;
      frame.key_known = s->key.data();
      e.hint = slot;  // the next search finds it at once
      return has_seen(engine, e, slot);
    }
    break;
  }
  const std::uint64_t hash = json::hash_text(text, engine.options.hash_seed);
  const bool fresh = key_is_new(engine, frame, text, hash);
  frame.key_offset = static_cast<std::uint32_t>(engine.keys.bytes.size());
  engine.keys.entries.push_back({hash, frame.key_offset, frame.key_size});
  engine.keys.bytes.append(text);
  return !fresh;
}

// dependentSchemas: the object has the key, so the schemas that it activates count.
void switch_on(Engine& engine, std::uint32_t index, std::string_view key) {
  // There are several if both `dependentSchemas` and `dependencies` name the key.
  std::vector<std::uint32_t> groups = extension_of(engine, engine.evaluations[index]).groups;
  for (std::uint32_t g : groups) {
    const InPlace* in = engine.groups[g].in;
    const bool asked = in != nullptr && in->kw == Kw::dependent_schemas && in->key == key;
    if (asked && !engine.groups[g].active) {
      engine.groups[g].active = true;
      Branch& branch = branch_of(engine, g, 0);
      promote(engine, branch);
      if (branch.broken) {
        break_evaluation(engine, index);
      }
    }
  }
}

// Prepares the finding about a forbidden member. Its place is known: the key.
std::uint32_t prepare_unknown(Engine& engine, std::uint32_t index, Kw kw, Position position, std::uint32_t member) {
  const Frame& frame = engine.frames.back();
  const std::uint32_t f = prepare(engine, index, kw, position, member);
  Finding& finding = engine.found[f].finding;
  finding.at = pointer_of(engine, depth(engine));
  finding.property = std::string(key_of(engine, frame));
  finding.requirement = "no members besides those that the contract names";
  finding.span.from = frame.key_from;
  finding.span.to = frame.key_to;
  return f;
}

// unevaluatedProperties: false. No schema has evaluated the member so far, so its finding waits for the others.
void unevaluated_member(Engine& engine, std::uint32_t index, const ObjectPart& o, std::uint32_t member) {
  const std::uint32_t g = new_group(engine, Kw::unevaluated_properties, index, nullptr, o.unevaluated_at, member);
  engine.groups[g].index = member;
  const std::uint32_t b = new_branch(engine, g, engine.evaluations[index].sink);
  engine.branches[b].broken = engine.evaluations[index].node->severity == Severity::error;
  const std::uint32_t f = prepare_unknown(engine, index, Kw::unevaluated_properties, o.unevaluated_at, member);
  Found& found = engine.found[f];
  found.open = false;
  found.finding.decided_at = engine.frames.back().key_to;
  if (found.finding.span.from < engine.stream.chunk_start) {
    set_start(found, engine.spots.cut_place.place);
  }
  engine.findings.touched.push_back(f);
  complete(engine, f);
  add(engine, b, f);
  release(engine, f);
}

// Asks for the schemas that an object's schema object wants at a member, and reports faults of its key.
void want_member(Engine& engine, std::uint32_t index, const ObjectPart& o, std::string_view key, std::uint32_t member) {
  const std::uint64_t to = engine.frames.back().key_to;
  Wanted w;
  w.parent = index;
  w.sink = engine.evaluations[index].sink;
  w.scope = engine.evaluations[index].scope;
  const auto want = [&](const Node* node, Kw kw, Position position, std::uint32_t order) {
    if (!node->always) {
      w.node = node;
      w.kw = kw;
      w.position = position;
      w.order = order;
      engine.wanted.push_back(w);
    }
  };
  bool matched = false;
  std::uint32_t slot_index = 0;
  if (const Slot* slot = find_slot(engine.evaluations[index], o, key, slot_index)) {
    mark_seen(engine, engine.evaluations[index], slot_index);
    if (slot->node != nullptr) {
      matched = true;
      want(slot->node, Kw::properties, o.properties_at, slot->order);
    }
    if (slot->dependent_schema != none32) {
      switch_on(engine, index, key);
    }
  }
  for (const ObjectPart::PatternProperty& p : o.pattern_properties) {
    if (matcher_of(engine, p.pattern).search(key)) {
      matched = true;
      want(p.node, Kw::pattern_properties, o.pattern_properties_at, p.order);
    }
  }
  if (o.additional != nullptr && !matched) {
    if (o.additional->never) {
      report(engine, prepare_unknown(engine, index, Kw::additional_properties, o.additional_at, member), to);
    } else {
      want(o.additional, Kw::additional_properties, o.additional_at, member);
    }
  }
  const bool evaluated = matched || o.additional != nullptr;
  if (engine.evaluations[index].tracks && evaluated) {
    extension_of(engine, engine.evaluations[index]).evaluated.set(member);
  }
  if (o.unevaluated != nullptr && !evaluated && !o.unevaluated->always) {
    if (o.unevaluated->never) {
      unevaluated_member(engine, index, o, member);
    } else {
      want_alone(engine, w, o.unevaluated, Kw::unevaluated_properties, o.unevaluated_at, member);
    }
  }
  if (member == o.max_properties) {
    report_too_many(engine, index, o, to);
  }
  if (o.names != nullptr && !o.names->always) {
    check_name(engine, index, o, key, engine.frames.back().key_from, to);
  }
}

}  // namespace

const Slot* find_slot(Evaluation& e, const ObjectPart& o, std::string_view key, std::uint32_t& index) {
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

void read_key(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to) {
  engine.now = to;
  Frame& frame = engine.frames.back();
  std::uint32_t member = frame.count++;
  engine.wanted.clear();
  engine.memory.next_readings.clear();
  frame.known_key = false;
  frame.key_from = from;
  frame.key_to = to;
  frame.key_size = static_cast<std::uint32_t>(text.size());
  if (!want_known(engine, frame, text)) {
    if (remember_key(engine, frame, text)) {
      text_found(engine, Kw::duplicate_key,
                 "The key '" + json::excerpt(key_of(engine, frame), 100) + "' appears here a second time", from, to,
                 to);
    }
    const std::string_view key = key_of(engine, frame);
    for (std::uint32_t k = frame.evaluations_from; k < frame.evaluations_to; ++k) {
      const Node& node = *engine.evaluations[engine.place[k]].node;
      if (node.object) {
        want_member(engine, engine.place[k], *node.object, key, member);
      }
    }
  }
  if (frame.readings_from != frame.readings_to) {
    readings_for_child(engine, frame);
  }
}

}  // namespace plumb::contract
