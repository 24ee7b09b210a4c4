// Arrays, objects, and schemas that hold or not.
#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/sample/keywords.hpp"
#include "core/sample/words.hpp"

namespace plumb::sample {

using json::Kind;

namespace {

// One more item at the end, as the schemas there want it.
bool grow(Breaking& b, Draft& array, const Wish& extra = {}) {
  const View view = b.maker.look(b.wish, 1, nullptr, {});
  Wish wish = b.maker.item_wish(view, array.children.size());
  wish.all.insert(wish.all.end(), extra.all.begin(), extra.all.end());
  wish.none.insert(wish.none.end(), extra.none.begin(), extra.none.end());
  std::optional<Draft> item = b.maker.make(wish, {}, 1);
  for (std::size_t i = 0; i < 6 && item && extra.all.empty() &&
                          std::any_of(array.children.begin(), array.children.end(),
                                      [&](const Draft& other) { return equal(other, *item); });
       ++i) {
    item = b.maker.make(wish, {}, 1);
  }
  if (!item) {
    return false;
  }
  array.children.push_back(std::move(*item));
  return true;
}

void repeated(Breaking& b, const contract::PointerPattern& by) {
  Draft copy = b.value;
  while (copy.children.size() < 2) {
    if (!grow(b, copy)) {
      return;
    }
  }
  if (by.tokens.empty()) {
    Draft twice = copy;
    twice.children.back().become(copy.children.front());
    b.add(std::move(twice));
    twice = copy;
    twice.children.front().become(copy.children.back());
    b.add(std::move(twice));
    twice = copy;
    twice.children.push_back(copy.children.front());
    b.add(std::move(twice));
    return;
  }
  Path path;
  for (const json::PointerToken& token : by.tokens) {
    path.push_back(token.text);
  }
  for (Draft& item : copy.children) {
    if (find(item, path) == nullptr) {
      put(item, path, Draft::string(word(b.maker.dice())));
    }
  }
  const Draft* wanted = nullptr;
  for (Draft& item : copy.children) {
    Draft* here = find(item, path);
    if (here != nullptr && wanted != nullptr) {
      const Draft before = *here;
      here->become(*wanted);
      b.add(copy);
      here->become(before);
    }
    wanted = wanted == nullptr ? here : wanted;
  }
  if (!copy.children.empty()) {
    copy.children.push_back(copy.children.front());
    b.add(std::move(copy));
  }
}

}  // namespace

void break_max_contains(Breaking& b) {
  const contract::ContainsPart& part = *b.site.node->array->contains;
  Wish one;
  one.all.push_back({part.node, 0});
  Draft copy = b.value;
  std::uint64_t count = 0;
  for (const Draft& item : copy.children) {
    count += b.maker.holds(part.node, item) ? 1U : 0U;
  }
  while (count <= part.max && count < 5000 && grow(b, copy, one)) {
    ++count;
  }
  b.add(copy);
  // In the places of others, where the number of items is bound.
  copy = b.value;
  count = 0;
  for (std::size_t i = 0; i < copy.children.size() && count <= part.max; ++i) {
    if (!b.maker.holds(part.node, copy.children[i])) {
      const View view = b.maker.look(b.wish, 1, nullptr, {});
      Wish wish = b.maker.item_wish(view, i);
      wish.all.push_back({part.node, 0});
      if (std::optional<Draft> made = b.maker.make(wish, {}, 1)) {
        copy.children[i].become(*made);
      }
    }
    count += b.maker.holds(part.node, copy.children[i]) ? 1U : 0U;
  }
  b.add(std::move(copy));
}

void break_contains(Breaking& b) {
  const contract::ContainsPart& part = *b.site.node->array->contains;
  Wish none;
  none.none.push_back({part.node, 0});
  Draft copy = b.value;
  // All but as many as are still too few are replaced, or taken out.
  std::uint64_t left = part.min - 1;
  Draft fewer = Draft::of_kind(Kind::array);
  for (std::size_t i = 0; i < copy.children.size(); ++i) {
    if (!b.maker.holds(part.node, copy.children[i])) {
      fewer.children.push_back(copy.children[i]);
      continue;
    }
    if (left > 0) {
      --left;
      fewer.children.push_back(copy.children[i]);
      continue;
    }
    const View view = b.maker.look(b.wish, 1, nullptr, {});
    Wish wish = b.maker.item_wish(view, i);
    wish.none.push_back({part.node, 0});
    if (std::optional<Draft> made = b.maker.make(wish, {}, 1)) {
      copy.children[i].become(*made);
    }
  }
  b.add(std::move(copy));
  if (fewer.children.empty() && part.min == 1 && grow(b, fewer, none)) {
    b.add(fewer);
    fewer.children.clear();
  }
  b.add(std::move(fewer));
}

void break_min_items(Breaking& b) {
  const std::uint64_t least = b.site.node->array->min_items;
  if (b.value.children.size() >= least) {
    Draft fewer = b.value;
    fewer.children.resize(static_cast<std::size_t>(least - 1));
    b.add(std::move(fewer));
    Draft last = b.value;
    last.children.erase(last.children.begin(), last.children.end() - static_cast<std::ptrdiff_t>(least - 1));
    b.add(std::move(last));
  }
}

void break_max_items(Breaking& b) {
  const std::uint64_t most = b.site.node->array->max_items;
  if (most >= b.maker.budget().values_max) {
    b.maker.because("it would have more items than a sample may have");
    return;
  }
  Draft more = b.value;
  while (more.children.size() <= most && grow(b, more)) {
  }
  b.add(std::move(more));
}

void break_unique_items(Breaking& b) { repeated(b, {}); }

void break_distinct_items(Breaking& b) {
  if (b.site.node->array && b.value.is(Kind::array)) {
    repeated(b, pointer_in(*b.site.node, Kw::distinct, "by"));
  }
}

void break_required(Breaking& b) {
  Draft copy = b.value;
  if (copy.remove(b.site.property)) {
    b.add(std::move(copy));
  }
}

void break_dependent_required(Breaking& b) {
  const auto& dependent = b.site.node->object->dependents[b.site.index];
  const std::string_view key = dependent.key;
  Draft copy = b.value;
  if (copy.member(key) == nullptr) {
    const View view = b.maker.look(b.wish, 1, nullptr, {});
    if (std::optional<Draft> made = b.maker.make(b.maker.member_wish(view, key), key, 1)) {
      copy.set(key, std::move(*made));
    }
    for (const std::string_view other : dependent.required) {
      if (copy.member(other) == nullptr && other != b.site.property) {
        if (std::optional<Draft> made = b.maker.make(b.maker.member_wish(view, other), other, 1)) {
          copy.set(other, std::move(*made));
        }
      }
    }
  }
  copy.remove(b.site.property);
  b.add(std::move(copy));
}

void break_min_properties(Breaking& b) {
  const contract::ObjectPart& o = *b.site.node->object;
  const auto required = [&](std::string_view key) {
    return std::any_of(o.required.begin(), o.required.end(), [&](std::uint32_t r) { return o.slots[r].key == key; });
  };
  Draft copy = b.value;
  for (std::size_t i = copy.children.size(); i-- > 0 && copy.children.size() >= o.min_properties;) {
    if (!required(copy.children[i].key)) {
      copy.children.erase(copy.children.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  b.add(copy);
  if (o.min_properties <= copy.children.size()) {
    copy.children.resize(static_cast<std::size_t>(o.min_properties - 1));
    b.add(std::move(copy));
  }
}

void break_max_properties(Breaking& b) {
  const contract::ObjectPart& o = *b.site.node->object;
  Draft copy = b.value;
  const View view = b.maker.look(b.wish, 1, nullptr, {});
  while (copy.children.size() <= o.max_properties && copy.children.size() < b.maker.budget().values_max) {
    std::string name;
    for (const contract::Slot& slot : o.slots) {
      name = name.empty() && slot.node != nullptr && !slot.node->never && copy.member(slot.key) == nullptr
                 ? std::string(slot.key)
                 : name;
    }
    if (name.empty()) {
      name = b.maker.other_name(view, copy).value_or("");
    }
    if (name.empty()) {
      break;
    }
    std::optional<Draft> made = b.maker.make(b.maker.member_wish(view, name), name, 1);
    copy.set(name, made ? std::move(*made) : Draft::string("x"));
  }
  b.add(std::move(copy));
}

namespace {

// Of objects, the members of `made` beside those of the value; of anything else `made` itself.
void merged(Breaking& b, const Draft& made) {
  if (made.is(Kind::object) && b.value.is(Kind::object)) {
    Draft both = b.value;
    for (const Draft& child : made.children) {
      both.set(child.key, child);
    }
    b.add(std::move(both));
    both = made;
    for (const Draft& child : b.value.children) {
      if (both.member(child.key) == nullptr) {
        both.set(child.key, child);
      }
    }
    b.add(std::move(both));
  }
  b.add(made);
}

// Breaks one branch after the other, as long as one holds.
void broken_branches(Breaking& b, const contract::InPlace& in) {
  Draft value = b.value;
  for (std::size_t round = 0; round < in.branches.size() * 2; ++round) {
    const Node* holding = nullptr;
    for (const Node* branch : in.branches) {
      holding = holding == nullptr && b.maker.holds(branch, value) ? branch : holding;
    }
    if (holding == nullptr) {
      b.add(value);
      return;
    }
    bool found = false;
    std::size_t least = in.branches.size() + 1;
    Draft best;
    for (const Site& site : sites_of(b.maker.program(), holding)) {
      Around within;
      within.depth = b.around.depth + 1;
      for (Draft& other : broken_values(b.maker, site, b.maker.wish_for(holding), value, within)) {
        std::size_t holds = 0;
        for (const Node* branch : in.branches) {
          holds += b.maker.holds(branch, other) ? 1U : 0U;
        }
        if (!b.maker.holds(holding, other) && holds < least) {
          least = holds;
          best = std::move(other);
          found = true;
        }
        if (least == 0) {
          b.add(best);
          least = 1;
        }
      }
      if (b.maker.budget().spent() || b.out.size() > 12) {
        return;
      }
    }
    if (!found) {
      return;
    }
    value = std::move(best);
  }
}

}  // namespace

void break_alternatives(Breaking& b) {
  const contract::InPlace& in = b.site.node->in_place[b.site.index];
  if (b.site.kw == Kw::one_of) {
    for (std::size_t i = 0; i < in.branches.size() && i < 4; ++i) {
      for (std::size_t j = i + 1; j < in.branches.size() && j < 5; ++j) {
        Wish both = b.maker.wish_for(in.branches[i]);
        both.all.push_back({in.branches[j], 0});
        if (const std::optional<Draft> made = b.maker.make(both, {}, 1)) {
          merged(b, *made);
        }
      }
    }
  }
  broken_branches(b, in);
  Wish none;
  for (const Node* branch : in.branches) {
    none.none.push_back({branch, 0});
  }
  if (const std::optional<Draft> made = b.maker.make(none, {}, 1)) {
    merged(b, *made);
  }
  for (const Kind kind : {Kind::string, Kind::number, Kind::null, Kind::boolean, Kind::array, Kind::object}) {
    b.add(b.maker.any_of_kind(kind));
  }
}

void break_not(Breaking& b) {
  const contract::InPlace& in = b.site.node->in_place[b.site.index];
  for (std::size_t i = 0; i < 4; ++i) {
    if (const std::optional<Draft> made = b.maker.make(b.maker.wish_for(in.node), {}, 1)) {
      merged(b, *made);
    }
  }
  for (const Kind kind : {Kind::string, Kind::number, Kind::null, Kind::boolean, Kind::array, Kind::object}) {
    b.add(b.maker.any_of_kind(kind));
  }
}

void break_rules(Breaking& b) {
  const contract::Rule& rule = b.site.node->extra->rules[b.site.index];
  std::vector<Path> places{{}};
  if (rule.each) {
    places.clear();
    for (Reached& reached : reach(b.maker.program().pointer_patterns[rule.each_pattern], {&b.value, nullptr, {}}, {})) {
      places.push_back(std::move(reached.path));
    }
  }
  for (std::size_t p = 0; p < places.size() && p < 2; ++p) {
    const Draft* there = find(b.value, places[p]);
    for (const Site& inner : sites_of(b.maker.program(), rule.check)) {
      Around around = b.around;
      around.depth = b.around.depth + 1;
      around.base = b.place;
      around.base.insert(around.base.end(), places[p].begin(), places[p].end());
      for (Draft& other : broken_values(b.maker, inner, b.maker.wish_for(rule.check), *there, around)) {
        Draft whole = b.value;
        find(whole, places[p])->become(other);
        b.add(std::move(whole));
      }
    }
  }
}

}  // namespace plumb::sample
