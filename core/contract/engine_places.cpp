// Places: which schemas are wanted at an instance, and each run once however many references lead to it. See
// engine.cpp for when there is no place at all.

#include <algorithm>
#include <utility>

#include "core/contract/engine.hpp"
#include "core/json/equality.hpp"

namespace plumb::contract {

std::uint32_t Engine::enter_scope(std::uint32_t scope, std::uint32_t resource) {
  const std::vector<std::uint32_t>& chain = scopes_[scope].resources;
  if (std::find(chain.begin(), chain.end(), resource) != chain.end()) {
    return scope;  // only the outermost occurrence matters
  }
  std::vector<std::uint32_t> longer = chain;
  longer.push_back(resource);
  for (std::uint32_t i = 0; i < scopes_.size(); ++i) {
    if (scopes_[i].resources == longer) {
      return i;
    }
  }
  scopes_.push_back({std::move(longer)});
  return static_cast<std::uint32_t>(scopes_.size() - 1);
}

const Node* Engine::dynamic_target(const InPlace& in, std::uint32_t scope) const {
  for (std::uint32_t r : scopes_[scope].resources) {
    const Resource& resource = p_.resources[r];
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

// Gives an evaluation another sink, with all that it has asked for at this place.
void Engine::retarget(std::uint32_t index, std::uint32_t old_sink, std::uint32_t new_sink, std::uint32_t place_from) {
  evaluations_[index].sink = new_sink;
  if (evaluations_[index].extension != none32) {
    for (std::uint32_t g : extensions_[evaluations_[index].extension].groups) {
      for (std::uint32_t b : groups_[g].branches) {
        if (branches_[b].parent_sink == old_sink) {
          branches_[b].parent_sink = new_sink;
        }
      }
    }
  }
  for (std::size_t i = place_from; i < place_.size(); ++i) {
    const Evaluation& e = evaluations_[place_[i]];
    if (e.parent == index && e.in_place && e.group == none32 && e.sink == old_sink) {
      retarget(place_[i], old_sink, new_sink, place_from);
    }
  }
}

std::uint32_t Engine::ask(const Wanted& w, std::uint32_t place_from) {
  std::uint32_t scope = p_.uses_dynamic_scope ? enter_scope(w.scope, w.node->resource) : 0;
  std::uint32_t waiting = w.group != none32 ? groups_[w.group].owner : w.parent;
  std::size_t size = place_.size() - place_from;
  constexpr std::size_t few = 24;
  std::size_t first = place_from;
  std::size_t last = place_.size();
  std::uint64_t identity = json::hash_combine(reinterpret_cast<std::uintptr_t>(w.node), scope);
  if (size >= few) {
    if (size == few) {
      place_index_.clear();
      for (std::size_t i = place_from; i < place_.size(); ++i) {
        const Evaluation& e = evaluations_[place_[i]];
        place_index_.emplace(json::hash_combine(reinterpret_cast<std::uintptr_t>(e.node), e.scope),
                             static_cast<std::uint32_t>(i));
      }
    }
    auto range = place_index_.equal_range(identity);
    first = last;
    for (auto it = range.first; it != range.second; ++it) {
      const Evaluation& e = evaluations_[place_[it->second]];
      if (e.node == w.node && e.scope == scope) {
        first = it->second;
        last = first + 1;
      }
    }
  }
  for (std::size_t i = first; i < last; ++i) {
    Evaluation& e = evaluations_[place_[i]];
    if (e.node != w.node || e.scope != scope) {
      continue;
    }
    // Known already: one more asker.
    Edge edge{w.parent, w.group, w.branch, e.more_edges, w.in_place};
    if (!free_edges_.empty()) {
      e.more_edges = free_edges_.back();
      free_edges_.pop_back();
      edges_[e.more_edges] = edge;
    } else {
      edges_.push_back(edge);
      e.more_edges = static_cast<std::uint32_t>(edges_.size() - 1);
    }
    if (w.in_place) {
      ++evaluations_[waiting].pending;
      e.in_place = true;
    }
    bool tracks = w.in_place && evaluations_[waiting].tracks;
    if (tracks && !e.tracks) {
      e.tracks = true;
      for (std::size_t j = place_from; j < place_.size(); ++j) {  // what it asked for follows
        if (evaluations_[place_[j]].in_place && evaluations_[place_[j]].parent != none32 &&
            evaluations_[evaluations_[place_[j]].parent].tracks) {
          evaluations_[place_[j]].tracks = true;
        }
      }
    }
    if (e.sink != w.sink && e.sink != 0) {
      std::uint32_t old = e.sink;
      std::uint32_t sink = 0;
      if (w.sink != 0) {
        sink = new_branch(none32, old);
        branches_[sink].fan = {old, w.sink};
        if (e.fan != none32) {  // one more asker of a sink that has several already
          branches_[e.fan].fan.push_back(w.sink);
          branches_[sink].fan.clear();
          free_branches_.push_back(sink);
          return place_[i];
        }
        evaluations_[place_[i]].fan = sink;
      }
      retarget(place_[i], old, sink, place_from);
    }
    return place_[i];
  }
  if (place_.size() - place_from >= options_.limits.evaluations_max) {
    if (!limit_reached_) {
      limit_found("More than " + std::to_string(options_.limits.evaluations_max) + " schemas are at work at one place",
                  pointer_of(depth()), now_, now_,
                  "at most " + std::to_string(options_.limits.evaluations_max) + " schemas at one place");
    }
    if (waiting != none32) {
      evaluations_[waiting].undecided = true;
    }
    return none32;
  }
  std::uint32_t index = new_evaluation();
  Evaluation& e = evaluations_[index];
  e.node = w.node;
  e.parent = w.parent;
  e.group = w.group;
  e.branch = w.branch;
  e.sink = w.sink;
  e.position = w.position;
  e.order = w.order;
  e.depth = depth();
  e.scope = scope;
  e.in_place = w.in_place;
  e.counted = w.in_place;
  e.tracks = w.node->tracks;
  if (w.in_place) {
    ++evaluations_[waiting].pending;
    e.tracks = e.tracks || evaluations_[waiting].tracks;
  }
  if (w.kw != Kw::none && w.node->never) {
    e.asked_by = w.kw;
  }
  if (size >= few) {
    place_index_.emplace(identity, static_cast<std::uint32_t>(place_.size()));
  }
  place_.push_back(index);
  return index;
}

void Engine::expand(std::uint32_t index, std::uint32_t place_from) {
  const Node& node = *evaluations_[index].node;
  auto ask_for = [&](const Node* target, const InPlace& in, std::uint32_t group, std::uint32_t branch,
                     std::uint32_t sink) {
    Wanted w;
    w.node = target;
    w.parent = index;
    w.kw = in.kw;
    w.position = in.position;
    w.order = in.order;
    w.group = group;
    w.branch = branch;
    w.sink = sink;
    w.scope = evaluations_[index].scope;
    w.in_place = true;
    return w;
  };
  for (const InPlace& in : node.in_place) {
    std::uint32_t sink = evaluations_[index].sink;
    switch (in.kw) {
      case Kw::dynamic_ref:
      case Kw::recursive_ref: {
        const Node* target = dynamic_target(in, evaluations_[index].scope);
        ask(ask_for(target, in, none32, 0, sink), place_from);
        break;
      }
      case Kw::any_of:
      case Kw::one_of: {
        std::uint32_t g = new_group(in.kw, index, &in, in.position, 0);
        for (std::uint32_t i = 0; i < in.branches.size(); ++i) {
          new_branch(g, sink);
        }
        for (std::uint32_t i = 0; i < in.branches.size(); ++i) {
          Wanted w = ask_for(in.branches[i], in, g, i, groups_[g].branches[i]);
          w.order = i;
          ask(w, place_from);
        }
        break;
      }
      case Kw::not_: {
        std::uint32_t g = new_group(Kw::not_, index, &in, in.position, 0);
        std::uint32_t b = new_branch(g, sink);
        branches_[b].state = BranchState::discarded;
        ask(ask_for(in.node, in, g, 0, b), place_from);
        break;
      }
      case Kw::if_: {
        std::uint32_t g = new_group(Kw::if_, index, &in, in.position, 0);
        std::uint32_t condition = new_branch(g, sink);
        std::uint32_t then_sink = new_branch(g, sink);
        std::uint32_t else_sink = new_branch(g, sink);
        branches_[condition].state = BranchState::discarded;
        ask(ask_for(in.node, in, g, 0, condition), place_from);
        if (in.then_node != nullptr) {
          Wanted w = ask_for(in.then_node, in, g, 1, then_sink);
          w.position = in.then_at;
          ask(w, place_from);
        }
        if (in.else_node != nullptr) {
          Wanted w = ask_for(in.else_node, in, g, 2, else_sink);
          w.position = in.else_at;
          ask(w, place_from);
        }
        break;
      }
      case Kw::dependent_schemas: {
        std::uint32_t g = new_group(Kw::dependent_schemas, index, &in, in.position, in.order);
        std::uint32_t b = new_branch(g, sink);
        ask(ask_for(in.node, in, g, 0, b), place_from);
        break;
      }
      default:
        ask(ask_for(in.node, in, none32, 0, sink), place_from);
        break;
    }
  }
  if (node.extra) {
    for (std::uint32_t i = 0; i < node.extra->rules.size(); ++i) {
      const Rule& rule = node.extra->rules[i];
      if (rule.check == nullptr || (rule.each && !p_.pointer_patterns[rule.each_pattern].tokens.empty())) {
        continue;
      }
      std::uint32_t g = new_group(Kw::rules, index, nullptr, rule.position, rule.order);
      groups_[g].rule = i;
      std::uint32_t b = new_branch(g, evaluations_[index].sink);
      InPlace in;
      in.kw = Kw::rules;
      in.position = rule.position;
      in.order = rule.order;
      ask(ask_for(rule.check, in, g, 0, b), place_from);
    }
    if (!node.extra->pointed.empty()) {
      context_schemas(index);
    }
  }
}

// Opens the evaluations wanted at the next instance. Returns where they begin in place_.
std::uint32_t Engine::begin_place() {
  std::uint32_t from = static_cast<std::uint32_t>(place_.size());
  if (wanted_.size() == 1) {
    const Wanted& w = wanted_.front();
    const Node& node = *w.node;
    if (w.group == none32 && node.plain && !p_.uses_dynamic_scope && !(node.extra && !node.extra->pointed.empty())) {
      // One schema object without applicators in place: the common case.
      std::uint32_t index = new_evaluation();
      Evaluation& e = evaluations_[index];
      e.node = w.node;
      e.parent = w.parent;
      e.sink = w.sink;
      e.position = w.position;
      e.order = w.order;
      e.depth = depth();
      e.tracks = node.tracks;
      if (node.never) {
        e.asked_by = w.kw;
      }
      place_.push_back(index);
      wanted_.clear();
      return from;
    }
    ask(w, from);
  } else {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      ask(wanted_[i], from);
    }
  }
  wanted_.clear();
  for (std::size_t i = from; i < place_.size(); ++i) {
    const Node& node = *evaluations_[place_[i]].node;
    if (!node.plain || (node.extra && !node.extra->pointed.empty())) {
      expand(place_[i], from);
    }
  }
  return from;
}

void Engine::end_place(std::uint32_t place_from) {
  std::size_t count = place_.size();
  if (count == place_from) {
    return;
  }
  if (count == place_from + 1) {
    Evaluation& e = evaluations_[place_.back()];
    if (e.node->settles_plainly && e.pending == 0 && !e.undecided && e.group == none32 && e.extension == none32 &&
        e.more_edges == none32 && !e.in_place && e.site == none32 && e.fan == none32) {
      // It has told what it had to tell.
      e.node = nullptr;
      free_evaluations_.push_back(place_.back());
      place_.pop_back();
      return;
    }
  }
  // Those asked for last first: most askers then find all that they have asked for done.
  for (std::size_t i = count; i-- > place_from;) {
    close(place_[i]);
  }
  for (std::size_t i = place_from; i < count; ++i) {
    if (evaluations_[place_[i]].node != nullptr && evaluations_[place_[i]].pending > 0) {
      wait(place_[i]);
    }
  }
  place_.resize(place_from);
}

}  // namespace plumb::contract
