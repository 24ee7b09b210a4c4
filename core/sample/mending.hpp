// Puts right what the engine finds in a whole artifact: rules that read other places, and what a change elsewhere
// broke.
//
// Each round looks at one finding and makes one change. A Pair is an artifact and the context that is given beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/sample/breaking.hpp"
#include "core/sample/maker.hpp"

namespace plumb::sample {

struct Pair {
  Draft artifact;
  Draft context;
  bool has_context = false;
  bool own_context = false;  // made here, so that it may be changed

  Around around() const { return {&artifact, has_context ? &context : nullptr, {}}; }
};

// The verdict of the engine. What is shadowed does not count.
contract::Verdict judged(const contract::Contract& contract, const Pair& pair, Budget& budget);
// Findings that count.
std::vector<const contract::Finding*> findings_of(const contract::Verdict& verdict);

// One change for one finding. False when nothing could be done.
bool mend(Maker& maker, const Wish& root, Pair& pair, const contract::Finding& finding);

// Rounds of mend() until nothing is found. The verdict is that of the last state.
contract::Verdict mend_all(const contract::Contract& contract, Maker& maker, const Wish& root, Pair& pair);

// A context that has something wherever the contract reads it.
Draft make_context(Maker& maker);

// Puts something where a rule's pointer leads, as far as the contract allows it.
void furnish(Maker& maker, const Wish& root, Pair& pair, const contract::PointerPattern& pattern, const Path& place,
             json::Kind leaf = json::Kind::string);

}  // namespace plumb::sample
