#include "core/contract/keywords/distinct.hpp"

#include <algorithm>
#include <string>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/contract/our_form.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

bool is_fold(const json::Value& value) {
  const auto items = value.array();
  return value.is(Kind::array) && value.size > 0 && std::all_of(items.begin(), items.end(), [](const json::Value& one) {
           return one.str() == "trim" || one.str() == "lowercase";
         });
}

bool has_tree_or_key(const json::Value& value) {
  for (const char* name : {"from", "children", "by"}) {
    if (const json::Value* path = value.find(name); path != nullptr && is_pointer(*path)) {
      return true;
    }
  }
  const json::Value* fold = value.find("fold");
  return fold != nullptr && is_fold(*fold);
}

void compile_unique_items(Compiler& compiler, Compiler::At& at) {
  if (!at.member.value.is(Kind::boolean)) {
    compiler.fail(at, "uniqueItems must be true or false");
    return;
  }
  if (at.member.value.boolean) {
    compiler.array(at.node).unique = true;
    compiler.array(at.node).unique_at = at.position;
  }
}

template <Kw kw>
void compile_distinct(Compiler& compiler, Compiler::At& at) {
  const json::Value& value = at.member.value;
  if (kw == Kw::distinct && value.is(Kind::boolean)) {
    if (value.boolean) {
      DistinctPart part;
      part.position = at.position;
      part.by_self = true;
      compiler.array(at.node).distinct.push_back(part);
    }
    return;
  }
  if (!compiler.form(at, value.is(Kind::object), kw == Kw::distinct ? "true or an object" : "an object") ||
      !compiler.only_members(at, value, {"from", "children", "by", "fold", "report"})) {
    return;
  }
  DistinctPart part;
  part.kw = kw;
  part.position = at.position;
  if (const json::Value* fold = value.find("fold");
      fold != nullptr && !compiler.read_fold(at, *fold, part.fold, part.folds)) {
    return;
  }
  if (const json::Value* report = value.find("report")) {
    if (!compiler.form(at, report->is(Kind::string) && (report->str() == "once" || report->str() == "each"),
                       "given report as \"once\" or \"each\"")) {
      return;
    }
    part.each = report->str() == "each";
  }
  auto path = [&](const char* name, std::uint32_t& out) {
    const json::Value* v = value.find(name);
    if (v == nullptr) {
      out = none32;
      return true;
    }
    if (!compiler.form(at, v->is(Kind::string), std::string("given ") + name + " as a JSON Pointer")) {
      return false;
    }
    out = compiler.pointer(at, v->str(), json::Slash::here);
    return out != none32 &&
           compiler.form(at,
                         compiler.program().pointer_patterns[out].base == json::PointerBase::instance &&
                             compiler.program().pointer_patterns[out].levels_up == 0,
                         std::string("given ") + name + " as a JSON Pointer that leads downwards");
  };
  std::uint32_t from = none32;
  std::uint32_t children = none32;
  std::uint32_t by = none32;
  if (!path("from", from) || !path("children", children) || !path("by", by)) {
    return;
  }
  bool tree = from != none32 || children != none32;
  if (tree || kw == Kw::acyclic) {
    if (!compiler.form(at, from != none32 && children != none32 && by != none32,
                       "given from, children and by for a tree")) {
      return;
    }
    if (!compiler.form(at, !compiler.program().pointer_patterns[children].tokens.empty(),
                       "given children that leads away from the node")) {
      return;
    }
    part.tree = true;
    compiler.extra(at.node).trees.push_back(part);
    compiler.watch_tree({&at.node, at.node.extra->trees.size() - 1, from, children, by});
    return;
  }
  part.by_self = by == none32 || compiler.program().pointer_patterns[by].tokens.empty();
  compiler.array(at.node).distinct.push_back(part);
  if (!part.by_self) {
    compiler.watch_items({&at.node, at.node.array->distinct.size() - 1, by});
  }
}

// To see whether a value has been seen: a place in a table, and its bytes to hash, compare and copy.
std::uint64_t seen_steps(std::string_view text, const json::Value* value) {
  return 8 + (value != nullptr ? value->to - value->from : text.size());
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
      part.kw == Kw::acyclic ? "a label that none of its ancestors has" : "a value that appears nowhere else here";
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

}  // namespace

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
        engine.found[f].finding.provided = "item " + std::to_string(engine.frames.back().count) + " appears twice";
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

const Keyword unique_items_keyword = {
    .vocabulary = Vocabulary::validation, .compile = compile_unique_items, .message = [](const Found& found) {
      return "Items must all differ: " + found.finding.provided;
    }};

const Keyword distinct_keyword = {
    .our_form = has_tree_or_key, .compile = compile_distinct<Kw::distinct>, .message = [](const Found& found) {
      return "'" + found.value + "' appears here more than once";
    }};

const Keyword acyclic_keyword = {
    .our_form = has_tree_or_key, .compile = compile_distinct<Kw::acyclic>, .message = [](const Found& found) {
      return "'" + found.value + "' is among its own ancestors";
    }};

}  // namespace plumb::contract
