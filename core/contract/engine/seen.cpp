#include "core/contract/engine/seen.hpp"

#include <algorithm>

#include "core/contract/engine/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

// As many are compared one by one, without a hash.
constexpr std::size_t few_entries = 12;

// To see whether a value has been seen: a place in a table, and its bytes to hash, compare and copy.
std::uint64_t seen_steps(std::string_view text, const json::Value* value) {
  return 8 + (value != nullptr ? value->to - value->from : text.size());
}

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

// The innermost open node has this label. Whether one of its ancestors has it too.
bool label_tree_node(SeenSet& set, std::uint32_t entry) {
  if (set.open_nodes.empty() || set.open_nodes.back().entry != none32) {
    return false;  // a second label of one node: the first counts
  }
  SeenSet::TreeNode& at = set.open_nodes.back();
  bool cycle = set.entries[entry].open > 0;
  // Nodes below that came before this label have it above them too.
  for (std::size_t i = at.first_below; i < set.labels.size() && !cycle; ++i) {
    cycle = set.labels[i] == entry;
  }
  at.entry = entry;
  ++set.entries[entry].open;
  --set.unlabelled;
  if (set.unlabelled > 0) {
    set.labels.push_back(entry);
  }
  return cycle;
}

// distinct and acyclic: a finding where the value is repeated, or one for the whole array.
void report_repeated_item(Engine& engine, std::uint32_t owner, std::uint32_t number, const DistinctPart& part,
                          Kind kind, std::string_view text, bool boolean, const json::Value* value) {
  std::string shown = kind == Kind::string    ? std::string(text)
                      : value != nullptr      ? json::value_text(*value)
                      : kind == Kind::boolean ? std::string(boolean ? "true" : "false")
                      : kind == Kind::null    ? std::string("null")
                                              : std::string(text);
  if (!part.each) {
    SeenSet& set = seen_set(engine, engine.evaluations[owner], number);
    if (set.reported) {
      return;
    }
    set.reported = true;
    std::uint32_t f = prepare(engine, owner, part.kw, part.position, 0);
    engine.found[f].finding.requirement = "values that all differ";
    engine.found[f].value = json::excerpt(shown, 200);
    engine.found[f].has_value = true;
    report(engine, f, engine.now);
    return;
  }
  std::uint32_t f = prepare(engine, owner, part.kw, part.position, engine.findings.repeated++);
  Found& found = engine.found[f];
  found.finding.requirement =
      part.kw == Kw::acyclic ? "a label that none of its ancestors has" : "a value that stands nowhere else here";
  found.value = json::excerpt(shown, 200);
  found.has_value = true;
  found.finding.at = pointer_of(engine, depth(engine));
  found.finding.item = nearest_label(engine, depth(engine), nullptr);
  found.finding.provided = json::excerpt(kind == Kind::string ? quoted(shown) : shown, 200);
  found.placed = true;
  found.finding.span.from = engine.spots.last_from;
  found.finding.span.to = engine.spots.last_to;
  report(engine, f, engine.now);
}

