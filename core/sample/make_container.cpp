// Arrays and objects: how many items, which members, in the order in which the contract names them.
#include <algorithm>

#include "core/sample/maker.hpp"
#include "core/sample/pattern_text.hpp"
#include "core/sample/words.hpp"
#include "core/stable_sort.hpp"

namespace plumb::sample {

using json::Kind;

namespace {

constexpr std::size_t rich_items = 3;      // of an array, where nothing asks for more
constexpr std::size_t recursions_max = 2;  // of a schema within its own values
constexpr std::size_t repeat_tries = 8;    // for an item that is to be new

bool contains_key(const std::vector<std::string>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void add_key(std::vector<std::string>& keys, std::string_view key) {
  if (!contains_key(keys, key)) {
    keys.emplace_back(key);
  }
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

ArrayAsked Maker::asked_of_array(const View& view) {
  ArrayAsked out;
  for (const Ask& ask : view.nodes) {
    if (!ask.node->array) {
      continue;
    }
    const contract::ArrayPart& a = *ask.node->array;
    out.min = std::max(out.min, a.min_items);
    out.max = std::min(out.max, a.max_items);
    out.unique = out.unique || a.unique;
    for (const contract::DistinctPart& part : a.distinct) {
      out.unique = out.unique || part.by_self;
    }
    for (std::size_t i = 0; i < a.prefix.size(); ++i) {
      out.useful = std::max<std::uint64_t>(out.useful, style.rich || style.is_wanted(a.prefix[i]) ? i + 1 : 0);
    }
    if ((a.items != nullptr && style.is_wanted(a.items)) ||
        (a.unevaluated != nullptr && style.is_wanted(a.unevaluated))) {
      out.useful = std::max<std::uint64_t>(out.useful, a.prefix.size() + 1);
    }
    if (a.contains && a.contains->node != nullptr) {
      out.contains.push_back(&*a.contains);
      out.min = std::max(out.min, a.contains->min);
    }
  }
  for (const Pending& pending : view.pointed) {
    if (style.is_wanted(pending.ask.node) && pending.token < pending.pattern->tokens.size()) {
      const json::PointerToken& token = pending.pattern->tokens[pending.token];
      out.useful = std::max<std::uint64_t>(out.useful, token.is_index ? token.index + 1 : 1);
      out.wanted = true;
    }
  }
  return out;
}

// How many items an array gets, and whether they are the vocabulary's rows; nothing where it can have none of these.
std::optional<std::uint64_t> Maker::count_items(const View& view, const ArrayAsked& asked, std::string_view key,
                                                std::uint32_t depth, std::size_t attempt, bool& rows) {
  std::uint64_t count = std::max(asked.min, asked.useful);
  const Vocabulary* const vocabulary = random_.vocabulary();
  if (style.rich && attempt < 6) {
    const std::uint64_t usual = vocabulary == nullptr ? rich_items : std::max<std::uint64_t>(vocabulary->items, 1);
    count = std::max<std::uint64_t>(count, usual - (attempt > 2 && usual > 1 ? 1 : 0));
  }
  if (attempt >= 6 && asked.min <= attempt - 6) {
    count = std::max<std::uint64_t>(asked.min, attempt - 6);
  }
  // An array within its own items ends.
  Wish probe = item_wish(view, static_cast<std::size_t>(std::min<std::uint64_t>(count, 1000)));
  const std::size_t times = times_on_way(probe);
  if (times >= recursions_max ||
      (times > 0 && !style.rich && !asked.wanted &&
       std::none_of(probe.all.begin(), probe.all.end(), [&](const Ask& ask) { return style.is_wanted(ask.node); }))) {
    count = asked.min;
  }
  if (depth > style.depth && !asked.wanted) {
    count = std::max(asked.min, std::min<std::uint64_t>(asked.useful, 1));
  }
  rows = false;
  if (vocabulary != nullptr && attempt < 4) {
    if (const std::uint64_t given = vocabulary->count_of(key); given > 0) {
      count = given;
    }
    rows = !vocabulary->rows.empty() && has_members(look(probe, 0, nullptr, {}), vocabulary->rows.front());
    count = std::max(rows ? vocabulary->rows.size() : count, asked.min);
  }
  count = std::min(count, asked.max);
  if (count < asked.min || asked.min > budget_.values_max) {
    because(asked.min > budget_.values_max ? "it would have more items than a sample may have"
                                           : "it would need more items than it may have");
    return std::nullopt;
  }
  return count;
}

std::optional<Draft> Maker::build_array(const View& view, std::string_view key, std::uint32_t depth,
                                        std::size_t attempt) {
  const ArrayAsked asked = asked_of_array(view);
  bool rows = false;
  const std::optional<std::uint64_t> counted = count_items(view, asked, key, depth, attempt, rows);
  if (!counted) {
    return std::nullopt;
  }
  const std::uint64_t count = *counted;
  const Vocabulary* const vocabulary = random_.vocabulary();
  Draft out = Draft::of_kind(Kind::array);
  std::vector<std::uint64_t> contained(asked.contains.size(), 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    Wish wish = item_wish(view, static_cast<std::size_t>(i));
    for (std::size_t c = 0; c < asked.contains.size(); ++c) {
      const std::uint64_t still = asked.contains[c]->min > contained[c] ? asked.contains[c]->min - contained[c] : 0;
      if (still > 0 && still + c >= count - i) {
        wish.all.push_back({asked.contains[c]->node, 0});
      } else if (contained[c] >= asked.contains[c]->max) {
        wish.none.push_back({asked.contains[c]->node, 0});
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
      const bool again = made && asked.unique &&
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
      if (i >= asked.min && asked.contains.empty()) {
        break;
      }
      return std::nullopt;
    }
    for (std::size_t c = 0; c < asked.contains.size(); ++c) {
      contained[c] += holds(asked.contains[c]->node, *item) ? 1U : 0U;
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

// What a schema object says of the members of an object: `first` names some that one round is enough for.
void Maker::name_members(const View& view, const Ask& ask, bool all_members, bool first, MembersAsked& named) {
  const contract::ObjectPart& o = *ask.node->object;
  named.min = std::max(named.min, o.min_properties);
  named.max = std::min(named.max, o.max_properties);
  // In the order of `properties`, also where `required` precedes it.
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
      add_key(named.order, slot.key);
      const Wish child = member_wish(view, slot.key);
      const std::size_t times = times_on_way(child);
      if (style.is_wanted(slot.node) ? times <= recursions_max
                                     : all_members && !slot.node->never && times < recursions_max) {
        add_key(named.keys, slot.key);
      }
    }
    if (slot.dependent_schema != contract::none32 && style.is_wanted(ask.node->in_place[slot.dependent_schema].node)) {
      add_key(named.keys, slot.key);
    }
  }
  for (const std::uint32_t r : o.required) {
    add_key(named.keys, o.slots[r].key);
    add_key(named.needed, o.slots[r].key);
  }
  for (const contract::Dependent& dependent : o.dependents) {
    for (const std::string_view other : dependent.required) {
      if (contains_key(named.keys, dependent.key)) {
        add_key(named.keys, other);
        add_key(named.needed, other);
      }
    }
  }
  for (const auto& pattern : o.pattern_properties) {
    if ((all_members || style.is_wanted(pattern.node)) && first && !pattern.node->never) {
      const json::Value* sources = ask.node->schema->find("patternProperties");
      if (sources != nullptr && pattern.order < sources->object().size()) {
        if (const auto name = matching_text(sources->object()[pattern.order].key, random_, {1, 40})) {
          add_key(named.keys, *name);
        }
      }
    }
  }
  const bool other_wanted = (o.additional != nullptr && style.is_wanted(o.additional)) ||
                            (o.unevaluated != nullptr && style.is_wanted(o.unevaluated)) ||
                            (o.names != nullptr && style.is_wanted(o.names));
  const bool other_shown =
      all_members && o.additional != nullptr && o.additional->schema->is(Kind::object) && o.slots.empty();
  if ((other_wanted || other_shown) && first) {
    Draft taken = Draft::of_kind(Kind::object);
    for (const std::string& key : named.keys) {
      taken.set(key, {});
    }
    if (const std::optional<std::string> name = other_name(view, taken)) {
      add_key(named.keys, *name);
    }
  }
}

// As many as there have to be, and no more than there may be.
bool Maker::fit_count(const View& view, MembersAsked& named) {
  for (const std::string& key : named.order) {
    if (named.keys.size() < named.min) {
      add_key(named.keys, key);
    }
  }
  while (named.keys.size() < named.min && named.keys.size() < budget_.values_max) {
    Draft taken = Draft::of_kind(Kind::object);
    for (const std::string& key : named.keys) {
      taken.set(key, {});
    }
    const std::optional<std::string> name = other_name(view, taken);
    if (!name) {
      because("no name was found for one more member");
      return false;
    }
    add_key(named.keys, *name);
  }
  for (std::size_t i = named.keys.size(); i-- > 0 && named.keys.size() > named.max;) {
    if (!contains_key(named.needed, named.keys[i])) {
      named.keys.erase(named.keys.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (named.keys.size() > named.max || named.keys.size() < named.min) {
    because("it would need more members than it may have");
    return false;
  }
  return true;
}

std::optional<Draft> Maker::build_object(const Wish& wish, View view, std::uint32_t depth, std::size_t attempt,
                                         std::uint64_t choices) {
  MembersAsked named;
  // Members may switch schemas on, which name members again.
  for (std::size_t round = 0; round < 8; ++round) {
    const std::size_t before = named.keys.size();
    named.min = 0;
    named.max = contract::no_bound;
    for (const Ask& ask : view.nodes) {
      if (ask.node->object) {
        name_members(view, ask, style.rich && depth <= style.depth && attempt < 4, round == 0, named);
      }
    }
    for (const Pending& pending : view.pointed) {
      if (pending.token < pending.pattern->tokens.size() && (style.is_wanted(pending.ask.node) || style.rich)) {
        const json::PointerToken& token = pending.pattern->tokens[pending.token];
        if (!token.star && attempt < 4) {
          add_key(named.keys, token.text);
        }
      }
    }
    if (named.keys.size() == before && round > 0) {
      break;
    }
    view = look(wish, choices, nullptr, named.keys);
    if (view.never) {
      because("a member switches on a schema that is false");
      return std::nullopt;
    }
  }
  if (!fit_count(view, named)) {
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
    return !contains_key(named.needed, key);
  };
  for (const std::string& key : named.order) {
    if (contains_key(named.keys, key) && !put(key)) {
      return std::nullopt;
    }
  }
  for (const std::string& key : named.keys) {
    if (!put(key)) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace plumb::sample
