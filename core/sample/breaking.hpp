// Values that break one rule: for each keyword the smallest change of a value that does.
//
// What is given back are proposals, nearest first: that a proposal breaks this rule, and nothing else, is for the
// engine to say. Bounded: at most `proposals_max` for a site.
#pragma once

#include <optional>
#include <vector>

#include "core/sample/maker.hpp"
#include "core/sample/sites.hpp"

namespace plumb::sample {

inline constexpr std::size_t proposals_max = 48;

// The kind of value that a step leads down from.
std::optional<json::Kind> kind_of(StepKind step);

// What a rule that reads other places may look at: the whole artifact, and the context where there is one.
struct Around {
  const Draft* root = nullptr;
  const Draft* context = nullptr;
  Path base;           // of the value that is being broken
  unsigned depth = 0;  // alternatives and rules that are broken from within, which may lead back to themselves
};

// Where `site.way` leads in `value`: the places where its schema applies. For the schema false the places that it would
// have to be in: those one step before.
struct SitePlace {
  Path path;
  bool name = false;  // the schema is asked about the name of the member at `path`
};
std::vector<SitePlace> places_of(const Program& program, const Site& site, const Draft& value);

// Copies of `given`, which fits `wish`, with the rule broken at one of its places.
std::vector<Draft> broken_values(Maker& maker, const Site& site, const Wish& wish, const Draft& given,
                                 const Around& around = {});

// What a pointer of the contract finds, as seen from the value at `place`.
struct Reached {
  bool in_context = false;
  Path path;
};
std::vector<Reached> reach(const contract::PointerPattern& pattern, const Around& around, const Path& place);

// A member of a keyword's value in the contract's text: the `by` of `distinct`; empty where there is none.
contract::PointerPattern pointer_in(const Node& node, Kw kw, std::string_view member);

// Internal to breaking: proposals for the value itself. What each keyword proposes: keywords.hpp.
struct Breaking {
  Maker& maker;
  const Site& site;
  const Wish& wish;  // of the value
  const Draft& value;
  const Around& around;
  Path place;  // of the value in `around.root`
  std::vector<Draft> out;

  void add(Draft draft) {
    if (out.size() < proposals_max) {
      out.push_back(std::move(draft));
    }
  }
  void text(std::string_view text) { add(Draft::string(text)); }
};

}  // namespace plumb::sample
