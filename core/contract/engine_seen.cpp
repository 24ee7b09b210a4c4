// What has been seen before: uniqueItems, distinct and acyclic.
//
// Texts are folded into one buffer for each set; a few_entries are compared one by one, more get a hash table that
// grows with them and is thrown away when it was large, so that a big artifact does not slow the small ones after it.

#include <algorithm>
#include <string>

#include "core/contract/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

// As many are compared one by one, without a hash.
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

}  // namespace

SeenSet& Engine::seen_set(Evaluation& e, std::uint32_t number) {
  Extension& x = extension(e);
  if (x.sets.size() <= number) {
    x.sets.resize(number + 1, none32);
  }
  if (x.sets[number] == none32) {
    if (!free_sets_.empty()) {
      x.sets[number] = free_sets_.back();
      free_sets_.pop_back();
    } else {
      x.sets[number] = static_cast<std::uint32_t>(sets_.size());
      sets_.emplace_back();
    }
    ++sets_open_;
  }
  return sets_[x.sets[number]];
}

// The entry of a value, new where nothing equal was there.
std::uint32_t Engine::insert(SeenSet& set, Kind kind, std::string_view text, bool boolean, const json::Value* value,
                             const DistinctPart* part, bool& fresh) {
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
      hash = json::hash_text(std::string_view(set.texts).substr(text_from), seed_);
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
    hash = json::hash(*value, seed_);
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
      std::size_t size = 64;
      while (size < set.entries.size() * 4) {
        size *= 2;
      }
      set.table.assign(size, 0);
      for (std::uint32_t i = 0; i < set.entries.size(); ++i) {
        SeenSet::Entry& e = set.entries[i];
        if (i < few_entries && e.value == nullptr) {  // the first few_entries were compared without
          e.hash = json::hash_text(std::string_view(set.texts).substr(e.text_from, e.text_size), seed_);
        }
        std::size_t h = static_cast<std::size_t>(e.hash) & (size - 1);
        while (set.table[h] != 0) {
          h = (h + 1) & (size - 1);
        }
        set.table[h] = i + 1;
      }
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
    json::Value* kept = set_arena_.array<json::Value>(1);
    *kept = copy_value(*value, set_arena_);
    entry.value = kept;
  }
  set.entries.push_back(entry);
  if (set.entries.size() > few_entries) {
    set.table[slot] = static_cast<std::uint32_t>(set.entries.size());
  }
  fresh = true;
  return static_cast<std::uint32_t>(set.entries.size() - 1);
}

