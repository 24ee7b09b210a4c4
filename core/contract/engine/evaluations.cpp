#include "core/contract/engine/evaluations.hpp"

#include <algorithm>

#include "core/contract/engine/engine.hpp"

namespace plumb::contract {

std::uint32_t new_evaluation(Engine& engine) {
  return engine.evaluations.take([](Evaluation& e) { e = Evaluation(); });
}

void free_evaluation(Engine& engine, std::uint32_t index) {
  Evaluation& e = engine.evaluations[index];
  if (e.extension != none32) {
    Extension& x = engine.extensions[e.extension];
    free_groups(engine, x);
    for (std::uint32_t set : x.sets) {
      if (set != none32) {
        engine.seen.sets[set].clear();
        engine.seen.sets.give(set);
        if (--engine.seen.open == 0) {
          engine.seen.arena.clear();
        }
      }
    }
    x.clear();
    engine.extensions.give(e.extension);
    e.extension = none32;
  }
  if (e.site != none32) {
    release(engine, e.site);
  }
  if (e.fan != none32) {
    engine.branches[e.fan].clear();
    engine.branches.give(e.fan);
  }
  for (std::uint32_t edge = engine.evaluations[index].more_edges; edge != none32;) {
    std::uint32_t next = engine.evaluations.edges[edge].next;
    engine.evaluations.edges.give(edge);
    edge = next;
  }
  engine.evaluations[index].node = nullptr;
  engine.evaluations.give(index);
}

Extension& extension_of(Engine& engine, Evaluation& e) {
  if (e.extension == none32) {
    e.extension = engine.extensions.take();
  }
  return engine.extensions[e.extension];
}

bool mark_seen(Engine& engine, Evaluation& e, std::uint32_t slot) {
  if (slot < 64) {
    std::uint64_t bit = std::uint64_t{1} << slot;
    bool fresh = (e.seen & bit) == 0;
    e.seen |= bit;
    return fresh;
  }
  Extension& x = extension_of(engine, e);
  std::size_t word = slot / 64 - 1;
  if (word >= x.seen_more.size()) {
    x.seen_more.resize(word + 1);
  }
  std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  bool fresh = (x.seen_more[word] & bit) == 0;
  x.seen_more[word] |= bit;
  return fresh;
}

bool has_seen(const Engine& engine, const Evaluation& e, std::uint32_t slot) {
  if (slot < 64) {
    return (e.seen >> slot & 1U) != 0;
  }
  if (e.extension == none32) {
    return false;
  }
  const std::vector<std::uint64_t>& more = engine.extensions[e.extension].seen_more;
  std::size_t word = slot / 64 - 1;
  return word < more.size() && (more[word] >> (slot % 64) & 1U) != 0;
}

std::vector<std::uint64_t> walk_of(const Engine& engine, std::uint32_t evaluation) {
  std::vector<std::uint64_t> walk;
  for (std::uint32_t e = evaluation; e != none32;) {
    const Evaluation& at = engine.evaluations[e];
    std::uint32_t parent = at.group != none32 ? engine.groups[at.group].owner : at.parent;
    if (parent == none32) {
      break;
    }
    walk.push_back((std::uint64_t{at.position} << 40U) | at.order);
    e = parent;
  }
  std::reverse(walk.begin(), walk.end());
  return walk;
}

}  // namespace plumb::contract
