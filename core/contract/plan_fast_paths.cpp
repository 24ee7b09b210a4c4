// Makes the plans for fast acceptance, once per contract.
//
// Without outer rules, a schema object has one plan, with the object's own number. If outer rules read in a value
// (`distinct` by a member, rules over a tree), their reading depends on the path to the value. So these plans are for
// pairs of a schema object and the states of the automata. Such pairs are few, and those beyond the bound are left to
// the engine.

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/contract/fast_path.hpp"
#include "core/contract/keywords/lengths.hpp"
#include "core/contract/keywords/member_of.hpp"
#include "core/contract/program.hpp"

namespace plumb::contract {

namespace {

constexpr std::size_t pairs_max = 4096;

class Planner {
 public:
  explicit Planner(Program& program) : program_(program), plans_(program.fast_paths.plans) {}

  void run() {
    plans_.resize(1 + program_.nodes.size());
    Plan& anything = plans_.front();
    anything.usable = true;
    anything.types = type_any;
    anything.free_string = true;
    anything.calm = no_bound;
    std::uint32_t number = 0;
    for (Node& node : program_.nodes) {
      ++number;
      node.fast_path = node.always ? 0 : number;
    }
    number = 0;
    for (Node& node : program_.nodes) {
      fill(++number, node, {});
    }
    for (Node& node : program_.nodes) {
      if (node.extra && !node.extra->readings.empty()) {
        visit(node, {});
      }
    }
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      Way way = ways_[i];  // copied, because more are added
      walk(way);
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      Pair pair = pairs_[i];
      fill(pair.plan, *pair.node, pair.readings);
    }
    for (FastStart& start : program_.fast_paths.starts) {
      find_trees(start);
    }
  }

 private:
  // A schema object that is reached with these states, as the engine's walk would.
  struct Way {
    const Node* node = nullptr;
    std::vector<std::uint32_t> states;
  };
  struct Pair {
    const Node* node = nullptr;
    std::vector<FastAutomaton> readings;
    std::uint32_t plan = 0;
  };

  static bool plain(const Node& node) {
    const bool rules = node.extra && ((!node.extra->cross.empty() && !node.fast_member) || !node.extra->trees.empty() ||
                                      !node.extra->pointed.empty() || !node.extra->rules.empty());
    return node.plain && node.in_place.empty() && !node.never && !node.tracks && !rules && node.more_scalars.empty();
  }

  // The states that these lead to, from a value to its member `key` or to its items.
  template <class AutomatonState>
  std::vector<AutomatonState> below(const std::vector<AutomatonState>& readings, const std::string_view* key) const {
    std::vector<AutomatonState> out;
    for (const AutomatonState& at : readings) {
      const contract::AutomatonState& reading = program_.readings[state_of(at)];
      if (reading.star != none32) {
        out.push_back(moved(at, reading.star));
      }
      for (const auto& [name, state] : reading.children) {
        if (key != nullptr && name == *key) {
          out.push_back(moved(at, state));
        }
      }
    }
    return out;
  }
  static std::uint32_t state_of(const FastAutomaton& at) { return at.state; }
  static std::uint32_t state_of(std::uint32_t state) { return state; }
  static FastAutomaton moved(const FastAutomaton& at, std::uint32_t state) { return {state, at.origin}; }
  static std::uint32_t moved(std::uint32_t, std::uint32_t state) { return state; }

  void visit(const Node& node, std::vector<std::uint32_t> states) {
    const bool known =
        std::any_of(ways_.begin(), ways_.end(), [&](const Way& w) { return w.node == &node && w.states == states; });
    if (!known && ways_.size() < pairs_max) {
      ways_.push_back({&node, std::move(states)});
    }
  }

