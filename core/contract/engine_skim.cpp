// Skimming: a container that lies whole in the piece at hand is accepted by its plan (skim.hpp), or left to the engine.
//
// The walk over the bytes is strict where the scanner is strict, and gives up wherever it cannot say yes: a fault, a
// bound, a key given twice, a string that goes on in the next piece, half of a surrogate pair. What `distinct` and
// `acyclic` above collect is inserted as it is met; when the walk gives up, that is taken back. So giving up costs time
// and nothing else. That time is bounded: the containers that were open where a walk gave up are known to be such that
// no walk gets through them, and are not tried again; those before that place are passed at the second attempt. So each
// byte is read in vain at most once.

#include <algorithm>
#include <cstring>

#include "core/contract/engine.hpp"
#include "core/json/string_text.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::uint32_t levels_max = 200;
constexpr std::size_t other_keys_max = 16;
constexpr std::ptrdiff_t least = 32;   // bytes that are worth a walk
constexpr std::size_t pairs_max = 12;  // as many texts are compared each with each

inline const char* past_space(const char* p, const char* end) {
  return p != end && static_cast<unsigned char>(*p) <= ' ' ? json::skip_space(p, end) : p;
}

inline std::uint64_t word_at(const char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, 8);
  return word;
}

// The end of the number at p, or null: none, cut, or one that the engine has to look at.
const char* number_end(const char* p, const char* end) {
  constexpr std::ptrdiff_t size_max = 1000;
  const char* const from = p;
  auto digits = [&] {
    const char* first = p;
    while (p != end && *p >= '0' && *p <= '9') {
      ++p;
    }
    return p != first;
  };
  if (*p == '-') {
    ++p;
  }
  if (p != end && *p == '0') {
    ++p;
  } else if (!digits()) {
    return nullptr;
  }
  if (p != end && *p == '.') {
    ++p;
    if (!digits()) {
      return nullptr;
    }
  }
  return p == end || *p == 'e' || *p == 'E' || p - from > size_max ? nullptr : p;
}

}  // namespace

// The plan for the items of a container in which outer rules read, or none.
std::uint32_t Engine::skim_items(const Frame& frame) const {
  bool reads = false;
  for (std::uint32_t i = frame.readings_from; i < frame.readings_to; ++i) {
    reads = reads || p_.readings[readings_[i].state].star != none32;
  }
  if (!reads) {
    return frame.item_node == nullptr ? 0 : frame.item_node->skim;
  }
  for (const SkimStart& start : p_.skims.starts) {
    if (start.node != frame.item_node || start.states.size() != frame.readings_to - frame.readings_from) {
      continue;
    }
    bool same = true;
    for (std::size_t i = 0; i < start.states.size(); ++i) {
      same = same && readings_[frame.readings_from + i].state == start.states[i];
    }
    if (!same) {
      continue;
    }
    // A rule over a tree must know the labels of all nodes above, else it has to compare with those below.
    for (const auto& [rule, origin] : start.trees) {
      const std::uint32_t owner = readings_[frame.readings_from + origin].owner;
      const Node& node = *evaluations_[owner].node;
      const std::uint32_t tree = rule & ~tree_collect_flag;
      const std::uint32_t number = tree_set_number(node, tree);
      const std::uint32_t extension = evaluations_[owner].extension;
      if (looks_for_cycles(node, tree) && extension != none32 && number < extensions_[extension].sets.size() &&
          extensions_[extension].sets[number] != none32 && sets_[extensions_[extension].sets[number]].unlabelled > 0) {
        return none32;
      }
    }
    return start.plan;
  }
  return none32;
}

// The scanner is at a container: the byte after it, where it could be accepted at once.
const char* Engine::skim(const char* p, const char* end, std::uint64_t from, std::uint32_t depth) {
  if (!skim_open_.empty() && skim_open_.back() == from) {
    skim_open_.pop_back();
    return nullptr;
  }
  if (end - p < least) {
    return nullptr;
  }
  std::uint32_t number = none32;
  Frame* frame = frames_.empty() ? nullptr : &frames_.back();
  if (frame != nullptr && (frame->listens || frame->deferred != none32)) {
    return nullptr;
  }
  if (frame == nullptr || frame->kind == Kind::object) {
    if (!next_readings_.empty() || wanted_.size() > 1 || (!wanted_.empty() && wanted_.front().group != none32)) {
      return nullptr;
    }
    number = wanted_.empty() ? 0 : wanted_.front().node->skim;
  } else {
    if (!frame->simple_items || frame->count >= frame->items_room) {
      return nullptr;
    }
    number = frame->skim;
    skim_readings_ = frame->readings_from;
  }
  if (number == none32 || !p_.skims.plans[number].usable) {
    return nullptr;
  }
  skim_at_ = p;
  skim_from_ = from;
  const char* after =
      skim_value(p_.skims.plans[number], p, end, std::min(options_.limits.depth_max - depth, levels_max));
  skim_texts_.clear();
  skim_keys_.clear();
  if (skim_copied_) {
    skim_arena_.clear();
    skim_copied_ = false;
  }
  if (after == nullptr) {
    if (!skim_open_.empty() && skim_open_.back() == from) {
      skim_open_.pop_back();
    }
    for (const SkimCollector& collector : skim_collectors_) {
      forget(*collector.set, collector.entries);
    }
    skim_collectors_.clear();
    return nullptr;
  }
  skim_collectors_.clear();
  if (frame != nullptr && frame->kind == Kind::array) {
    ++frame->count;
  }
  wanted_.clear();
  now_ = from + static_cast<std::uint64_t>(after - p);
  return after;
}

