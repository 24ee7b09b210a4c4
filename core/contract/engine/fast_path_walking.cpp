// The walk over a container by its plan. It is a loop with its own stack, so it can stop at the end of a piece and
// continue there. A token that is cut is read again from its first byte, except strings, which can be long.
//
// At every byte it decides everything that the engine could be certain of by then: the type of a value at its first
// byte, a forbidden member at its key, an item too many at its first byte, and a repeated text at its closing quote.
// So no finding is due where it waits.

#include "core/contract/engine/fast_path.hpp"

#include <algorithm>
#include <cstring>

#include "core/contract/engine/engine.hpp"
#include "core/json/string_text.hpp"
#include "core/json/token_end.hpp"

namespace plumb::contract {

namespace {

constexpr std::size_t other_keys_max = 16;

inline const char* past_space(const char* p, const char* end, bool padded) {
  return p != end && static_cast<unsigned char>(*p) <= ' ' ? json::skip_space(p, end, padded) : p;
}

inline std::uint64_t word_at(const char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, 8);
  return word;
}

// The slot of a key, or the number of slots if no slot has the key.
std::size_t fast_slot(const Plan& plan, std::string_view key) {
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

// Takes a key without a slot. False if the object has it already.
bool fast_new_key(Engine& engine, const FastLevel& level, std::string_view text) {
  std::vector<std::string_view>& keys = engine.walk.keys;
  const auto first = keys.begin() + static_cast<std::ptrdiff_t>(level.keys_from);
  if (keys.size() - level.keys_from == other_keys_max || std::find(first, keys.end(), text) != keys.end()) {
    return false;
  }
  keys.push_back(text);
  return true;
}

// Reads the key whose quote is at p, and finds the plan of its value.
inline Walked fast_key(Engine& engine, FastLevel& level, const char*& p, const char* end, bool padded) {
  const Plan& plan = *level.plan;
  if (*p != '"') {
    return Walked::no;
  }
  const char* const from = p + 1;
  std::size_t slot = 0;
  const Plan::Key* key = level.expected < plan.keys.size() ? &plan.keys[level.expected] : nullptr;
  if (key != nullptr && (padded || end - from >= 16) && end - from > static_cast<std::ptrdiff_t>(key->text.size()) &&
      (word_at(from) & key->masks[0]) == key->words[0] && (word_at(from + 8) & key->masks[1]) == key->words[1] &&
      (key->text.size() < 16 ||
       (std::memcmp(from, key->text.data(), key->text.size()) == 0 && from[key->text.size()] == '"'))) {
    slot = level.expected;
    p = from + key->text.size() + 1;
  } else {
    const char* const q = json::skip_plain(from, end, padded);
    if (q == end || *q != '"') {
      return q == end ? Walked::cut : Walked::no;
    }
    const std::string_view text(from, static_cast<std::size_t>(q - from));
    slot = fast_slot(plan, text);
    if (slot == plan.keys.size() && !fast_new_key(engine, level, text)) {
      return Walked::no;
    }
    p = q + 1;
  }
  std::uint32_t value = plan.other;
  level.at_list = false;
  if (slot < plan.keys.size()) {
    const std::uint64_t bit = std::uint64_t{1} << slot;
    if ((level.seen & bit) != 0) {
      return Walked::no;
    }
    level.seen |= bit;
    level.expected = slot + 1;
    level.at_list = (bit & plan.lists) != 0;
    value = plan.keys[slot].plan;
  }
  level.child = &engine.program->fast_paths.plans[value];
  return level.child->usable && ++level.count <= plan.members_max ? Walked::through : Walked::no;
}

// The same from the first byte that is not plain, in a string with escapes.
Walked fast_escaped(Engine& engine, const char*& p, const char* end, bool padded, std::string_view& text) {
  FastWalk& w = engine.walk;
  const char* const from = w.base + w.text;
  const auto decode = [&](const char* q) {
    const char* const after = json::decode_string(from, q, end, w.decoded);
    if (after == nullptr) {
      return false;
    }
    text = w.arena.copy(w.decoded);
    w.copied = true;
    p = after;
    return true;
  };
  if (!w.escapes && decode(p)) {
    return Walked::through;
  }
  w.escapes = true;
  while (p != end && *p != '"') {
    int size = 1;
    if (*p == '\\') {
      size = json::escape_size(p, end);
    } else if (static_cast<signed char>(*p) < 0) {
      int bad_at = 0;
      size = json::utf8_sequence(p, end, bad_at);
    } else if (static_cast<unsigned char>(*p) < 0x20) {
      return Walked::no;
    }
    if (size <= 0) {
      return size == 0 ? Walked::cut : Walked::no;
    }
    p = json::skip_plain(p + size, end, padded);
  }
  if (p == end) {
    return Walked::cut;
  }
  return decode(from) ? Walked::through : Walked::no;
}

// Continues in a string, at p. Sets its text when it ends.
inline Walked fast_text(Engine& engine, const char*& p, const char* end, bool padded, std::string_view& text) {
  const char* const from = engine.walk.base + engine.walk.text;
  for (;;) {
    p = json::skip_plain(p, end, padded);
    if (p == end) {
      return Walked::cut;
    }
    if (static_cast<signed char>(*p) >= 0) {
      break;
    }
    do {
      int bad_at = 0;
      const int length = json::utf8_sequence(p, end, bad_at);
      if (length <= 0) {
        return length == 0 ? Walked::cut : Walked::no;
      }
      p += length;
    } while (p != end && static_cast<signed char>(*p) < 0);
  }
  if (*p == '"' && !engine.walk.escapes) {
    text = {from, static_cast<std::size_t>(p - from)};
    ++p;
    return Walked::through;
  }
  return fast_escaped(engine, p, end, padded, text);
}

// Takes a string that has ended and whose plan is `child`.
inline bool fast_string(Engine& engine, const FastLevel& level, std::string_view text) {
  const Plan& child = *level.child;
  if (!fast_accepts(engine, child, text)) {
    return false;
  }
  std::vector<std::string_view>& texts = engine.walk.texts;
  if (level.object) {
    const auto list = texts.begin() + static_cast<std::ptrdiff_t>(level.list_from);
    const auto list_end = texts.begin() + static_cast<std::ptrdiff_t>(level.list_to);
    return !child.member || std::find(list, list_end, text) != list_end;
  }
  if (level.texts) {
    if (level.plan->distinct && !fast_fresh(engine, *level.plan, level.texts_from, text)) {
      return false;
    }
    texts.push_back(text);
  }
  return true;
}

// The innermost container closes.
inline bool fast_close(Engine& engine) {
  FastWalk& w = engine.walk;
  const FastLevel& level = w.levels[w.depth - 1];
  const Plan& plan = *level.plan;
  if (level.object) {
    if ((level.seen & plan.required) != plan.required || level.count < plan.members_min) {
      return false;
    }
    for (const auto& [where, all] : plan.dependents) {
      if ((level.seen & where) != 0 && (level.seen & all) != all) {
        return false;
      }
    }
    if (w.keys.size() != level.keys_from) {
      w.keys.resize(level.keys_from);
    }
  } else if (level.count < plan.items_min) {
    return false;
  }
  if (level.keeps) {
    w.levels[w.depth - 2].list_from = level.texts_from;
    w.levels[w.depth - 2].list_to = w.texts.size();
  } else if (w.texts.size() != level.texts_from) {
    w.texts.resize(level.texts_from);
  }
  --w.depth;
  return true;
}

// Reads a number or literal at p. Returns the byte after it; `end` if it is cut, or may be; nullptr if it is not
// accepted.
const char* fast_token(const Plan& plan, const char* p, const char* end) {
  const bool word = *p == 't' || *p == 'f' || *p == 'n';
  if (word) {
    return (plan.types & (*p == 'n' ? type_null : type_boolean)) != 0 ? json::literal_end(p, end) : nullptr;
  }
  if ((plan.types & (type_number | type_integer)) == 0) {
    return nullptr;
  }
  const char* const after = json::number_end(p, end);
  if (after == nullptr || after == end || plan.node == nullptr) {
    return after;
  }
  return accepts_number(*plan.node, {p, static_cast<std::size_t>(after - p)}) ? after : nullptr;
}

}  // namespace

inline bool fast_enter(Engine& engine, const Plan& plan, const char* p) {
  FastWalk& w = engine.walk;
  const bool object = *p == '{';
  if (!plan.usable || (plan.types & (object ? type_object : type_array)) == 0 || w.depth >= w.levels_max) {
    return false;
  }
  const bool keeps = w.depth > 0 && !object && w.levels[w.depth - 1].at_list;
  if (w.depth == w.levels.size()) {
    w.levels.emplace_back();
  }
  FastLevel& level = w.levels[w.depth++];
  level.plan = &plan;
  level.child = object ? nullptr : &engine.program->fast_paths.plans[plan.items];
  level.at = static_cast<std::size_t>(p - w.base);
  level.seen = 0;
  level.count = 0;
  level.expected = 0;
  level.texts_from = w.texts.size();
  level.keys_from = w.keys.size();
  level.list_from = 0;
  level.list_to = 0;
  level.object = object;
  level.at_list = false;
  level.keeps = keeps;
  level.texts = keeps || plan.distinct;
  w.at = object ? FastAt::first_key : FastAt::first_item;
  return true;
}

Walked fast_walk(Engine& engine, const char* p, const char* const end, const bool padded) {
  FastWalk& w = engine.walk;
  FastLevel* level = &w.levels[w.depth - 1];
  std::string_view whole;
  const auto cut = [&](FastAt at) {
    w.at = at;
    w.go_on = static_cast<std::size_t>(p - w.base);
    return Walked::cut;
  };
  if (w.at == FastAt::text) {
    goto text;
  }
  switch (w.at) {
    case FastAt::first_key:
      goto first_key;
    case FastAt::next_key:
      goto next_key;
    case FastAt::colon:
      goto colon;
    case FastAt::member:
      goto member;
    case FastAt::first_item:
      goto first_item;
    case FastAt::next_item:
      goto next_item;
    case FastAt::token:
      goto token;
    case FastAt::text:
      goto text;
    case FastAt::after:
      goto after;
  }
first_key:
  p = past_space(p, end, padded);
  if (p == end) {
    return cut(FastAt::first_key);
  }
  if (*p == '}') {
    goto close;
  }
next_key:
  p = past_space(p, end, padded);
  if (p == end) {
    return cut(FastAt::next_key);
  }
  {
    const Walked key = fast_key(engine, *level, p, end, padded);
    if (key != Walked::through) {
      return key == Walked::cut ? cut(FastAt::next_key) : Walked::no;
    }
  }
colon:
  p = past_space(p, end, padded);
  if (p == end) {
    return cut(FastAt::colon);
  }
  if (*p != ':') {
    return Walked::no;
  }
  ++p;
  if (p != end && *p == ' ') {
    ++p;
  }
member:
  p = past_space(p, end, padded);
  if (p == end) {
    return cut(FastAt::member);
  }
  goto value;
first_item:
  p = past_space(p, end, padded);
  if (p == end) {
    return cut(FastAt::first_item);
  }
  if (*p == ']') {
    goto close;
  }
next_item:
  p = past_space(p, end, padded);
  if (p == end) {
    return cut(FastAt::next_item);
  }
  if (++level->count > level->plan->items_max || !level->child->usable) {
    return Walked::no;
  }
value:
  if (*p == '"') {
    const Plan& child = *level->child;
    if ((child.types & type_string) == 0 || (child.member && !level->object)) {
      return Walked::no;
    }
    ++p;
    w.text = static_cast<std::size_t>(p - w.base);
    w.escapes = false;
    goto text;
  }
  if (*p == '{' || *p == '[') {
    if ((level->plan->distinct && !level->object) || !fast_enter(engine, *level->child, p)) {
      return Walked::no;
    }
    level = &w.levels[w.depth - 1];
    ++p;
    if (level->object) {
      goto first_key;
    }
    goto first_item;
  }
token:
  if (level->plan->distinct && !level->object) {
    return Walked::no;
  }
  {
    const char* const q = fast_token(*level->child, p, end);
    if (q == nullptr) {
      return Walked::no;
    }
    if (q == end) {
      return cut(FastAt::token);
    }
    p = q;
  }
  goto after;
text : {
  const Walked read = fast_text(engine, p, end, padded, whole);
  if (read != Walked::through) {
    const std::string_view so_far(w.base + w.text, static_cast<std::size_t>(p - w.base) - w.text);
    const bool goes_on = read == Walked::cut && (so_far.size() < level->child->calm ||
                                                 fast_may_go_on(engine, *level->child, so_far, w.escapes));
    return goes_on ? cut(FastAt::text) : Walked::no;
  }
  if (!fast_string(engine, *level, whole)) {
    return Walked::no;
  }
}
after:
  p = past_space(p, end, padded);
  if (p == end) {
    return cut(FastAt::after);
  }
  if (*p == ',') {
    ++p;
    if (level->object) {
      goto next_key;
    }
    goto next_item;
  }
  if (*p != (level->object ? '}' : ']')) {
    return Walked::no;
  }
close:
  if (!fast_close(engine)) {
    return Walked::no;
  }
  ++p;
  if (w.depth == 0) {
    w.go_on = static_cast<std::size_t>(p - w.base);
    return Walked::through;
  }
  level = &w.levels[w.depth - 1];
  goto after;
}

}  // namespace plumb::contract