// A table with room for the entries of a set and as many again.
void grow_table(SeenSet& set, std::uint64_t seed) {
  std::size_t size = 64;
  while (size < set.entries.size() * 4) {
    size *= 2;
  }
  set.table.assign(size, 0);
  for (std::uint32_t i = 0; i < set.entries.size(); ++i) {
    SeenSet::Entry& e = set.entries[i];
    if (i < few_entries && e.value == nullptr) {  // the first few entries were compared without
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

void item_seen(Engine& engine, Kind kind, std::string_view text, bool boolean, const json::Value* value) {
  std::uint32_t from = engine.frames.back().evaluations_from;
  std::uint32_t to = engine.frames.back().evaluations_to;
  if (value == nullptr && (kind == Kind::object || kind == Kind::array)) {
    return;  // the items' type forbids it, and says so
  }
  for (std::uint32_t k = from; k < to; ++k) {
    std::uint32_t index = engine.place[k];
    const Node& node = *engine.evaluations[index].node;
    if (!node.array) {
      continue;
    }
    bool fresh = true;
    const std::size_t sets = (node.array->unique ? 1U : 0U) + node.array->distinct.size();
    if (sets > 0 && !spend(engine, sets * seen_steps(text, value))) {
      return;
    }
    if (node.array->unique) {
      insert(engine, seen_set(engine, engine.evaluations[index], 0), kind, text, boolean, value, nullptr, fresh);
      if (!fresh && !seen_set(engine, engine.evaluations[index], 0).reported) {
        seen_set(engine, engine.evaluations[index], 0).reported = true;
        std::uint32_t f = prepare(engine, index, Kw::unique_items, node.array->unique_at, 0);
        engine.found[f].finding.requirement = "items that all differ";
        engine.found[f].finding.provided = "item " + std::to_string(engine.frames.back().count) + " stands there twice";
        report(engine, f, engine.now);
      }
    }
    for (std::uint32_t d = 0; d < node.array->distinct.size(); ++d) {
      const DistinctPart& part = node.array->distinct[d];
      if (!part.by_self) {
        continue;
      }
      insert(engine, seen_set(engine, engine.evaluations[index], 1 + d), kind, text, boolean, value, &part, fresh);
      if (!fresh) {
        report_repeated_item(engine, index, 1 + d, part, kind, text, boolean, value);
      }
    }
  }
}

void collect(Engine& engine, std::uint32_t rule, std::uint32_t owner, Kind kind, std::string_view text, bool boolean,
             const json::Value* value) {
  if ((kind == Kind::object || kind == Kind::array) && value == nullptr) {
    return;
  }
  if (!spend(engine, seen_steps(text, value))) {
    return;
  }
  const Node& node = *engine.evaluations[owner].node;
  bool fresh = true;
  if ((rule & tree_collect_flag) == 0) {
    const DistinctPart& part = node.array->distinct[rule];
    insert(engine, seen_set(engine, engine.evaluations[owner], 1 + rule), kind, text, boolean, value, &part, fresh);
    if (!fresh) {
      report_repeated_item(engine, owner, 1 + rule, part, kind, text, boolean, value);
    }
    return;
  }
  std::uint32_t tree = rule & ~tree_collect_flag;
  const DistinctPart& part = node.extra->trees[tree];
  std::uint32_t number = tree_set_number(node, tree);
  SeenSet& set = seen_set(engine, engine.evaluations[owner], number);
  std::uint32_t entry = insert(engine, set, kind, text, boolean, value, &part, fresh);
  const DistinctPart* rider = part.rider == none32 ? nullptr : &node.extra->trees[part.rider];
  const DistinctPart* distinct = part.kw == Kw::distinct ? &part : rider;
  const DistinctPart* acyclic = part.kw == Kw::acyclic ? &part : rider;
  bool cycle = acyclic != nullptr && label_tree_node(set, entry);
  if (cycle) {
    report_repeated_item(engine, owner, number, *acyclic, kind, text, boolean, value);
  }
  if (distinct != nullptr && !fresh) {
    report_repeated_item(engine, owner, number, *distinct, kind, text, boolean, value);
  }
}

std::uint32_t tree_set_number(const Node& node, std::uint32_t tree) {
  return 1 + static_cast<std::uint32_t>(node.array ? node.array->distinct.size() : 0) + tree;
}

bool looks_for_cycles(const Node& node, std::uint32_t tree) {
  const DistinctPart& part = node.extra->trees[tree];
  return part.kw == Kw::acyclic || (part.rider != none32 && node.extra->trees[part.rider].kw == Kw::acyclic);
}

void tree_begin(Engine& engine, std::uint32_t tree, std::uint32_t owner) {
  const Node& node = *engine.evaluations[owner].node;
  if (!looks_for_cycles(node, tree)) {
    return;
  }
  SeenSet& set = seen_set(engine, engine.evaluations[owner], tree_set_number(node, tree));
  SeenSet::TreeNode at;
  at.first_below = static_cast<std::uint32_t>(set.labels.size());
  set.open_nodes.push_back(at);
  ++set.unlabelled;
}

void tree_end(Engine& engine, std::uint32_t tree, std::uint32_t owner) {
  const Node& node = *engine.evaluations[owner].node;
  if (!looks_for_cycles(node, tree)) {
    return;
  }
  SeenSet& set = seen_set(engine, engine.evaluations[owner], tree_set_number(node, tree));
  PLUMB_REQUIRE(!set.open_nodes.empty(), "a tree node that ends has begun");
  if (set.open_nodes.back().entry != none32) {
    --set.entries[set.open_nodes.back().entry].open;
  } else {
    --set.unlabelled;
  }
  set.open_nodes.pop_back();
  if (set.unlabelled == 0) {
    set.labels.clear();
  }
}

}  // namespace plumb::contract
