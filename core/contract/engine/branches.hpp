// Groups of alternatives, and the branches in which findings wait until it is known whether they count.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/contract/engine/evaluations.hpp"

namespace plumb::contract {

// Alternatives whose outcome decides for their owner: anyOf, oneOf, not, if, contains, unevaluated*, dependentSchemas,
// rules.
struct Group {
  Kw kw = Kw::none;
  InPlaceForm form = InPlaceForm::none;
  const InPlace* in = nullptr;
  std::uint32_t owner = none32;
  std::vector<std::uint32_t> branches;  // in Engine::branches
  std::uint32_t held = 0;
  std::uint32_t broken = 0;
  std::uint32_t undecided = 0;
  std::uint32_t chosen = none32;  // by the discriminator
  bool decided = false;           // nothing more is told about it
  bool active = false;            // dependentSchemas: the key is there
  std::uint32_t rule = none32;
  Position position = 0;
  std::uint32_t order = 0;
  std::uint32_t index = 0;  // of the member or item (contains, unevaluated*)

  std::uint32_t size() const { return static_cast<std::uint32_t>(branches.size()); }
  void clear() {
    std::vector<std::uint32_t> kept = std::move(branches);
    kept.clear();
    *this = Group();
    branches = std::move(kept);
  }
};

enum class BranchState : std::uint8_t { held, promoted, discarded };

// Where findings wait until it is known whether they count. Sink 0 is the verdict.
struct Branch {
  std::uint32_t parent_sink = 0;
  std::uint32_t group = none32;
  BranchState state = BranchState::held;
  bool broken = false;
  bool held_true = false;
  bool undecided = false;
  std::uint64_t broken_at = 0;
  std::uint64_t more = 0;            // findings beyond those kept
  std::vector<std::uint32_t> found;  // indices into Engine::found
  std::vector<std::uint32_t> fan;    // a sink with several parents: found goes to each
  Evaluated evaluated;

  void clear() {
    std::vector<std::uint32_t> kept = std::move(found);
    kept.clear();
    *this = Branch();
    found = std::move(kept);
  }
};

// A branch of a group (or of none), whose findings go on to `parent_sink` when it is promoted.
std::uint32_t new_branch(Engine& engine, std::uint32_t group, std::uint32_t parent_sink);
std::uint32_t new_group(Engine& engine, Kw kw, std::uint32_t owner, const InPlace* in, Position position,
                        std::uint32_t order);
void free_group(Engine& engine, std::uint32_t group);
void free_groups(Engine& engine, Extension& x);
Branch& branch_of(Engine& engine, std::uint32_t group, std::uint32_t number);
// Its findings count, those that it holds and those that come.
void promote(Engine& engine, Branch& branch);
void discard(Engine& engine, Branch& branch);

}  // namespace plumb::contract
