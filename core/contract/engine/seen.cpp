#include "core/contract/engine/seen.hpp"

#include <algorithm>

#include "core/contract/engine/engine.hpp"
#include "core/json/equality.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

// Up to this many entries are compared one by one, without a hash.
constexpr std::size_t few_entries = 12;

json::Value copy_value(const json::Value& value, json::Arena& arena) {
  json::Value out = value;
  switch (value.kind) {
    case Kind::string:
    case Kind::number: {
      std::string_view text = arena.copy(value.str());
      out.text = text.data();
      break;
    }
    case Kind::array: {
      json::Value* items = arena.array<json::Value>(value.size);
      for (std::uint32_t i = 0; i < value.size; ++i) {
        items[i] = copy_value(value.items[i], arena);
      }
      out.items = items;
      break;
    }
    case Kind::object: {
      json::Member* members = arena.array<json::Member>(value.size);
      for (std::uint32_t i = 0; i < value.size; ++i) {
        members[i] = value.members[i];
        members[i].key = arena.copy(value.members[i].key);
        members[i].value = copy_value(value.members[i].value, arena);
      }
      out.members = members;
      break;
    }
    default:
      break;
  }
  return out;
}

// Makes a table with room for twice the entries of a set.
void grow_table(SeenSet& set, std::uint64_t seed) {
  std::size_t size = 64;
  while (size < set.entries.size() * 4) {
    size *= 2;
  }
  set.table.assign(size, 0);
  for (std::uint32_t i = 0; i < set.entries.size(); ++i) {
    SeenSet::Entry& e = set.entries[i];
    if (i < few_entries && e.value == nullptr) {  // the first few entries were compared without a hash
      e.hash = json::hash_text(std::string_view(set.texts).substr(e.text_from, e.text_size), seed);
    }
    std::size_t h = static_cast<std::size_t>(e.hash) & (size - 1);
    while (set.table[h] != 0) {
      h = (h + 1) & (size - 1);
    }
    set.table[h] = i + 1;
  }
}

}  // namespace

SeenSet& seen_set(Engine& engine, Evaluation& e, std::uint32_t number) {
  Extension& x = extension_of(engine, e);
  if (x.sets.size() <= number) {
    x.sets.resize(number + 1, none32);
  }
  if (x.sets[number] == none32) {
    x.sets[number] = engine.seen.sets.take();
    ++engine.seen.open;
  }
  return engine.seen.sets[x.sets[number]];
}

std::uint32_t insert(Engine& engine, SeenSet& set, Kind kind, std::string_view text, bool boolean,
                     const json::Value* value, const DistinctPart* part, bool& fresh) {
  std::uint32_t text_from = static_cast<std::uint32_t>(set.texts.size());
  std::uint64_t hash = 0;
  bool is_text = kind == Kind::string;
  json::Value scalar;
  if (is_text) {
    if (part != nullptr && part->folds) {
      text::fold_append(text, part->fold, set.texts);
    } else {
      set.texts.append(text);
    }
    if (set.entries.size() >= few_entries) {
      hash = json::hash_text(std::string_view(set.texts).substr(text_from), engine.options.hash_seed);
    }
  } else {
    if (value == nullptr) {
      scalar.kind = kind;
      scalar.boolean = boolean;
      if (kind == Kind::number) {
        scalar.text = text.data();
        scalar.size = static_cast<std::uint32_t>(text.size());
      }
      value = &scalar;
    }
    hash = json::hash(*value, engine.options.hash_seed);
  }
  std::string_view folded = std::string_view(set.texts).substr(text_from);
  auto same = [&](const SeenSet::Entry& e) {
    if ((e.hash != hash && set.entries.size() >= few_entries) || (e.value == nullptr) != is_text) {
      return false;
    }
    return is_text ? std::string_view(set.texts).substr(e.text_from, e.text_size) == folded
                   : json::equal(*e.value, *value);
  };
  auto known = [&](std::uint32_t i) {
    set.texts.resize(text_from);
    fresh = false;
    return i;
  };
  std::size_t slot = 0;
  if (set.entries.size() < few_entries) {
    for (std::uint32_t i = 0; i < set.entries.size(); ++i) {
      if (same(set.entries[i])) {
        return known(i);
      }
    }
  } else {
    if (set.table.size() < set.entries.size() * 2) {
      grow_table(set, engine.options.hash_seed);
    }
    for (slot = static_cast<std::size_t>(hash) & (set.table.size() - 1); set.table[slot] != 0;
         slot = (slot + 1) & (set.table.size() - 1)) {
      if (same(set.entries[set.table[slot] - 1])) {
        return known(set.table[slot] - 1);
      }
    }
  }
  SeenSet::Entry entry;
  entry.hash = hash;
  if (is_text) {
    entry.text_from = text_from;
    entry.text_size = static_cast<std::uint32_t>(set.texts.size() - text_from);
  } else {
    json::Value* kept = engine.seen.arena.array<json::Value>(1);
    *kept = copy_value(*value, engine.seen.arena);
    entry.value = kept;
  }
  set.entries.push_back(entry);
  if (set.entries.size() > few_entries) {
    set.table[slot] = static_cast<std::uint32_t>(set.entries.size());
  }
  fresh = true;
  return static_cast<std::uint32_t>(set.entries.size() - 1);
}

void forget(SeenSet& set, std::size_t size) {
  while (set.entries.size() > size) {
    const SeenSet::Entry& last = set.entries.back();
    const auto number = static_cast<std::uint32_t>(set.entries.size());
    if (number > few_entries) {
      std::size_t slot = static_cast<std::size_t>(last.hash) & (set.table.size() - 1);
      while (set.table[slot] != number) {
        slot = (slot + 1) & (set.table.size() - 1);
      }
      set.table[slot] = 0;
    }
    set.texts.resize(last.text_from);
    set.entries.pop_back();
  }
  if (set.entries.size() < few_entries) {
    set.table.clear();
  }
}

}  // namespace plumb::contract
