// Groups of alternatives, and the branches that hold findings until it is known whether these count.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/contract/engine/evaluations.hpp"

namespace plumb::contract {

// Alternatives whose outcome decides for their owner: anyOf, oneOf, not, if, contains, unevaluated*, dependentSchemas
// and rules.
struct Group {
  Kw kw = Kw::none;
  InPlaceForm form = InPlaceForm::none;
  const InPlace* in = nullptr;
  std::uint32_t owner = none32;
  std::vector<std::uint32_t> branches;  // indices into Engine::branches
  std::uint32_t held = 0;
  std::uint32_t broken = 0;
  std::uint32_t undecided = 0;
  std::uint32_t chosen = none32;  // the branch that the discriminator chose
  bool decided = false;           // its outcome is known and has been passed on
  bool active = false;            // dependentSchemas: the object has the key
  std::uint32_t rule = none32;
  Position position = 0;
  std::uint32_t order = 0;
  std::uint32_t index = 0;  // index of the member or item (contains, unevaluated*)

  std::uint32_t size() const { return static_cast<std::uint32_t>(branches.size()); }
  void clear() {
    std::vector<std::uint32_t> kept = std::move(branches);
    kept.clear();
    *this = Group();
    branches = std::move(kept);
  }
};

enum class BranchState : std::uint8_t { held, promoted, discarded };

// A sink that holds findings until it is known whether they count. Sink 0 is the verdict.
struct Branch {
  std::uint32_t parent_sink = 0;
  std::uint32_t group = none32;
  BranchState state = BranchState::held;
  bool broken = false;
  bool held_true = false;
  bool undecided = false;
  std::uint64_t broken_at = 0;
  std::uint64_t more = 0;            // findings that were only counted
  std::vector<std::uint32_t> found;  // indices into Engine::found
  std::vector<std::uint32_t> fan;    // for a sink with several parents: they all get what is found
  Evaluated evaluated;

  void clear() {
    std::vector<std::uint32_t> kept = std::move(found);
    kept.clear();
    *this = Branch();
    found = std::move(kept);
  }
};

// Makes a branch of a group, or of none. When it is promoted, its findings go to `parent_sink`.
std::uint32_t new_branch(Engine& engine, std::uint32_t group, std::uint32_t parent_sink);
std::uint32_t new_group(Engine& engine, Kw kw, std::uint32_t owner, const InPlace* in, Position position,
                        std::uint32_t order);
void free_group(Engine& engine, std::uint32_t group);
void free_groups(Engine& engine, Extension& x);
Branch& branch_of(Engine& engine, std::uint32_t group, std::uint32_t number);
// The branch's findings count, now and in future.
void promote(Engine& engine, Branch& branch);
void discard(Engine& engine, Branch& branch);

}  // namespace plumb::contract