// The text of a string whose first quote is behind: the byte after its last one, or null.
inline const char* Engine::skim_string(const char* p, const char* end, std::string_view& text) {
  const char* q = p;
  for (;;) {
    q = json::skip_plain(q, end);
    if (q == end) {
      return nullptr;
    }
    if (*q == '"') {
      text = {p, static_cast<std::size_t>(q - p)};
      return q + 1;
    }
    if (static_cast<signed char>(*q) >= 0) {
      break;
    }
    do {
      int bad_at = 0;
      const int length = json::utf8_sequence(q, end, bad_at);
      if (length <= 0) {
        return nullptr;
      }
      q += length;
    } while (q != end && static_cast<signed char>(*q) < 0);
  }
  return skim_escaped(p, q, end, text);
}

const char* Engine::skim_escaped(const char* p, const char* q, const char* end, std::string_view& text) {
  const char* after = json::decode_string(p, q, end, skim_decoded_);
  if (after != nullptr) {
    text = skim_arena_.copy(skim_decoded_);
    skim_copied_ = true;
  }
  return after;
}

inline bool Engine::skim_accepts(const Plan& plan, std::string_view text) {
  if ((plan.types & type_string) == 0 || !plan.usable) {
    return false;
  }
  if (plan.blank_only) {
    const char first = text.empty() ? ' ' : text.front();
    if ((first <= ' ' || first > '~') && text::is_blank(text)) {
      return false;
    }
  } else if (!plan.free_string && !quick_string(*plan.node, text)) {
    return false;
  }
  return !plan.collects || skim_collect(plan, text);
}

// Gives a text to the rules above that collect it. False when one of them has seen it.
bool Engine::skim_collect(const Plan& plan, std::string_view text) {
  for (const auto& [rule, origin] : plan.collect_rules) {
    const std::uint32_t owner = readings_[skim_readings_ + origin].owner;
    SkimCollector* collector = nullptr;
    for (SkimCollector& known : skim_collectors_) {
      if (known.rule == rule && known.owner == owner) {
        collector = &known;
      }
    }
    if (collector == nullptr) {
      const Node& node = *evaluations_[owner].node;
      const std::uint32_t tree = rule & ~tree_collect_flag;
      const bool in_tree = (rule & tree_collect_flag) != 0;
      SkimCollector added;
      added.rule = rule;
      added.owner = owner;
      added.part = in_tree ? &node.extra->trees[tree] : &node.array->distinct[rule];
      added.set = &seen_set(evaluations_[owner], in_tree ? tree_set_number(node, tree) : 1 + rule);
      added.entries = added.set->entries.size();
      skim_collectors_.push_back(added);
      collector = &skim_collectors_.back();
    }
    bool fresh = true;
    insert(*collector->set, Kind::string, text, false, nullptr, collector->part, fresh);
    if (!fresh) {
      return false;
    }
  }
  return true;
}

// A walk gives up in the container at p.
const char* Engine::skim_fails(const char* p) {
  skim_open_.push_back(skim_from_ + static_cast<std::uint64_t>(p - skim_at_));
  return nullptr;
}

const char* Engine::skim_value(const Plan& plan, const char* p, const char* end, std::uint32_t room) {
  if (!plan.usable || p == end) {
    return nullptr;
  }
  auto literal = [&](const char* text, std::ptrdiff_t size, TypeBit type) {
    const bool there =
        (plan.types & type) != 0 && end - p >= size && std::memcmp(p, text, static_cast<std::size_t>(size)) == 0;
    return there ? p + size : nullptr;
  };
  switch (*p) {
    case '{':
      return skim_object(plan, p, end, room);
    case '[':
      return skim_array(plan, p, end, room, false);
    case '"': {
      std::string_view text;
      p = skim_string(p + 1, end, text);
      return p != nullptr && !plan.member && skim_accepts(plan, text) ? p : nullptr;
    }
    case 't':
      return literal("true", 4, type_boolean);
    case 'f':
      return literal("false", 5, type_boolean);
    case 'n':
      return literal("null", 4, type_null);
    default: {
      const char* after = number_end(p, end);
      if (after == nullptr || (plan.types & (type_number | type_integer)) == 0 ||
          (plan.node != nullptr && !quick_number(*plan.node, {p, static_cast<std::size_t>(after - p)}))) {
        return nullptr;
      }
      return after;
    }
  }
}