// Takes back the texts that were inserted last, until `size` are left. The table is as if they had never been there: an
// entry never moves one that came before it.
void Engine::forget(SeenSet& set, std::size_t size) {
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

// An item has ended in an array with uniqueItems or distinct over the items themselves.
void Engine::item_seen(Kind kind, std::string_view text, bool boolean, const json::Value* value) {
  std::uint32_t from = frames_.back().evaluations_from;
  std::uint32_t to = frames_.back().evaluations_to;
  if (value == nullptr && (kind == Kind::object || kind == Kind::array)) {
    return;  // the items' type forbids it, and says so
  }
  for (std::uint32_t k = from; k < to; ++k) {
    std::uint32_t index = place_[k];
    const Node& node = *evaluations_[index].node;
    if (!node.array) {
      continue;
    }
    bool fresh = true;
    if (node.array->unique) {
      insert(seen_set(evaluations_[index], 0), kind, text, boolean, value, nullptr, fresh);
      if (!fresh && !seen_set(evaluations_[index], 0).reported) {
        seen_set(evaluations_[index], 0).reported = true;
        std::uint32_t f = prepare(index, Kw::unique_items, node.array->unique_at, 0);
        found_[f].finding.requirement = "items that all differ";
        found_[f].finding.provided = "item " + std::to_string(frames_.back().count) + " stands there twice";
        report(f, now_);
      }
    }
    for (std::uint32_t d = 0; d < node.array->distinct.size(); ++d) {
      const DistinctPart& part = node.array->distinct[d];
      if (!part.by_self) {
        continue;
      }
      insert(seen_set(evaluations_[index], 1 + d), kind, text, boolean, value, &part, fresh);
      if (!fresh) {
        report_repeated_item(index, 1 + d, part, kind, text, boolean, value);
      }
    }
  }
}

// A value that `by` reaches has ended.
void Engine::collect(std::uint32_t rule, std::uint32_t owner, Kind kind, std::string_view text, bool boolean,
                     const json::Value* value) {
  if ((kind == Kind::object || kind == Kind::array) && value == nullptr) {
    return;
  }
  const Node& node = *evaluations_[owner].node;
  bool fresh = true;
  if ((rule & tree_collect_flag) == 0) {
    const DistinctPart& part = node.array->distinct[rule];
    insert(seen_set(evaluations_[owner], 1 + rule), kind, text, boolean, value, &part, fresh);
    if (!fresh) {
      report_repeated_item(owner, 1 + rule, part, kind, text, boolean, value);
    }
    return;
  }
  std::uint32_t tree = rule & ~tree_collect_flag;
  const DistinctPart& part = node.extra->trees[tree];
  std::uint32_t number = tree_set_number(node, tree);
  SeenSet& set = seen_set(evaluations_[owner], number);
  std::uint32_t entry = insert(set, kind, text, boolean, value, &part, fresh);
  const DistinctPart* rider = part.rider == none32 ? nullptr : &node.extra->trees[part.rider];
  const DistinctPart* distinct = part.kw == Kw::distinct ? &part : rider;
  const DistinctPart* acyclic = part.kw == Kw::acyclic ? &part : rider;
  bool cycle = acyclic != nullptr && label_tree_node(set, entry);
  if (cycle) {
    report_repeated_item(owner, number, *acyclic, kind, text, boolean, value);
  }
  if (distinct != nullptr && !fresh) {
    report_repeated_item(owner, number, *distinct, kind, text, boolean, value);
  }
}

// The innermost open node has this label. Whether one of its ancestors has it too.
bool Engine::label_tree_node(SeenSet& set, std::uint32_t entry) {
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

std::uint32_t Engine::tree_set_number(const Node& node, std::uint32_t tree) {
  return 1 + static_cast<std::uint32_t>(node.array ? node.array->distinct.size() : 0) + tree;
}

bool Engine::looks_for_cycles(const Node& node, std::uint32_t tree) {
  const DistinctPart& part = node.extra->trees[tree];
  return part.kw == Kw::acyclic || (part.rider != none32 && node.extra->trees[part.rider].kw == Kw::acyclic);
}

void Engine::tree_begin(std::uint32_t tree, std::uint32_t owner) {
  const Node& node = *evaluations_[owner].node;
  if (!looks_for_cycles(node, tree)) {
    return;
  }
  SeenSet& set = seen_set(evaluations_[owner], tree_set_number(node, tree));
  SeenSet::TreeNode at;
  at.first_below = static_cast<std::uint32_t>(set.labels.size());
  set.open_nodes.push_back(at);
  ++set.unlabelled;
}

void Engine::tree_end(std::uint32_t tree, std::uint32_t owner) {
  const Node& node = *evaluations_[owner].node;
  if (!looks_for_cycles(node, tree)) {
    return;
  }
  SeenSet& set = seen_set(evaluations_[owner], tree_set_number(node, tree));
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

// distinct and acyclic: a finding where the value is repeated, or one for the whole array.
void Engine::report_repeated_item(std::uint32_t owner, std::uint32_t number, const DistinctPart& part, Kind kind,
                                  std::string_view text, bool boolean, const json::Value* value) {
  std::string shown = kind == Kind::string    ? std::string(text)
                      : value != nullptr      ? json::value_text(*value)
                      : kind == Kind::boolean ? std::string(boolean ? "true" : "false")
                      : kind == Kind::null    ? std::string("null")
                                              : std::string(text);
  if (!part.each) {
    SeenSet& set = seen_set(evaluations_[owner], number);
    if (set.reported) {
      return;
    }
    set.reported = true;
    std::uint32_t f = prepare(owner, part.kw, part.position, 0);
    found_[f].finding.requirement = "values that all differ";
    found_[f].value = json::excerpt(shown, 200);
    found_[f].has_value = true;
    report(f, now_);
    return;
  }
  std::uint32_t f = prepare(owner, part.kw, part.position, repeated_++);
  Found& found = found_[f];
  found.finding.requirement =
      part.kw == Kw::acyclic ? "a label that none of its ancestors has" : "a value that stands nowhere else here";
  found.value = json::excerpt(shown, 200);
  found.has_value = true;
  found.finding.at = pointer_of(depth());
  found.finding.item = nearest_label(depth(), nullptr);
  found.finding.provided = json::excerpt(kind == Kind::string ? quoted(shown) : shown, 200);
  found.placed = true;
  found.finding.span.from = last_from_;
  found.finding.span.to = last_to_;
  report(f, now_);
}

}  // namespace plumb::contract
