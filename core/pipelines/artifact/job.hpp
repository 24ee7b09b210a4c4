// What the parts of the artifact pipeline share: the job as its input says it, a model call within its budget, and the
// versions of the artifact that validation and repair hand to each other. Internal to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/extract/chunks.hpp"
#include "core/json/writer.hpp"
#include "core/judge/judge.hpp"
#include "core/pipelines/artifact/artifact.hpp"
#include "core/pipelines/model_call.hpp"
#include "core/pipelines/prompt.hpp"

namespace plumb::pipelines::artifact {

// Pins of a run of this pipeline.
inline constexpr std::string_view pin_contract = "contract";
inline constexpr std::string_view pin_plan_contract = "contract-plan";
inline constexpr std::string_view pin_judge_contract = "contract-judge";
inline constexpr std::string_view pin_patch_contract = "contract-patch";
// "prompt-plan", "prompt-generate", "prompt-judge", "prompt-repair", "prompt-patch": strings.

struct Job {
  std::string type;
  const json::Value* input = nullptr;
  const json::Value* chunks = nullptr;
  std::uint64_t token_budget = token_budget_default;
  bool patches = false;
  bool passes_unverified = false;
  std::string_view early_stop = "degenerate";
  std::array<std::uint64_t, 4> limits_ms = phase_limits_ms;
  std::array<bool, 4> free = {};  // the phase's provider costs no tokens
};
Job read_job(const run::Data& input);

// One model call.
struct Call {
  Phase phase = Phase::plan;
  std::string_view prompt;    // "prompt-plan"
  std::string_view contract;  // a pin
  std::string_view early_stop = "degenerate";
  std::uint64_t output_tokens_min = 0;  // what the answer takes at least, as far as is known
  bool bolder = false;                  // the last answer to this prompt did not help
  // Members of the variables and of `task`, written into open objects.
  std::function<void(json::Writer&)> variables;
  std::function<void(json::Writer&)> task;
};

// Asks, as call_model() does.
Answer call(run::Run& run, const Job& job, Spent& spent, const Call& what);

// A version of the artifact, and what is known of it.
struct Version {
  std::string text;     // as edited; what judges and repairs see
  std::string stopped;  // why it was stopped, or empty
  bool is_json = false;
  std::uint64_t errors = 0;  // structural
  std::vector<std::string> violations;
  bool judged = false;
  std::uint64_t issues = 0;
  std::vector<std::string> semantic;
  std::uint64_t undecided = 0;
  std::string judge_error;  // why it could not be judged, or empty
  bool final = false;       // no repair can help: the budget, a cancelled run
  bool warned = false;      // it has warnings
  std::string verdict;      // JSON
  std::string judgement;    // JSON, where judged

  bool holds() const { return errors == 0 && judged && issues == 0; }
  run::Data data() const;
};
Version version_of(const run::Data& data);

// Structure: edits first, then the contract. Writes no note.
Version check_structure(const run::Run& run, std::string text, std::string stopped);
// The same for a text that is known to be JSON, after free fixes; counts them.
struct Freed {
  Version version;
  std::string fixes;  // JSON: [{"rule", "at", "from", "to"}...]
  std::size_t count = 0;
};
Freed free_tier(const run::Run& run, const Version& version);

// Meaning: asks the judge, at most twice.
void judge_meaning(run::Run& run, const Job& job, Spent& spent, const run::Data& plan, Version& version);

// The source as prompts show it: fenced passages, as many as the budget has room for, those of the plan first.
std::string source_text(const Job& job, const json::Value& plan);
// The contract's rules as numbered lines.
std::string rules_text(const contract::Contract& contract);
// The options as the built-in provider takes them: {"count", "depth"}.
std::string task_options(const Job& job, const Prompt& plan_prompt, const json::Value& plan);
std::string bullets(const std::vector<std::string>& lines);
// How many items are wanted: the option's value, else the prompt's, at most as many as are planned. 0: not counted.
std::uint64_t wanted_items(const Job& job, const Prompt& plan_prompt, const json::Value& plan);
// Options with the defaults of the plan prompt, as JSON.
std::string options_json(const Job& job, const Prompt& plan_prompt);

}  // namespace plumb::pipelines::artifact
