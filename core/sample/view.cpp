// What has a say about a value: references followed, branches chosen.
#include <algorithm>

#include "core/contract/engine/engine.hpp"
#include "core/json/equality.hpp"
#include "core/json/number_text.hpp"
#include "core/sample/keywords.hpp"
#include "core/sample/maker.hpp"
#include "core/text/pattern.hpp"

namespace plumb::sample {

using contract::InPlace;
using contract::PointerPattern;
using json::Kind;

namespace {

constexpr std::uint32_t in_place_depth_max = 200;  // references one behind the other at one place

bool has(const std::vector<Ask>& list, const Node* node) {
  return std::any_of(list.begin(), list.end(), [node](const Ask& ask) { return ask.node == node; });
}

bool token_names(const json::PointerToken& token, std::string_view key) { return token.star || token.text == key; }

bool matches(const text::Pattern& pattern, std::string_view text) {
  text::Matcher matcher(pattern);
  return matcher.search(text);
}

}  // namespace

bool Style::is_wanted(const Node* node) const { return std::binary_search(wanted.begin(), wanted.end(), node); }

std::uint32_t Maker::enter(std::uint32_t scope, const Node* node) {
  const std::vector<std::uint32_t>& chain = scopes_[scope];
  if (!program_.uses_dynamic_scope || std::find(chain.begin(), chain.end(), node->resource) != chain.end()) {
    return scope;
  }
  std::vector<std::uint32_t> longer = chain;
  longer.push_back(node->resource);
  for (std::uint32_t i = 0; i < scopes_.size(); ++i) {
    if (scopes_[i] == longer) {
      return i;
    }
  }
  scopes_.push_back(std::move(longer));
  return static_cast<std::uint32_t>(scopes_.size() - 1);
}

const Node* Maker::target(const InPlace& in, std::uint32_t scope) const {
  if (in.anchor.empty()) {
    return in.node;
  }
  for (const std::uint32_t r : scopes_[scope]) {
    const contract::Resource& resource = program_.resources[r];
    if (in.kw == Kw::recursive_ref) {
      if (resource.recursive_anchor && resource.root != nullptr) {
        return resource.root;
      }
      continue;
    }
    for (const auto& [name, node] : resource.dynamic_anchors) {
      if (name == in.anchor) {
        return node;
      }
    }
  }
  return in.node;
}

Wish Maker::wish_for(const Node* node) {
  Wish wish;
  wish.all.push_back({node, enter(0, node)});
  return wish;
}

bool Maker::holds(const Node* node, const Draft& value) {
  if (node->always || node->never) {
    return node->always;
  }
  const std::string text = text_of(value);
  budget_.judge(text.size());
  contract::Engine engine(shared_, node, {});
  const contract::Verdict verdict = engine.check_whole(text);
  return verdict.valid;
}

namespace {

// What mending puts right in the whole artifact.
bool is_mended_later(const contract::Finding& finding) {
  const Kw kw = contract::kw_named(finding.rule);
  return kw == Kw::none
             ? !finding.causes.empty() && std::all_of(finding.causes.begin(), finding.causes.end(), is_mended_later)
             : keyword_row(kw).mended_later;
}

}  // namespace

bool Maker::accepts(const Node* node, const Draft& value) {
  if (node->always || node->never) {
    return node->always;
  }
  const std::string text = text_of(value);
  budget_.judge(text.size());
  contract::Engine engine(shared_, node, {});
  const contract::Verdict verdict = engine.check_whole(text);
  return verdict.valid ||
         (verdict.more.empty() && std::all_of(verdict.findings.begin(), verdict.findings.end(), is_mended_later));
}

bool Maker::fits(const Wish& wish, const Draft& value) {
  // The engine begins anew at a schema: what a dynamic reference means there may be something else.
  if (program_.uses_dynamic_scope) {
    return true;
  }
  return std::all_of(wish.all.begin(), wish.all.end(), [&](const Ask& ask) { return accepts(ask.node, value); }) &&
         std::none_of(wish.none.begin(), wish.none.end(), [&](const Ask& ask) { return holds(ask.node, value); });
}

void Maker::branches(const InPlace& in, const Ask& ask, std::uint64_t choices, const Draft* like, View& view,
                     const std::vector<std::string>& keys, std::uint32_t depth) {
  std::size_t chosen = in.branches.size();
  for (std::size_t i = 0; i < in.branches.size() && chosen == in.branches.size(); ++i) {
    if (style.is_wanted(in.branches[i])) {
      chosen = i;
    }
  }
  for (std::size_t i = 0; like != nullptr && i < in.branches.size(); ++i) {
    if (holds(in.branches[i], *like)) {
      chosen = i;
      break;
    }
  }
  if (chosen == in.branches.size()) {
    const std::uint64_t mixed =
        choices == 0 ? 0 : Random::mixed(choices ^ json::hash_text(ask.node->location, in.position));
    chosen = static_cast<std::size_t>(mixed % in.branches.size());
    for (std::size_t i = 0; i < in.branches.size() && in.branches[chosen]->never; ++i) {
      chosen = (chosen + 1) % in.branches.size();
    }
  }
  open({in.branches[chosen], enter(ask.scope, in.branches[chosen])}, choices, like, keys, view, depth + 1);
  for (std::size_t i = 0; in.kw == Kw::one_of && i < in.branches.size(); ++i) {
    if (i != chosen && !in.branches[i]->never) {
      view.none.push_back({in.branches[i], ask.scope});
    }
  }
}

void Maker::condition(const InPlace& in, const Ask& ask, std::uint64_t choices, const Draft* like, View& view,
                      const std::vector<std::string>& keys, std::uint32_t depth) {
  bool then = in.then_node == nullptr || !in.then_node->never;
  if (like != nullptr) {
    then = holds(in.node, *like);
  } else if (in.then_node != nullptr && style.is_wanted(in.then_node)) {
    then = true;
  } else if (in.else_node != nullptr && style.is_wanted(in.else_node)) {
    then = false;
  } else if (choices != 0) {
    then = Random::mixed(choices ^ json::hash_text(ask.node->location, in.position)) % 2 == 0;
  }
  const Node* follows = then ? in.then_node : in.else_node;
  if (then) {
    open({in.node, ask.scope}, choices, like, keys, view, depth + 1);
  } else {
    view.none.push_back({in.node, ask.scope});
  }
  if (follows != nullptr) {
    open({follows, enter(ask.scope, follows)}, choices, like, keys, view, depth + 1);
  }
}

void Maker::open(const Ask& ask, std::uint64_t choices, const Draft* like, const std::vector<std::string>& keys,
                 View& view, std::uint32_t depth) {
  const Node& node = *ask.node;
  view.never = view.never || node.never;
  if (node.always || node.never || has(view.nodes, &node) || depth > in_place_depth_max) {
    return;
  }
  view.nodes.push_back(ask);
  for (const InPlace& in : node.in_place) {
    switch (in.form) {
      case InPlaceForm::alternatives:
        branches(in, ask, choices, like, view, keys, depth);
        break;
      case InPlaceForm::negation:
        view.none.push_back({in.node, ask.scope});
        break;
      case InPlaceForm::condition:
        condition(in, ask, choices, like, view, keys, depth);
        break;
      case InPlaceForm::dependent: {
        const bool on = like != nullptr ? like->member(in.key) != nullptr
                                        : std::find(keys.begin(), keys.end(), in.key) != keys.end();
        if (on) {
          open({in.node, enter(ask.scope, in.node)}, choices, like, keys, view, depth + 1);
        }
        break;
      }
      default: {
        const Node* to = target(in, ask.scope);
        open({to, enter(ask.scope, to)}, choices, like, keys, view, depth + 1);
        break;
      }
    }
  }
  if (node.extra) {
    for (const contract::Rule& rule : node.extra->rules) {
      const bool apart = rule.each && !program_.pointer_patterns[rule.each_pattern].tokens.empty();
      if (rule.check != nullptr && !apart) {
        open({rule.check, ask.scope}, choices, like, keys, view, depth + 1);
      }
    }
    for (const contract::PointedSchema& pointed : node.extra->pointed) {
      const PointerPattern& pattern = program_.pointer_patterns[pointed.pattern];
      if (pattern.base == json::PointerBase::instance && pattern.levels_up == 0) {
        view.pointed.push_back({&pattern, 0, {pointed.node, ask.scope}});
      }
    }
  }
}

View Maker::look(const Wish& wish, std::uint64_t choices, const Draft* like, const std::vector<std::string>& keys) {
  View view;
  view.none = wish.none;
  for (const Ask& ask : wish.all) {
    open(ask, choices, like, keys, view, 0);
  }
  for (const Pending& pending : wish.pointed) {
    view.pointed.push_back(pending);
  }
  return view;
}

namespace {

void follow(const View& view, std::string_view token, Wish& wish) {
  for (const Pending& pending : view.pointed) {
    if (pending.token < pending.pattern->tokens.size() && token_names(pending.pattern->tokens[pending.token], token)) {
      if (pending.token + 1 == pending.pattern->tokens.size()) {
        wish.all.push_back(pending.ask);
      } else {
        wish.pointed.push_back({pending.pattern, pending.token + 1, pending.ask});
      }
    }
  }
}

}  // namespace

Wish Maker::member_wish(const View& view, std::string_view key) {
  Wish wish;
  bool judged = false;
  for (const Ask& ask : view.nodes) {
    if (!ask.node->object) {
      continue;
    }
    const contract::ObjectPart& o = *ask.node->object;
    bool known = false;
    for (const contract::Slot& slot : o.slots) {
      if (slot.key == key && slot.node != nullptr) {
        wish.all.push_back({slot.node, enter(ask.scope, slot.node)});
        known = true;
      }
    }
    for (const auto& pattern : o.pattern_properties) {
      if (matches(program_.patterns[pattern.pattern], key)) {
        wish.all.push_back({pattern.node, enter(ask.scope, pattern.node)});
        known = true;
      }
    }
    if (!known && o.additional != nullptr) {
      wish.all.push_back({o.additional, enter(ask.scope, o.additional)});
      known = true;
    }
    judged = judged || known;
  }
  for (const Ask& ask : view.nodes) {
    if (!judged && ask.node->object && ask.node->object->unevaluated != nullptr) {
      wish.all.push_back({ask.node->object->unevaluated, enter(ask.scope, ask.node->object->unevaluated)});
    }
  }
  follow(view, key, wish);
  return wish;
}

Wish Maker::item_wish(const View& view, std::size_t index) {
  Wish wish;
  bool judged = false;
  for (const Ask& ask : view.nodes) {
    if (!ask.node->array) {
      continue;
    }
    const contract::ArrayPart& a = *ask.node->array;
    const Node* item = index < a.prefix.size() ? a.prefix[index] : a.items;
    if (item != nullptr) {
      wish.all.push_back({item, enter(ask.scope, item)});
      judged = true;
    }
  }
  for (const Ask& ask : view.nodes) {
    if (!judged && ask.node->array && ask.node->array->unevaluated != nullptr) {
      wish.all.push_back({ask.node->array->unevaluated, enter(ask.scope, ask.node->array->unevaluated)});
    }
  }
  follow(view, json::uint_text(index), wish);
  return wish;
}

Wish Maker::name_wish(const View& view) {
  Wish wish;
  for (const Ask& ask : view.nodes) {
    if (ask.node->object && ask.node->object->names != nullptr) {
      wish.all.push_back({ask.node->object->names, enter(ask.scope, ask.node->object->names)});
    }
  }
  return wish;
}

Wish Maker::wish_at(const Draft& root_value, const Wish& root, const Path& path) {
  Wish wish = root;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Draft* value = find(root_value, path, i);
    if (value == nullptr) {
      // Above what is there: as it would be made.
      const View view = look(wish, 0, nullptr, {});
      std::uint64_t index = 0;
      wish = json::read_uint(path[i], index) && member_wish(view, path[i]).all.empty()
                 ? item_wish(view, static_cast<std::size_t>(index))
                 : member_wish(view, path[i]);
      continue;
    }
    const View view = look(wish, 0, value, {});
    std::uint64_t index = 0;
    const bool item = value->is(Kind::array) && json::read_uint(path[i], index);
    wish = item ? item_wish(view, static_cast<std::size_t>(index)) : member_wish(view, path[i]);
  }
  return wish;
}

}  // namespace plumb::sample
