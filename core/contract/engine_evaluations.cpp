// Evaluations, and the groups and branches by which one asks others: made, kept and given back.

#include <algorithm>
#include <utility>

#include "core/contract/engine.hpp"

namespace plumb::contract {

std::uint32_t Engine::new_evaluation() {
  if (!free_evaluations_.empty()) {
    std::uint32_t i = free_evaluations_.back();
    free_evaluations_.pop_back();
    evaluations_[i] = Evaluation();
    return i;
  }
  evaluations_.emplace_back();
  return static_cast<std::uint32_t>(evaluations_.size() - 1);
}

void Engine::free_evaluation(std::uint32_t index) {
  Evaluation& e = evaluations_[index];
  if (e.extension != none32) {
    Extension& x = extensions_[e.extension];
    free_groups(x);
    for (std::uint32_t set : x.sets) {
      if (set != none32) {
        sets_[set].clear();
        free_sets_.push_back(set);
        if (--sets_open_ == 0) {
          set_arena_.clear();
        }
      }
    }
    x.clear();
    free_extensions_.push_back(e.extension);
    e.extension = none32;
  }
  if (e.site != none32) {
    release(e.site);
  }
  if (e.fan != none32) {
    branches_[e.fan].clear();
    free_branches_.push_back(e.fan);
  }
  for (std::uint32_t edge = evaluations_[index].more_edges; edge != none32;) {
    std::uint32_t next = edges_[edge].next;
    free_edges_.push_back(edge);
    edge = next;
  }
  evaluations_[index].node = nullptr;
  free_evaluations_.push_back(index);
}

Extension& Engine::extension(Evaluation& e) {
  if (e.extension == none32) {
    if (!free_extensions_.empty()) {
      e.extension = free_extensions_.back();
      free_extensions_.pop_back();
    } else {
      e.extension = static_cast<std::uint32_t>(extensions_.size());
      extensions_.emplace_back();
    }
  }
  return extensions_[e.extension];
}

std::uint32_t Engine::new_branch(std::uint32_t group, std::uint32_t parent_sink) {
  std::uint32_t i = 0;
  if (!free_branches_.empty()) {
    i = free_branches_.back();
    free_branches_.pop_back();
    branches_[i].clear();
  } else {
    i = static_cast<std::uint32_t>(branches_.size());
    branches_.emplace_back();
  }
  branches_[i].group = group;
  branches_[i].parent_sink = parent_sink;
  if (group != none32) {
    groups_[group].branches.push_back(i);
  }
  return i;
}

std::uint32_t Engine::new_group(Kw kw, std::uint32_t owner, const InPlace* in, Position position, std::uint32_t order) {
  std::uint32_t i = 0;
  if (!free_groups_.empty()) {
    i = free_groups_.back();
    free_groups_.pop_back();
    groups_[i].clear();
  } else {
    i = static_cast<std::uint32_t>(groups_.size());
    groups_.emplace_back();
  }
  Group& g = groups_[i];
  g.kw = kw;
  g.owner = owner;
  g.in = in;
  g.position = position;
  g.order = order;
  if (kw != Kw::contains) {  // those go as soon as they are told
    extension(evaluations_[owner]).groups.push_back(i);
  }
  return i;
}

void Engine::free_group(std::uint32_t group) {
  for (std::uint32_t b : groups_[group].branches) {
    if (branches_[b].state == BranchState::held) {
      discard(branches_[b]);
    }
    free_branches_.push_back(b);
  }
  free_groups_.push_back(group);
}

void Engine::free_groups(Extension& x) {
  for (std::uint32_t g : x.groups) {
    free_group(g);
  }
  x.groups.clear();
}

Branch& Engine::branch_of(std::uint32_t group, std::uint32_t number) {
  return branches_[groups_[group].branches[number]];
}

void Engine::promote(Branch& branch) {
  if (branch.state != BranchState::held) {
    return;
  }
  branch.state = BranchState::promoted;
  std::vector<std::uint32_t> held = std::move(branch.found);
  branch.found.clear();
  std::uint32_t parent = branch.parent_sink;
  for (std::uint32_t f : held) {
    found_[f].finding.decided_at = std::max(found_[f].finding.decided_at, now_);
    add(parent, f);
    release(f);
  }
}

void Engine::discard(Branch& branch) {
  branch.state = BranchState::discarded;
  std::vector<std::uint32_t> held = std::move(branch.found);
  branch.found.clear();
  for (std::uint32_t f : held) {
    release(f);
  }
}

}  // namespace plumb::contract
