// Arrays and objects: how many items, which members, in the order in which the contract names them.
#include <algorithm>

#include "core/sample/maker.hpp"
#include "core/sample/pattern_text.hpp"
#include "core/sample/words.hpp"
#include "core/stable_sort.hpp"

namespace plumb::sample {

using contract::no_bound;
using json::Kind;

namespace {

constexpr std::size_t rich_items = 3;      // of an array, where nothing asks for more
constexpr std::size_t recursions_max = 2;  // of a schema within its own values
constexpr std::size_t repeat_tries = 8;    // for an item that is to be new

bool contains_key(const std::vector<std::string>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

bool Maker::has_members(const View& view, const std::vector<Vocabulary::Values>& row) const {
  return std::all_of(row.begin(), row.end(), [&](const Vocabulary::Values& member) {
    return std::any_of(view.nodes.begin(), view.nodes.end(), [&](const Ask& ask) {
      return ask.node->object && std::any_of(ask.node->object->slots.begin(), ask.node->object->slots.end(),
                                             [&](const contract::Slot& slot) { return slot.key == member.first; });
    });
  });
}

std::optional<Draft> Maker::build_array(const View& view, std::string_view key, std::uint32_t depth,
                                        std::size_t attempt) {
  std::uint64_t min = 0;
  std::uint64_t max = no_bound;
  std::uint64_t useful = 0;  // items that have a schema of their own, or are wanted
  bool unique = false;
  std::vector<const contract::ContainsPart*> contains;
  const auto wants = [&](const Wish& wish) {
    return std::any_of(wish.all.begin(), wish.all.end(), [&](const Ask& ask) { return style.is_wanted(ask.node); });
  };
  for (const Ask& ask : view.nodes) {
    if (!ask.node->array) {
      continue;
    }
    const contract::ArrayPart& a = *ask.node->array;
    min = std::max(min, a.min_items);
    max = std::min(max, a.max_items);
    unique = unique || a.unique;
    for (const contract::DistinctPart& part : a.distinct) {
      unique = unique || part.by_self;
    }
    for (std::size_t i = 0; i < a.prefix.size(); ++i) {
      useful = std::max<std::uint64_t>(useful, style.rich || style.is_wanted(a.prefix[i]) ? i + 1 : 0);
    }
    if ((a.items != nullptr && style.is_wanted(a.items)) ||
        (a.unevaluated != nullptr && style.is_wanted(a.unevaluated))) {
      useful = std::max<std::uint64_t>(useful, a.prefix.size() + 1);
    }
    if (a.contains && a.contains->node != nullptr) {
      contains.push_back(&*a.contains);
      min = std::max(min, a.contains->min);
    }
  }
  bool wanted = false;
  for (const Pending& pending : view.pointed) {
    if (style.is_wanted(pending.ask.node) && pending.token < pending.pattern->tokens.size()) {
      const json::PointerToken& token = pending.pattern->tokens[pending.token];
      useful = std::max<std::uint64_t>(useful, token.is_index ? token.index + 1 : 1);
      wanted = true;
    }
  }
  std::uint64_t count = std::max(min, useful);
  const Vocabulary* const vocabulary = random_.vocabulary();
  if (style.rich && attempt < 6) {
    const std::uint64_t usual = vocabulary == nullptr ? rich_items : std::max<std::uint64_t>(vocabulary->items, 1);
    count = std::max<std::uint64_t>(count, usual - (attempt > 2 && usual > 1 ? 1 : 0));
  }
  if (attempt >= 6 && min <= attempt - 6) {
    count = std::max<std::uint64_t>(min, attempt - 6);
  }
  // An array within its own items ends.
  Wish probe = item_wish(view, static_cast<std::size_t>(std::min<std::uint64_t>(count, 1000)));
  const std::size_t times = times_on_way(probe);
  if (times >= recursions_max || (times > 0 && !style.rich && !wanted && !wants(probe))) {
    count = min;
  }
  if (depth > style.depth && !wanted) {
    count = std::max(min, std::min<std::uint64_t>(useful, 1));
  }
  bool rows = false;
  if (vocabulary != nullptr && attempt < 4) {
    if (const std::uint64_t asked = vocabulary->count_of(key); asked > 0) {
      count = asked;
    }
    rows = !vocabulary->rows.empty() && has_members(look(probe, 0, nullptr, {}), vocabulary->rows.front());
    count = std::max(rows ? vocabulary->rows.size() : count, min);
  }
  count = std::min(count, max);
  if (count < min || min > budget_.values_max) {
    because(min > budget_.values_max ? "it would have more items than a sample may have"
                                     : "it would need more items than it may have");
    return std::nullopt;
  }
  Draft out = Draft::of_kind(Kind::array);
  std::vector<std::uint64_t> contained(contains.size(), 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    Wish wish = item_wish(view, static_cast<std::size_t>(i));
    for (std::size_t c = 0; c < contains.size(); ++c) {
      const std::uint64_t still = contains[c]->min > contained[c] ? contains[c]->min - contained[c] : 0;
      if (still > 0 && still + c >= count - i) {
        wish.all.push_back({contains[c]->node, 0});
      } else if (contained[c] >= contains[c]->max) {
        wish.none.push_back({contains[c]->node, 0});
      }
    }
    std::optional<Draft> item;
    for (std::size_t t = 0; t < repeat_tries; ++t) {
      const std::vector<Vocabulary::Values>* const outer = row_;
      const bool outer_ids = ids_;
      ids_ = vocabulary != nullptr && says_ids(view);
      row_ = rows && i < vocabulary->rows.size() ? &vocabulary->rows[static_cast<std::size_t>(i)] : outer;
      std::optional<Draft> made = make(wish, vocabulary == nullptr ? std::string_view() : key, depth + 1);
      row_ = outer;
      ids_ = outer_ids;
      const bool again = made && unique &&
                         std::any_of(out.children.begin(), out.children.end(),
                                     [&](const Draft& other) { return equal(other, *made); });
      if (made && !again) {
        item = std::move(made);
        break;
      }
      if (!made) {
        break;
      }
    }
    if (!item) {
      if (i >= min && contains.empty()) {
        break;
      }
      return std::nullopt;
    }
    for (std::size_t c = 0; c < contains.size(); ++c) {
      contained[c] += holds(contains[c]->node, *item) ? 1U : 0U;
    }
    out.children.push_back(std::move(*item));
  }
  return out;
}

std::optional<std::string> Maker::other_name(const View& view, const Draft& object) {
  constexpr std::string_view usual[] = {"note", "extra", "remark", "source", "detail", "hint"};
  const auto free = [&](std::string_view key) {
    if (object.member(key) != nullptr) {
      return false;
    }
    for (const Ask& ask : view.nodes) {
      if (ask.node->object && std::any_of(ask.node->object->slots.begin(), ask.node->object->slots.end(),
                                          [&](const contract::Slot& slot) { return slot.key == key; })) {
        return false;
      }
    }
    const Wish names = name_wish(view);
    return fits(names, Draft::string(key));
  };
  const std::size_t first = random_.below(std::size(usual));
  for (std::size_t i = 0; i < std::size(usual); ++i) {
    const std::string_view key = usual[(first + i) % std::size(usual)];
    if (free(key)) {
      return std::string(key);
    }
  }
  for (std::size_t i = 0; i < 24; ++i) {
    std::string key = word(random_);
    const Wish names = name_wish(view);
    if (!names.all.empty() && i % 2 == 0) {
      if (const std::optional<Draft> made = make(names, {}, 1); made && made->is(Kind::string)) {
        key = made->text;
      }
    }
    if (free(key)) {
      return key;
    }
  }
  return std::nullopt;
}

std::optional<Draft> Maker::build_object(const Wish& wish, View view, std::uint32_t depth, std::size_t attempt,
                                         std::uint64_t choices) {
  std::vector<std::string> keys;   // those that the object will have
  std::vector<std::string> order;  // as the contract names them
  const auto add = [](std::vector<std::string>& list, std::string_view key) {
    if (!contains_key(list, key)) {
      list.emplace_back(key);
    }
  };
  std::vector<std::string> needed;
  std::uint64_t min = 0;
  std::uint64_t max = no_bound;
  const bool all_members = style.rich && depth <= style.depth && attempt < 4;
  // Members may switch schemas on, which name members again.
  for (std::size_t round = 0; round < 8; ++round) {
    const std::size_t before = keys.size();
    min = 0;
    max = no_bound;
    for (const Ask& ask : view.nodes) {
      if (!ask.node->object) {
        continue;
      }
      const contract::ObjectPart& o = *ask.node->object;
      min = std::max(min, o.min_properties);
      max = std::min(max, o.max_properties);
      // In the order of `properties`, also where `required` stands before it.
      std::vector<const contract::Slot*> slots;
      for (const contract::Slot& slot : o.slots) {
        slots.push_back(&slot);
      }
      stable_sort(slots, [](const contract::Slot* a, const contract::Slot* b) {
        return a->node != nullptr && (b->node == nullptr || a->order < b->order);
      });
      for (const contract::Slot* const one : slots) {
        const contract::Slot& slot = *one;
        if (slot.node != nullptr) {
          add(order, slot.key);
          const Wish child = member_wish(view, slot.key);
          const std::size_t times = times_on_way(child);
          if (style.is_wanted(slot.node) ? times <= recursions_max
                                         : all_members && !slot.node->never && times < recursions_max) {
            add(keys, slot.key);
          }
        }
        if (slot.dependent_schema != contract::none32 &&
            style.is_wanted(ask.node->in_place[slot.dependent_schema].node)) {
          add(keys, slot.key);
        }
      }
      for (const std::uint32_t r : o.required) {
        add(keys, o.slots[r].key);
        add(needed, o.slots[r].key);
      }
      for (const contract::Dependent& dependent : o.dependents) {
        for (const std::string_view other : dependent.required) {
          if (contains_key(keys, dependent.key)) {
            add(keys, other);
            add(needed, other);
          }
        }
      }
      for (const auto& pattern : o.pattern_properties) {
        if ((all_members || style.is_wanted(pattern.node)) && round == 0 && !pattern.node->never) {
          const json::Value* sources = ask.node->schema->find("patternProperties");
          if (sources != nullptr && pattern.order < sources->object().size()) {
            if (const auto name = matching_text(sources->object()[pattern.order].key, random_, {1, 40})) {
              add(keys, *name);
            }
          }
        }
      }
      const bool other_wanted = (o.additional != nullptr && style.is_wanted(o.additional)) ||
                                (o.unevaluated != nullptr && style.is_wanted(o.unevaluated)) ||
                                (o.names != nullptr && style.is_wanted(o.names));
      const bool other_shown =
          all_members && o.additional != nullptr && o.additional->schema->is(Kind::object) && o.slots.empty();
      if ((other_wanted || other_shown) && round == 0) {
        Draft taken = Draft::of_kind(Kind::object);
        for (const std::string& key : keys) {
          taken.set(key, {});
        }
        if (const std::optional<std::string> name = other_name(view, taken)) {
          add(keys, *name);
        }
      }
    }
    for (const Pending& pending : view.pointed) {
      if (pending.token < pending.pattern->tokens.size() && (style.is_wanted(pending.ask.node) || style.rich)) {
        const json::PointerToken& token = pending.pattern->tokens[pending.token];
        if (!token.star && attempt < 4) {
          add(keys, token.text);
        }
      }
    }
    if (keys.size() == before && round > 0) {
      break;
    }
    view = look(wish, choices, nullptr, keys);
    if (view.never) {
      because("a member switches on a schema that is false");
      return std::nullopt;
    }
  }
  // As many as there have to be, and no more than there may be.
  for (const std::string& key : order) {
    if (keys.size() < min) {
      add(keys, key);
    }
  }
  while (keys.size() < min && keys.size() < budget_.values_max) {
    Draft taken = Draft::of_kind(Kind::object);
    for (const std::string& key : keys) {
      taken.set(key, {});
    }
    const std::optional<std::string> name = other_name(view, taken);
    if (!name) {
      because("no name was found for one more member");
      return std::nullopt;
    }
    add(keys, *name);
  }
  for (std::size_t i = keys.size(); i-- > 0 && keys.size() > max;) {
    if (!contains_key(needed, keys[i])) {
      keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (keys.size() > max || keys.size() < min) {
    because("it would need more members than it may have");
    return std::nullopt;
  }
  Draft out = Draft::of_kind(Kind::object);
  const auto put = [&](const std::string& key) {
    if (out.member(key) != nullptr) {
      return true;
    }
    std::optional<Draft> value = make(member_wish(view, key), key, depth + 1);
    if (value) {
      out.set(key, std::move(*value));
      return true;
    }
    return !contains_key(needed, key);
  };
  for (const std::string& key : order) {
    if (contains_key(keys, key) && !put(key)) {
      return std::nullopt;
    }
  }
  for (const std::string& key : keys) {
    if (!put(key)) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace plumb::sample