// The slot of a key, or as many as there are.
std::size_t Engine::skim_slot(const Plan& plan, std::string_view key) {
  if (plan.keys.empty() || plan.node->object->table.empty()) {
    return plan.keys.size();
  }
  const ObjectPart& object = *plan.node->object;
  for (std::uint32_t h = slot_hash(key) & object.table_mask; object.table[h] != 0; h = (h + 1) & object.table_mask) {
    if (object.slots[object.table[h] - 1].key == key) {
      return object.table[h] - 1;
    }
  }
  return plan.keys.size();
}

const char* Engine::skim_object(const Plan& plan, const char* p, const char* end, std::uint32_t room) {
  const char* after = room == 0 || (plan.types & type_object) == 0 ? nullptr : skim_members(plan, p, end, room);
  return after != nullptr ? after : skim_fails(p);
}

inline const char* Engine::skim_members(const Plan& plan, const char* p, const char* end, std::uint32_t room) {
  const std::size_t texts_from = skim_texts_.size();
  const std::size_t keys_from = skim_keys_.size();
  std::size_t list_from = 0;
  std::size_t list_to = 0;
  std::uint64_t seen = 0;
  std::uint64_t count = 0;
  std::size_t expected = 0;
  p = past_space(p + 1, end);
  if (p == end) {
    return nullptr;
  }
  while (*p != '}' || count > 0) {
    if (*p != '"') {
      return nullptr;
    }
    ++p;
    std::size_t slot = plan.keys.size();
    const Plan::Key* key = expected < plan.keys.size() ? &plan.keys[expected] : nullptr;
    if (key != nullptr && end - p >= 16 && (word_at(p) & key->masks[0]) == key->words[0] &&
        (word_at(p + 8) & key->masks[1]) == key->words[1] &&
        (key->text.size() < 16 ||
         (end - p > static_cast<std::ptrdiff_t>(key->text.size()) &&
          std::memcmp(p, key->text.data(), key->text.size()) == 0 && p[key->text.size()] == '"'))) {
      slot = expected;
      p += key->text.size() + 1;
    } else {
      const char* q = json::skip_plain(p, end);
      if (q == end || *q != '"') {
        return nullptr;
      }
      const std::string_view text(p, static_cast<std::size_t>(q - p));
      slot = skim_slot(plan, text);
      if (slot == plan.keys.size()) {
        if (skim_keys_.size() - keys_from == other_keys_max ||
            std::find(skim_keys_.begin() + static_cast<std::ptrdiff_t>(keys_from), skim_keys_.end(), text) !=
                skim_keys_.end()) {
          return nullptr;
        }
        skim_keys_.push_back(text);
      }
      p = q + 1;
    }
    std::uint32_t value = plan.other;
    std::uint64_t bit = 0;
    if (slot < plan.keys.size()) {
      bit = std::uint64_t{1} << slot;
      if ((seen & bit) != 0) {
        return nullptr;
      }
      seen |= bit;
      expected = slot + 1;
      value = plan.keys[slot].plan;
    }
    p = past_space(p, end);
    if (p == end || *p != ':') {
      return nullptr;
    }
    ++p;
    if (p != end && *p == ' ') {
      ++p;
    }
    p = past_space(p, end);
    if (p == end) {
      return nullptr;
    }
    const Plan& child = p_.skims.plans[value];
    if (*p == '"') {
      std::string_view text;
      p = skim_string(p + 1, end, text);
      if (p == nullptr || !skim_accepts(child, text)) {
        return nullptr;
      }
      if (child.member) {
        // One of the strings of a list that has been read.
        std::size_t i = list_from;
        while (i != list_to && skim_texts_[i] != text) {
          ++i;
        }
        if (i == list_to) {
          return nullptr;
        }
      }
    } else if ((bit & plan.lists) != 0 && *p == '[') {
      list_from = skim_texts_.size();
      p = skim_array(child, p, end, room - 1, true);
      list_to = skim_texts_.size();
    } else {
      p = skim_value(child, p, end, room - 1);
    }
    if (p == nullptr) {
      return nullptr;
    }
    ++count;
    p = past_space(p, end);
    if (p == end) {
      return nullptr;
    }
    if (*p == '}') {
      break;
    }
    if (*p != ',') {
      return nullptr;
    }
    p = past_space(p + 1, end);
    if (p == end) {
      return nullptr;
    }
  }
  if ((seen & plan.required) != plan.required || count < plan.members_min || count > plan.members_max) {
    return nullptr;
  }
  for (const auto& [where, all] : plan.dependents) {
    if ((seen & where) != 0 && (seen & all) != all) {
      return nullptr;
    }
  }
  if (skim_texts_.size() != texts_from) {
    skim_texts_.resize(texts_from);
  }
  if (skim_keys_.size() != keys_from) {
    skim_keys_.resize(keys_from);
  }
  return p + 1;
}

