// The one way in which pipelines ask a model. It renders a pinned prompt, keeps within the tokens that the run may
// spend, and retries once after an outage.
//
//   Spent spent;
//   ModelCall what;
//   what.phase = "frame";  what.prompt = "prompt-frame";  what.contract = "contract-frame";
//   what.variables = [&](json::Writer& json) { json.member("findings", fenced("findings", text)); };
//   Answer answer = call_model(run, spent, what);
//   if (!answer.error.empty()) ...                     // what the run fails with
//
// The variables data_rule and shape (the form of the answer, from its contract) are always given. A note `retry` is
// written before the second attempt. If the provider asked for a delay, the second attempt waits as long; if the delay
// is too long, it is not made. A call that exceeds the budget or the model's window is not made. Every call is
// monitored (call_monitor.hpp).
//
// With `says_why`, a request after an answer of no use (nothing, only reasoning, a refusal) ends with the reason, and
// has twice the room if the answer ended at its limit. A refusal is an error of its own.
//
// A call has two time limits: between tokens, and in total. Limits in the run's input (`call_limits`, from the host's
// flags, variables and plumb.yaml) override those of the pipeline.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/reason.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines {

// Time limits of a call, in milliseconds; 0: not set.
struct CallLimits {
  std::uint64_t idle_ms = 0;  // between tokens, after the first one
  std::uint64_t total_ms = 0;
  static std::span<const json::Field> fields();
};

// The tokens that the replies so far have used.
struct Spent {
  std::uint64_t tokens = 0;
  void add(const run::Reply& reply);
};

// The note `retry`: a call is made once more.
struct RetryNote {
  std::string phase, error;
  std::uint64_t wait_ms = 0;
  static std::span<const json::Field> fields();
};

// The longest delay that a provider may ask for before the second attempt.
inline constexpr std::uint64_t retry_wait_ms_max = 300'000;

struct ModelCall {
  std::string_view phase;          // of native/provider/profile.hpp; it decides who is asked
  std::string_view role;           // the role that asks, if a phase serves several; or empty
  std::string_view prompt;         // name of a pin
  std::string_view contract;       // name of a pin, for the answer; empty: any answer
  std::string_view provider = {};  // one of the further providers in the run's pins; empty: the phase's
  std::string_view further = {};   // messages after the prompt's: members of a JSON array
  std::string_view tools = {};     // tools that the model may call: a JSON array
  std::string_view shape_of;       // name of a pin: the form to describe, if it is not the answer's
  std::string_view shape;          // the description of the form, if it was written before
  std::string_view feedback = {};  // on the answer before this one, which could not be used: ends the last message
  std::string_view early_stop = "degenerate";
  std::uint64_t deadline_ms = 0;          // in total
  std::uint64_t idle_ms = 0;              // between tokens; 0: the provider's own
  std::uint64_t output_tokens_min = 0;    // the shortest useful answer, if it is known
  std::uint64_t output_tokens_usual = 0;  // a longer answer than the prompt allows, if the budget permits it
  std::uint64_t token_budget = 0;         // of the run; 0: no bound here
  bool free = false;                      // the phase's provider costs no tokens
  bool bolder = false;                    // the last answer to this prompt did not help
  bool again = false;                     // the answer before this one could not be used
  bool says_why = false;     // after an answer of no use the second attempt says why, with more room after a limit
  bool checkpoints = false;  // a turn of a conversation, which continues in a fresh one when its window is full
  bool only_noted = false;   // the caller decides on the responses of the monitor
  // Write members into open objects: the variables, and `task` for the provider without a model.
  std::function<void(json::Writer&)> variables = {};
  std::function<void(json::Writer&)> task = {};
};

struct Answer {
  const run::Reply* reply = nullptr;
  std::string text;     // of an ok reply; may be empty if tools are called
  std::string stopped;  // why our side ended the answer, or empty
  std::string error;    // why the run fails, if there is no text
  bool cancelled = false;
  bool outage = false;    // the error is outside: a provider is down, refuses, or takes too long
  bool at_limit = false;  // the answer ended at its token limit
  bool refused = false;   // the model, or a filter of its provider, declined to answer
  int tries = 1;
  // over_budget or over_window: no call was made, because it exceeds the run's budget or the model's window.
  Reason reason = Reason::none;
  Checkpoint checkpoint = Checkpoint::none;
};

Answer call_model(run::Run& run, Spent& spent, const ModelCall& asked);

// Only the request of such a call, for callers that make many in parallel. It does not check the budget.
run::Data model_request(const run::Run& run, const ModelCall& asked);

// The limits of a phase from the run's input, or `usual` for those that it does not set.
CallLimits limits_of(const run::Run& run, std::string_view phase, CallLimits usual);

// A prompt from the run's pins.
Prompt pinned_prompt(const run::Run& run, std::string_view name);
// The description of an answer's form for models.
std::string shape_text(const contract::Contract& contract);
// The same with every member asked for, as providers that enforce a schema want them.
std::string whole_shape_text(const contract::Contract& contract);
// The same without what values must keep, for a prompt that lists it.
std::string outline_text(const contract::Contract& contract);
// A model's text as strict JSON, after the certain edits; empty if that is impossible.
std::string strict_json(const contract::Contract& contract, std::string_view text);
// An answer after the certain edits, and what is wrong with it then. A code fence or a trailing comma costs nothing.
struct StrictAnswer {
  std::string text;  // empty: it is not JSON whatever is edited
  contract::Verdict verdict;
  bool usable() const { return !text.empty() && verdict.valid; }
};
StrictAnswer strict_answer(const contract::Contract& contract, std::string_view text);

}  // namespace plumb::pipelines