  // Follows the engine's walk: a container is read by the automata that came with it and those that begin at it.
  void walk(const Way& way) {
    const Node& node = *way.node;
    if (!node.in_place.empty()) {
      return;
    }
    std::vector<std::uint32_t> states = way.states;
    if (node.extra) {
      states.insert(states.end(), node.extra->readings.begin(), node.extra->readings.end());
    }
    if (node.object) {
      for (const Slot& slot : node.object->slots) {
        std::vector<std::uint32_t> child = below(states, &slot.key);
        if (slot.node != nullptr && !child.empty()) {
          visit(*slot.node, std::move(child));
        }
      }
    }
    if (node.array && node.array->simple && node.array->items != nullptr) {
      std::vector<std::uint32_t> child = below(states, nullptr);
      if (child.empty()) {
        return;
      }
      const Node& item = *node.array->items;
      const bool known = std::any_of(program_.fast_paths.starts.begin(), program_.fast_paths.starts.end(),
                                     [&](const FastStart& s) { return s.node == &item && s.states == states; });
      if (!known && !item.always) {
        std::vector<FastAutomaton> readings;
        for (std::size_t i = 0; i < states.size(); ++i) {
          readings.push_back({states[i], static_cast<std::uint32_t>(i)});
        }
        FastStart start;
        start.node = &item;
        start.states = states;
        start.plan = pair(item, below(readings, nullptr));
        program_.fast_paths.starts.push_back(std::move(start));
      }
      visit(item, std::move(child));
    }
  }

  std::uint32_t pair(const Node& node, std::vector<FastAutomaton> readings) {
    if (readings.empty()) {
      return node.fast_path;
    }
    for (const Pair& p : pairs_) {
      if (p.node == &node && p.readings == readings) {
        return p.plan;
      }
    }
    if (pairs_.size() == pairs_max) {
      return unusable();
    }
    const auto plan = static_cast<std::uint32_t>(plans_.size());
    plans_.emplace_back();
    pairs_.push_back({&node, std::move(readings), plan});
    return plan;
  }

  // The plan of a value without a schema object that these automata read.
  std::uint32_t without_node(const std::vector<FastAutomaton>& readings) { return readings.empty() ? 0 : unusable(); }

  std::uint32_t unusable() {
    if (unusable_ == none32) {
      unusable_ = static_cast<std::uint32_t>(plans_.size());
      plans_.emplace_back();
    }
    return unusable_;
  }

  std::uint32_t child(const Node* node, std::vector<FastAutomaton> readings) {
    return node == nullptr || node->always ? without_node(readings) : pair(*node, std::move(readings));
  }

  void fill(std::uint32_t number, const Node& node, const std::vector<FastAutomaton>& readings) {
    Plan plan;
    plan.node = &node;
    plan.types = node.types;
    bool usable = plain(node);
    for (const FastAutomaton& at : readings) {
      const AutomatonState& reading = program_.readings[at.state];
      usable = usable && !reading.keep && !reading.keep_all && reading.applies.empty();
      if (reading.collect != none32) {
        plan.collects = true;
        plan.collect_rules.emplace_back(reading.collect, at.origin);
      }
    }
    if (!node.fast_scalar) {
      plan.types &= type_array | type_object;  // scalars without fast tests are left to the engine
    }
    plan.member = node.fast_member;
    if (node.scalar || plan.collects || plan.member) {
      plan.types &= type_string;
    }
    plan.free_string = !node.string && !node.scalar;
    plan.blank_only = node.string && !node.scalar && only_not_blank(*node.string);
    if (plan.free_string) {
      plan.calm = no_bound;
    } else if (!node.scalar && node.string->pattern == none32) {
      plan.calm = lengths_calm(*node.string);
    }
    if ((plan.types & type_array) != 0 && usable) {
      usable = fill_array(plan, node, readings);
    }
    if ((plan.types & type_object) != 0 && usable) {
      usable = fill_object(plan, node, readings);
    }
    plan.usable = usable && plan.types != 0;
    plans_[number] = std::move(plan);
  }

  bool fill_array(Plan& plan, const Node& node, const std::vector<FastAutomaton>& readings) {
    const std::vector<FastAutomaton> inside = below(readings, nullptr);
    if (node.array == nullptr) {
      plan.items = without_node(inside);
      return true;
    }
    const ArrayPart& array = *node.array;
    plan.items = child(array.items, inside);
    plan.items_min = array.min_items;
    plan.items_max = array.max_items;
    plan.distinct = array.unique || !array.distinct.empty();
    return array.simple &&
           std::all_of(array.distinct.begin(), array.distinct.end(), [](const DistinctPart& d) { return d.by_self; });
  }

