#include "core/contract/engine/branches.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/engine/engine.hpp"

namespace plumb::contract {

std::uint32_t new_branch(Engine& engine, std::uint32_t group, std::uint32_t parent_sink) {
  const std::uint32_t i = engine.branches.take([](Branch& branch) { branch.clear(); });
  engine.branches[i].group = group;
  engine.branches[i].parent_sink = parent_sink;
  if (group != none32) {
    engine.groups[group].branches.push_back(i);
  }
  return i;
}

std::uint32_t new_group(Engine& engine, Kw kw, std::uint32_t owner, const InPlace* in, Position position,
                        std::uint32_t order) {
  const std::uint32_t i = engine.groups.take([](Group& group) { group.clear(); });
  Group& g = engine.groups[i];
  g.kw = kw;
  g.form = facets_of(kw).form;
  g.owner = owner;
  g.in = in;
  g.position = position;
  g.order = order;
  if (kw != Kw::contains) {  // groups of `contains` are freed as soon as they are decided
    extension_of(engine, engine.evaluations[owner]).groups.push_back(i);
  }
  return i;
}

void free_group(Engine& engine, std::uint32_t group) {
  for (std::uint32_t b : engine.groups[group].branches) {
    if (engine.branches[b].state == BranchState::held) {
      discard(engine, engine.branches[b]);
    }
    engine.branches.give(b);
  }
  engine.groups.give(group);
}

void free_groups(Engine& engine, Extension& x) {
  for (std::uint32_t g : x.groups) {
    free_group(engine, g);
  }
  x.groups.clear();
}

Branch& branch_of(Engine& engine, std::uint32_t group, std::uint32_t number) {
  return engine.branches[engine.groups[group].branches[number]];
}

void promote(Engine& engine, Branch& branch) {
  if (branch.state != BranchState::held) {
    return;
  }
  branch.state = BranchState::promoted;
  std::vector<std::uint32_t> held = std::move(branch.found);
  branch.found.clear();
  std::uint32_t parent = branch.parent_sink;
  for (std::uint32_t f : held) {
    engine.found[f].finding.decided_at = std::max(engine.found[f].finding.decided_at, engine.now);
    add(engine, parent, f);
    release(engine, f);
  }
}

void discard(Engine& engine, Branch& branch) {
  branch.state = BranchState::discarded;
  std::vector<std::uint32_t> held = std::move(branch.found);
  branch.found.clear();
  for (std::uint32_t f : held) {
    release(engine, f);
  }
}

}  // namespace plumb::contract
