// The stages of discovery, each a function over a Run. What a stage gives is JSON, so that it is journalled when it has
// finished, and what comes behind it starts from there. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/pipelines/discovery/job.hpp"

namespace plumb::pipelines::discovery {

// An opportunity on its way through the stages.
struct Chain {
  std::string id;  // "O3", of a part "O3.1"
  run::Data brief, solution, spec, infeasible, conversation;
  std::string stage;                    // the last one that it came through
  std::string left_out;                 // why it went no further, or empty
  std::vector<std::string> unverified;  // boundaries

  // What these boundaries said of it before counts no more: it crosses them again.
  void settled(std::initializer_list<std::string_view> boundaries);
};

// Stage 0: {"findings": [...], "coverage": {...}, "evidence": {id: {...}}, "warnings": [...]}.
run::Data explore(run::Run& run, const Job& job, const SentBack& why);

// Stage 1 and the boundary behind it. `first`: the number of the first opportunity.
struct Framed {
  std::vector<Chain> chains;
  std::string quality_flags;
  std::vector<std::string> warnings;
};
Framed frame(run::Run& run, const Job& job, const run::Data& explored, std::size_t first, const SentBack& why);

// Stages 2 and 3, and the boundary behind each. Chains that are left out, and others than the one that was sent back,
// stay as they are. Gives the quality flags of the stage.
std::string design(run::Run& run, const Job& job, const run::Data& explored, std::vector<Chain>& chains,
                   const SentBack& why);
std::string assess(run::Run& run, const Job& job, std::vector<Chain>& chains, const SentBack& why);

// Stage 4: [{"opportunity_id", "recommended_rank", "rationale", "dependencies", "flags"}], whatever the model said.
run::Data rank(run::Run& run, const Job& job, const std::vector<Chain>& chains, const SentBack& why);
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