  bool fill_object(Plan& plan, const Node& node, const std::vector<FastAutomaton>& readings) {
    const std::string_view no_key;
    // A member that no slot names: outer rules may read it by a star.
    plan.other = without_node(below(readings, &no_key));
    if (node.object == nullptr) {
      // Only an outer rule knows it by name.
      return std::all_of(readings.begin(), readings.end(),
                         [&](const FastAutomaton& at) { return program_.readings[at.state].children.empty(); });
    }
    const ObjectPart& object = *node.object;
    if (!object.simple || object.unevaluated != nullptr || !names_all(object, readings)) {
      return false;
    }
    if (object.additional != nullptr) {
      plan.other = child(object.additional, below(readings, &no_key));
    }
    plan.members_min = object.min_properties;
    plan.members_max = object.max_properties;
    plan.required = object.required_mask;
    for (const Slot& slot : object.slots) {
      if (!compares(slot.key)) {
        return false;
      }
      Plan::Key key;
      key.text = slot.key;
      if (slot.node == nullptr && object.additional != nullptr) {
        key.plan = child(object.additional, below(readings, &slot.key));
      } else {
        key.plan = child(slot.node, below(readings, &slot.key));
      }
      char bytes[16] = {};
      char mask[16] = {};
      const std::size_t size = std::min<std::size_t>(slot.key.size(), 16);
      std::memcpy(bytes, slot.key.data(), size);
      std::memset(mask, -1, size);
      if (size < 16) {
        bytes[size] = '"';
        mask[size] = -1;
      }
      std::memcpy(key.words, bytes, 16);
      std::memcpy(key.masks, mask, 16);
      plan.keys.push_back(key);
    }
    // memberOf reads the texts of an array in another slot.
    for (const Slot& slot : object.slots) {
      if (slot.node != nullptr && slot.node->fast_member) {
        const std::string& list = member_list(program_, *slot.node);
        for (std::size_t i = 0; i < plan.keys.size(); ++i) {
          if (plan.keys[i].text == list) {
            plan.lists |= std::uint64_t{1} << i;
          }
        }
      }
    }
    if (plan.lists != 0 && (plan.lists & (plan.lists - 1)) != 0) {
      return false;  // several lists
    }
    for (const Dependent& dependent : object.dependents) {
      std::uint64_t where = slot_bit(plan, dependent.key);
      std::uint64_t all = 0;
      for (const std::string_view key : dependent.required) {
        const std::uint64_t bit = slot_bit(plan, key);
        if (bit == 0) {
          return false;
        }
        all |= bit;
      }
      if (where == 0) {
        return false;
      }
      plan.dependents.emplace_back(where, all);
    }
    return true;
  }

  // True if every key by which an outer rule continues is a slot. Then no such key is met as another member.
  bool names_all(const ObjectPart& object, const std::vector<FastAutomaton>& readings) const {
    for (const FastAutomaton& at : readings) {
      for (const auto& child : program_.readings[at.state].children) {
        const std::string& name = child.first;
        if (std::none_of(object.slots.begin(), object.slots.end(), [&](const Slot& s) { return s.key == name; })) {
          return false;
        }
      }
    }
    return true;
  }

  // True if texts can only contain the key byte by byte, so that bytes can be compared: it needs no escape, and no
  // byte is invalid UTF-8 (surrogates begin with 0xED).
  static bool compares(std::string_view key) {
    return std::none_of(key.begin(), key.end(), [](char c) {
      return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0xED;
    });
  }

  static std::uint64_t slot_bit(const Plan& plan, std::string_view key) {
    for (std::size_t i = 0; i < plan.keys.size(); ++i) {
      if (plan.keys[i].text == key) {
        return std::uint64_t{1} << i;
      }
    }
    return 0;
  }

  // The rules over trees that collect somewhere below. They must know the labels of all open nodes.
  void find_trees(FastStart& start) const {
    std::vector<std::uint32_t> todo{start.plan};
    std::vector<bool> done(plans_.size());
    while (!todo.empty()) {
      const std::uint32_t at = todo.back();
      todo.pop_back();
      if (done[at]) {
        continue;
      }
      done[at] = true;
      const Plan& plan = plans_[at];
      for (const auto& rule : plan.collect_rules) {
        if ((rule.first & tree_collect_flag) != 0 &&
            std::find(start.trees.begin(), start.trees.end(), rule) == start.trees.end()) {
          start.trees.push_back(rule);
        }
      }
      todo.push_back(plan.items);
      todo.push_back(plan.other);
      for (const Plan::Key& key : plan.keys) {
        todo.push_back(key.plan);
      }
    }
  }

  Program& program_;
  std::vector<Plan>& plans_;
  std::vector<Way> ways_;
  std::vector<Pair> pairs_;
  std::uint32_t unusable_ = none32;
};

}  // namespace

void plan_fast_paths(Program& program) { Planner(program).run(); }

}  // namespace plumb::contract
