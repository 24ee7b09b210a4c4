// Objects and arrays as they open and close, and what is asked of a value that has ended.

#include <algorithm>
#include <utility>

#include "core/contract/engine.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

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

}  // namespace plumb::contract
