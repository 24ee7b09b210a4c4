// What the parts of the artifact pipeline share: the job as its input says it, and a model call within its budget.
// Internal to this folder.
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
#include "core/judge/measure.hpp"
#include "core/pipelines/artifact/artifact.hpp"
#include "core/pipelines/model_call.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/run/data_record.hpp"

namespace plumb::pipelines::artifact {

// Pins of a run of this pipeline.
inline constexpr std::string_view pin_plan_contract = "contract-plan";
inline constexpr std::string_view pin_judge_contract = "contract-judge";
inline constexpr std::string_view pin_patch_contract = "contract-patch";
// "prompt-plan", "prompt-generate", "prompt-judge", "prompt-repair", "prompt-patch": strings.

// The numbers of a request (counts.hpp).
struct Count {
  std::uint64_t exactly = 0;  // 0: none was given
  std::uint64_t most = 0;     // 0: not counted
  std::uint64_t least = 1;    // of the contract, whatever is asked for
  static std::span<const json::Field> fields();
};

// How this pipeline goes: an input without the member `way` is of a run that was begun before there were others. From
// the third on words decide beneath the judge, what is beyond the number is cut, and what is known to be wrong is
// repaired also where the judge is out of reach.
inline constexpr std::uint64_t way_now = 3;

// What a request may set, as the input says it.
struct Settings {
  std::string type;
  std::uint64_t way = 1;
  run::Data options;
  std::uint64_t token_budget = token_budget_base;
  std::string repair;
  std::string early_stop;
  std::string on_unverified;
  bool salvage = false;
  Count count;
  std::string language;  // that is wanted; empty: any
  static std::span<const json::Field> fields();
};

// What is known of the run's judge when the run begins: `judged_by` in the input, if anything is.
struct JudgeStanding {
  std::string judge;
  std::optional<judge::Measured> measured;
  std::string distrust;  // why it does not verify alone (core/judge/measure.hpp); or empty
  static std::span<const json::Field> fields();
};

struct Job {
  std::string type;
  const json::Value* input = nullptr;
  const json::Value* chunks = nullptr;
  std::uint64_t way = 1;
  std::uint64_t token_budget = token_budget_base;
  std::uint64_t shown_budget = 0;  // of which the source has its share, if it is not all of the run's
  bool patches = false;
  bool passes_unverified = false;
  bool salvages = false;
  Count count;
  std::string_view early_stop = "degenerate";
  std::array<CallLimits, 4> limits = phase_limits;
  std::array<std::uint64_t, 4> windows = {};  // of the phases' models; 0: not known
  std::array<bool, 4> free = {};              // the phase's provider costs no tokens
  JudgeStanding judged_by;
  std::string language;  // primary tag; empty: any
};
Job read_job(const run::Data& input);

// One model call.
struct Call {
  Phase phase = Phase::plan;
  std::string_view prompt;    // "prompt-plan"
  std::string_view contract;  // a pin
  std::string_view early_stop = "degenerate";
  std::uint64_t output_tokens_min = 0;    // what the answer takes at least, as far as is known
  std::uint64_t output_tokens_usual = 0;  // at least as much as this is let it be, where the budget has it
  bool bolder = false;                    // the last answer to this prompt did not help
  std::string_view shape;                 // of the answer, if it is not the contract's
  std::string feedback;                   // on the last answer, which could not be used
  // Members of the variables and of `task`, written into open objects.
  std::function<void(json::Writer&)> variables;
  std::function<void(json::Writer&)> task;
};

// Asks, as call_model() does. An answer in prose, where JSON is wanted, is asked for once more; a second one is an
// error, and counts as a refusal.
Answer call(run::Run& run, const Job& job, Spent& spent, const Call& what);

// What is wrong with an answer that could not be used, for the request after it: by class, then field by field.
std::string feedback_text(const contract::Verdict& verdict, std::string_view answer, bool at_limit);
// A verdict as feedback (seed 003, ADR-007): the findings are data and fenced, and the action follows outside the
// fence.
std::string fenced_feedback(const contract::Verdict& verdict, std::string_view action, std::string_view text);
// The number of findings of each class, and what to do about them: "* form: 2 issues: ...". Empty if there are no
// findings.
std::string classes_text(const contract::Verdict& verdict);

// The options as the built-in provider takes them: {"count", "depth"}.
std::string task_options(const Job& job, const Prompt& plan_prompt, const json::Value& plan);
std::string bullets(const std::vector<std::string>& lines);
// The language that is wanted, for prompts: "German". Empty: any.
std::string language_words(const Job& job);
// How many items are wanted: the option's value, else the prompt's, at most as many as are planned. 0: not counted.
std::uint64_t wanted_items(const Job& job, const Prompt& plan_prompt, const json::Value& plan);
// Options with the defaults of the plan prompt, as JSON.
std::string options_json(const Job& job, const Prompt& plan_prompt);

// What a part hands on: a value or an error, with what has been spent until then.
struct Part {
  std::uint64_t tokens = 0;
  run::Data value;
  std::string error;
  bool cancelled = false;
  bool outage = false;   // the world failed, not the answer
  bool refused = false;  // the model declined
  Reason reason = Reason::none;
  static std::span<const json::Field> fields();
};
run::Data part_result(const Spent& spent, const run::Data& value, const Answer& answer);
Part take_part(Spent& spent, const run::Data& result);

// What an artifact of so many items may take to write, as far as that can be told beforehand.
std::uint64_t answer_tokens(std::uint64_t items);
// Why an answer is not whole: our side ended it, or it reached its limit ("length"); or empty.
std::string stopped_by(const Job& job, const Answer& answer);

run::Data cancelled_result();
Error failed(std::string message, Reason reason);

}  // namespace plumb::pipelines::artifact
