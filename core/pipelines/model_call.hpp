// The one way in which pipelines ask a model: a prompt that the run is pinned to is rendered, within the tokens that
// the run may spend, and asked once more where the world failed.
//
//   Spent spent;
//   ModelCall what;
//   what.phase = "frame";  what.prompt = "prompt-frame";  what.contract = "contract-frame";
//   what.variables = [&](json::Writer& json) { json.member("findings", fenced("findings", text)); };
//   Answer answer = call_model(run, spent, what);
//   if (!answer.error.empty()) ...                     // what the run fails with
//
// The variables data_rule and shape (the form of the answer, from its contract) are always given. Between two attempts
// a note `retry` is written; where the provider asked to be left alone for a while, the second one waits
// as long, and is not made where that is too long. Nothing is asked that neither the budget nor the model's window
// holds, and each call is watched (call_monitor.hpp).
//
// A call has two limits: between tokens, and in all. Those that the run's input says for a phase (`call_limits`, which
// the host's flags, variables and plumb.yaml give) go before those of the pipeline.
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

// Of a call, in milliseconds; 0: not said.
struct CallLimits {
  std::uint64_t idle_ms = 0;  // between tokens, once the first has come
  std::uint64_t total_ms = 0;
  static std::span<const json::Field> fields();
};

// Tokens that the replies so far have cost.
struct Spent {
  std::uint64_t tokens = 0;
  void add(const run::Reply& reply);
};

// `retry`: of a call that is made once more.
struct RetryNote {
  std::string phase, error;
  std::uint64_t wait_ms = 0;
  static std::span<const json::Field> fields();
};

// The longest wait that a provider may ask for before a call is made once more.
inline constexpr std::uint64_t retry_wait_ms_max = 300'000;

struct ModelCall {
  std::string_view phase;          // of native/provider/profile.hpp: who is asked
  std::string_view role;           // which role asks, where a phase serves several; or empty
  std::string_view prompt;         // a pin
  std::string_view contract;       // a pin, of the answer; empty: it is free
  std::string_view provider = {};  // of those that the run is pinned to beside its phase's; empty: the phase's
  std::string_view further = {};   // messages after those of the prompt: members of a JSON array
  std::string_view tools = {};     // that the model may call: a JSON array
  std::string_view shape_of;       // a pin: whose form is told, where it is not the answer's
  std::string_view shape;          // the form, where it was written before
  std::string_view early_stop = "degenerate";
  std::uint64_t deadline_ms = 0;          // in all
  std::uint64_t idle_ms = 0;              // between tokens; 0: the provider's own
  std::uint64_t output_tokens_min = 0;    // what the answer takes at least, as far as is known
  std::uint64_t output_tokens_usual = 0;  // what it may take, where the prompt says less and the budget has it
  std::uint64_t token_budget = 0;         // of the run; 0: not bounded here
  bool free = false;                      // the phase's provider costs no tokens
  bool bolder = false;                    // the last answer to this prompt did not help
  bool again = false;                     // the answer before this one could not be used
  bool checkpoints = false;               // it is a turn of a conversation that goes on in a fresh one where it fills
  bool only_noted = false;                // what its signals call for is up to who calls
  // Members of the variables and of `task` (for the provider without a model), written into open objects.
  std::function<void(json::Writer&)> variables = {};
  std::function<void(json::Writer&)> task = {};
};

struct Answer {
  const run::Reply* reply = nullptr;
  std::string text;     // of an ok reply; may be empty where tools are called
  std::string stopped;  // why our side ended it, or empty
  std::string error;    // what the run fails with, where there is no text
  bool cancelled = false;
  bool outage = false;    // the error is of the world: a provider that is down, refuses, or takes too long
  bool at_limit = false;  // the answer ended at its limit of tokens
  // over_budget or over_window: nothing was asked, because the run's budget or the model's window does not hold it.
  Reason reason = Reason::none;
  Checkpoint checkpoint = Checkpoint::none;
};

Answer call_model(run::Run& run, Spent& spent, const ModelCall& asked);

// Only the request of such a call, for who asks many side by side; the budget is not looked at.
run::Data model_request(const run::Run& run, const ModelCall& asked);

// The limits of a phase, as the input of the run says, else these.
CallLimits limits_of(const run::Run& run, std::string_view phase, CallLimits usual);

// A prompt that the run is pinned to.
Prompt pinned_prompt(const run::Run& run, std::string_view name);
// The form of an answer, as models are told it.
std::string shape_text(const contract::Contract& contract);
// What a model wrote as one strict JSON text, after the edits that are certain; empty where it is none.
std::string strict_json(const contract::Contract& contract, std::string_view text);

}  // namespace plumb::pipelines
