// The search for a document that one contract accepts and another refuses, and what makes it small.
//
// Tried, in this order, until one is found: documents that were given; documents of the accepting contract, small and
// rich, changed where the proof got stuck; those with each rule of the refusing contract broken; and documents of the
// refusing contract that break a rule of it. Nothing is claimed of a document but what the engine says. Only
// core/compare uses it.
#pragma once

#include <optional>
#include <vector>

#include "core/compare/compare.hpp"
#include "core/compare/proof.hpp"
#include "core/sample/mending.hpp"

namespace plumb::compare {

class WitnessSearch {
 public:
  WitnessSearch(const contract::Contract& accepting, const contract::Contract& refusing, const CompareOptions& options)
      : accepting_(accepting), refusing_(refusing), options_(options) {}

  std::optional<Witness> find_given();
  // Changed where the hints say; they are of a proof of the same direction.
  std::optional<Witness> find(const std::vector<Hint>& hints);

 private:
  bool is_witness(const sample::Pair& pair);
  std::optional<Witness> told(const sample::Pair& pair, std::string_view name);
  // Nothing where it is none; else it is kept, made smaller, and told.
  std::optional<Witness> consider(const sample::Pair& pair);
  void shrink(sample::Pair& pair);
  bool shrink_once(sample::Pair& pair, const sample::Path& path);
  std::optional<sample::Pair> made(bool rich, std::uint64_t seed, const Hint* hint);
  std::string name_for(const sample::Pair& base, const Way& way);
  std::optional<Witness> at_hint(const Hint& hint);
  std::optional<Witness> broken_rules(const sample::Pair& base);
  std::optional<Witness> broken_samples();
  bool left() const { return judged_ < options_.limits.judged_max; }

  const contract::Contract& accepting_;
  const contract::Contract& refusing_;
  const CompareOptions& options_;
  std::vector<sample::Pair> bases_;
  std::uint64_t judged_ = 0;
};

}  // namespace plumb::compare
