// Keys of objects: repeated ones, the schemas that are wanted at the member, and what is asked of the names themselves.

#include <utility>

#include "core/contract/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

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

}  // namespace plumb::contract
