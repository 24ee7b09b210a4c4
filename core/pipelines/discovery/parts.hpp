// The stages of discovery, each a function over a Run. What a stage gives is JSON, so that it is journalled when it has
// finished, and what comes behind it starts from there. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/pipelines/discovery/job.hpp"
#include "core/run/boundary.hpp"

namespace plumb::pipelines::discovery {

// An opportunity on its way through the stages.
struct Chain {
  std::string id;  // "O3", of a part "O3.1"
  run::Data brief, solution, spec, infeasible, conversation;
  std::string stage;                      // the last one that it came through
  std::string left_out;                   // why it went no further, or empty
  std::vector<std::string> unverified;    // boundaries
  std::string revised_from;               // the opportunity that it was framed anew from
  std::string send_back;                  // why the stage that it came to last sends it back, or empty
  std::vector<std::string> sent_back_by;  // stages that have done so: each does at most once

  // What these boundaries said of it before counts no more: it crosses them again.
  void settled(std::initializer_list<std::string_view> boundaries);
  bool was_sent_back_by(Stage from) const;
  // The stage sends it back where there is a reason.
  bool sends_back(Stage from, std::string_view reason);
};

// What came over a boundary, back in its chains: item i of the crossing was made of chain of_item[i] and stands in its
// place, also where it was split into several; the other chains stay. `artifact`: where a chain has it.
std::vector<Chain> over_boundary(std::vector<Chain> chains, const run::Crossing& crossing, std::string_view boundary,
                                 const std::vector<std::size_t>& of_item, run::Data Chain::*artifact);

// Stage 0: {"findings": [...], "coverage": {...}, "evidence": {id: {...}}, "warnings": [...]}.
run::Data explore(run::Run& run, const Job& job, const SentBack& why);

// Stage 1 and the boundary behind it. `first`: the number of the first opportunity. Where it was sent back for some of
// `before`, only these are framed anew, from their findings: the new ones stand in their place, the others as they
// were.
struct Framed {
  std::vector<Chain> chains;
  std::string quality_flags;
  std::vector<std::string> warnings;
};
Framed frame(run::Run& run, const Job& job, const run::Data& explored, std::size_t first, const SentBack& why,
             const std::vector<Chain>& before);

// Stages 2 and 3, and the boundary behind each. Chains that are left out, and others than the one that was sent back,
// stay as they are. Gives the quality flags of the stage. `agents_may`: a stage whose input is not good enough to work
// with may send it back (Chain::send_back).
std::string design(run::Run& run, const Job& job, const run::Data& explored, std::vector<Chain>& chains,
                   const SentBack& why, bool agents_may);
std::string assess(run::Run& run, const Job& job, std::vector<Chain>& chains, const SentBack& why, bool agents_may);

// Stage 4: {"rankings": [{"opportunity_id", "recommended_rank", "rationale", "dependencies", "flags"}], "send_back":
// [{"opportunity_id", "reason"}]}, whatever the model said.
run::Data rank(run::Run& run, const Job& job, const std::vector<Chain>& chains, const SentBack& why, bool agents_may);
// What a model's ranking is worth: duplicates go (the first counts), unknown ids go, what is missing comes last with a
// flag, blank rationales are filled, ranks are 1 to N.
std::string repaired_ranking(const json::Value& rankings, const std::vector<Chain>& chains);

// Stage 5, until it is complete or something is sent back.
struct Reviewed {
  SentBack sent_back;  // from is empty: the review is complete, or the run cancelled
  Stage to = Stage::exploration;
  bool complete = false;
};
struct Decisions {
  std::vector<std::pair<std::string, run::Data>> by_opportunity;
  std::vector<std::string> order;  // of ids, as people put it; empty: as it was ranked
};
using Attempts = std::array<std::size_t, stage_names.size()>;  // of each stage
Reviewed review(run::Run& run, const std::vector<Chain>& chains, const run::Data& rankings, const Attempts& attempts,
                Decisions& decisions);

// As checkpoints have them.
void write_chain(json::Writer& json, const Chain& chain);
Chain chain_of(const run::Data& whole, const json::Value& value);

// The ids that evidence may name, as the context of contracts: {"evidence": ["c1", ...]}.
std::string evidence_context(const run::Data& explored);
// `value` with what its evidence names made whole: types looked up, ids that are in no finding left out and told.
run::Data with_evidence(const run::Data& value, const std::vector<std::string>& ids, const run::Data& explored,
                        std::vector<std::string>& warnings);

}  // namespace plumb::pipelines::discovery