// `keeps`: its texts stay in skim_texts_.
const char* Engine::skim_array(const Plan& plan, const char* p, const char* end, std::uint32_t room, bool keeps) {
  const bool possible = room > 0 && plan.usable && (plan.types & type_array) != 0;
  const char* after = possible ? skim_elements(plan, p, end, room, keeps) : nullptr;
  return after != nullptr ? after : skim_fails(p);
}

inline const char* Engine::skim_elements(const Plan& plan, const char* p, const char* end, std::uint32_t room,
                                         bool keeps) {
  const std::size_t texts_from = skim_texts_.size();
  const bool texts = keeps || plan.distinct;
  const Plan& child = p_.skims.plans[plan.items];
  std::uint64_t count = 0;
  p = past_space(p + 1, end);
  if (p == end) {
    return nullptr;
  }
  while (*p != ']' || count > 0) {
    if (*p == '"') {
      std::string_view text;
      p = skim_string(p + 1, end, text);
      if (p == nullptr || child.member || !skim_accepts(child, text)) {
        return nullptr;
      }
      if (texts) {
        skim_texts_.push_back(text);
      }
    } else {
      p = plan.distinct               ? nullptr
          : *p == '{' && child.usable ? skim_object(child, p, end, room - 1)
                                      : skim_value(child, p, end, room - 1);
      if (p == nullptr) {
        return nullptr;
      }
    }
    ++count;
    p = past_space(p, end);
    if (p == end) {
      return nullptr;
    }
    if (*p == ']') {
      break;
    }
    if (*p != ',') {
      return nullptr;
    }
    p = past_space(p + 1, end);
    if (p == end) {
      return nullptr;
    }
  }
  if (count < plan.items_min || count > plan.items_max || (plan.distinct && !skim_differ(plan, texts_from))) {
    return nullptr;
  }
  if (!keeps && texts) {
    skim_texts_.resize(texts_from);
  }
  return p + 1;
}

// Whether the texts from `first` on all differ, as uniqueItems and `distinct` want it.
bool Engine::skim_differ(const Plan& plan, std::size_t first) {
  const ArrayPart& array = *plan.node->array;
  if (skim_texts_.size() - first > pairs_max) {
    auto all_new = [&](const DistinctPart* part) {
      bool fresh = true;
      skim_set_.clear();
      for (std::size_t i = first; i < skim_texts_.size() && fresh; ++i) {
        insert(skim_set_, Kind::string, skim_texts_[i], false, nullptr, part, fresh);
      }
      return fresh;
    };
    return (!array.unique || all_new(nullptr)) && std::all_of(array.distinct.begin(), array.distinct.end(),
                                                              [&](const DistinctPart& part) { return all_new(&part); });
  }
  // Folding leaves what is not blank at its place in a text that begins with such a character, as long as all before is
  // ASCII; so texts differ where they differ there by more than case, or where one of them ends.
  auto solid = [](char c) { return c > ' ' && c <= '~'; };
  auto apart = [&](std::string_view a, std::string_view b) {
    if (a.empty() || b.empty() || !solid(a.front()) || !solid(b.front())) {
      return false;
    }
    if (a.size() > b.size()) {
      std::swap(a, b);
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (static_cast<signed char>(a[i] | b[i]) < 0) {
        return false;
      }
      if (((a[i] ^ b[i]) & ~0x20) != 0) {
        return solid(a[i]) || solid(b[i]);
      }
    }
    return a.size() < b.size() && solid(b.back());
  };
  auto same = [&](std::string_view a, std::string_view b) {
    if (array.unique && a == b) {
      return true;
    }
    for (const DistinctPart& part : array.distinct) {
      if (text::fold(a, part.fold) == text::fold(b, part.fold)) {
        return true;
      }
    }
    return false;
  };
  for (std::size_t i = first; i < skim_texts_.size(); ++i) {
    for (std::size_t j = i + 1; j < skim_texts_.size(); ++j) {
      if (!apart(skim_texts_[i], skim_texts_[j]) && same(skim_texts_[i], skim_texts_[j])) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace plumb::contract
