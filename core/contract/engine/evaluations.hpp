// Evaluations: each is one schema object at one instance, with the members that it has seen.
//
// An evaluation has one asker; if several references lead to it, the others are edges. Data that few evaluations need
// is in an Extension, created on first use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/contract/engine/reused.hpp"
#include "core/contract/program.hpp"

namespace plumb::contract {

struct Engine;

// One schema object at one instance.
struct Evaluation {
  const Node* node = nullptr;
  std::uint32_t parent = none32;      // the evaluation that asked for this one
  std::uint32_t group = none32;       // the group that gets its outcome; none32: the parent gets it
  std::uint32_t branch = 0;           // its number in the group
  std::uint32_t more_edges = none32;  // further askers: index into Evaluations::edges
  std::uint32_t sink = 0;             // where its findings go
  Position position = 0;              // of the keyword that asked, in the parent
  std::uint32_t order = 0;            // its number among that keyword's schemas
  std::uint32_t depth = 0;            // tokens in the instance's pointer
  std::uint32_t scope = 0;            // its dynamic scope
  std::uint32_t pending = 0;          // number of evaluations it waits for
  std::uint32_t extension = none32;   // index into Engine::extensions
  std::uint64_t seen = 0;             // a bit for each of the first 64 slots
  std::uint32_t hint = 0;             // the slot that is likely to come next
  std::uint32_t contained = 0;        // number of items that fulfil `contains`
  std::uint32_t contained_maybe = 0;
  bool broken = false;
  bool undecided = false;
  bool closed = false;
  bool tracks = false;          // notes what has been evaluated, for unevaluated*
  bool in_place = false;        // asked for at its parent's own instance
  bool counted = false;         // the parent's `pending` includes it
  std::uint32_t site = none32;  // the place of its instance after that has closed: index into Engine::found
  std::uint32_t fan = none32;   // its own sink, if it has several parents
  Kw asked_by = Kw::none;       // for the schema `false`: the keyword that asked
};

// Another asker of an evaluation that several references lead to.
struct Edge {
  std::uint32_t parent = none32;
  std::uint32_t group = none32;
  std::uint32_t branch = 0;
  std::uint32_t next = none32;
  bool counted = false;
};

// A set of members or items that have been evaluated, by their index.
struct Evaluated {
  std::vector<std::uint64_t> bits;
  bool all = false;

  void set(std::uint32_t i) {
    std::size_t word = i / 64;
    if (word >= bits.size()) {
      bits.resize(word + 1);
    }
    bits[word] |= std::uint64_t{1} << (i % 64);
  }
  bool has(std::uint32_t i) const { return all || (i / 64 < bits.size() && (bits[i / 64] >> (i % 64) & 1U) != 0); }
  void add(const Evaluated& o) {
    all = all || o.all;
    if (o.bits.size() > bits.size()) {
      bits.resize(o.bits.size());
    }
    for (std::size_t i = 0; i < o.bits.size(); ++i) {
      bits[i] |= o.bits[i];
    }
  }
  void clear() {
    bits.clear();
    all = false;
  }
};

// Data that few evaluations need.
struct Extension {
  std::vector<std::uint32_t> groups;
  Evaluated evaluated;
  std::vector<std::uint64_t> seen_more;  // bits of the slots after the 64th
  std::vector<std::uint32_t> sets;       // indices of SeenSets: uniqueItems, then `distinct`, then trees
  struct RuleState {
    std::uint32_t held = 0;
    std::uint32_t broken = 0;
    std::uint32_t undecided = 0;
  };
  std::vector<RuleState> rules;
  std::string novelty;  // outcome of `novel`, for labels

  void clear() {
    groups.clear();
    evaluated.clear();
    seen_more.clear();
    sets.clear();
    rules.clear();
    novelty.clear();
  }
};

struct Evaluations : Reused<std::vector<Evaluation>> {
  Reused<std::vector<Edge>> edges;
};

std::uint32_t new_evaluation(Engine& engine);
// Frees an evaluation with its groups, its sets, its site and its edges.
void free_evaluation(Engine& engine, std::uint32_t index);
Extension& extension_of(Engine& engine, Evaluation& e);
// Notes that a slot of the object was seen. False if it had been seen before.
bool mark_seen(Engine& engine, Evaluation& e, std::uint32_t slot);
bool has_seen(const Engine& engine, const Evaluation& e, std::uint32_t slot);
// Its place in a walk through the contract, which orders findings.
std::vector<std::uint64_t> walk_of(const Engine& engine, std::uint32_t evaluation);

}  // namespace plumb::contract
