// A run for people and programs: what its journal says it has done.
//
// An account is a projection of the journal alone, so a run in the store, in a file and from another machine are shown
// the same way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/render.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/journal.hpp"
#include "native/cli/boundary_account.hpp"

namespace plumb::cli {

// Effects of one kind, and of a model's in one phase.
struct EffectAccount {
  std::string what;  // "model generate", "search"
  std::uint64_t asked = 0;
  std::uint64_t again = 0;  // tried once more, because the host was lost
  std::uint64_t failed = 0;
  std::uint64_t open = 0;  // not answered
  std::uint64_t time_ms = 0;
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t saved_tokens = 0;
  bool estimated = false;  // some of the tokens are
};

// A finding that is in a note or a reply.
struct ToldFinding {
  std::uint64_t entry = 0;
  std::string rule;
  std::string message;
};

struct RunAccount {
  std::string id;
  std::string pipeline;
  std::string state;  // waiting, done, failed, cancelled
  std::string error;
  std::uint64_t begun_ms = 0;
  std::uint64_t last_ms = 0;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t drifts = 0;
  std::vector<EffectAccount> effects;
  std::vector<ToldFinding> findings;
};
RunAccount account_of(const run::Journal& journal);

// "     3     +1.204 s  reply    :0 ok, 1.2 s, 350 tokens in, 210 out"
std::string entry_line(const run::Journal& journal, std::size_t number);

// All of it as text; `known` gives the log lines where the pipeline is one of ours.
struct RunShown {
  bool entries = false;
  std::string project = {};                  // whose it is, where that is known
  std::string waits = {};                    // why a waiting run does not go on, where it is known
  std::vector<BoundaryAccount> lately = {};  // of the last runs of this pipeline, added up
  std::size_t lately_runs = 0;
  std::uint64_t share_max = share_usual;  // a producer with more of its items sent back is marked; percent
};
std::string run_text(const run::Journal& journal, const pipelines::Known* known, const RunShown& shown,
                     const contract::TextStyle& style);
Result<std::string> run_json(const run::Journal& journal, const pipelines::Known* known, const RunShown& shown);

}  // namespace plumb::cli
