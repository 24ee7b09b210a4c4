// Every model call of a run is budgeted before it is made, and watched after it (seed 004; core/budget has the rules).
//
// Before: the input as estimated and the answer at its longest must fit in the model's window; a shorter answer is
// asked for where that makes it fit, and no call is made that cannot. After: a note `model_call` tells how full the
// window was (the larger of our estimate and what the provider reported), the metrics over the calls of this prompt in
// this part of the run, and which risks call for what. And then it is done:
//
//   log, warn   told, in `plumb runs show` and the page
//   pause       the run waits until it is resumed
//   halt        the run ends
//   escalate    a person is asked whether it goes on
//
// Pause and escalate are `person` effects with the choices "go on" and "stop" and the signals `resume` and
// `escalation`: other parts of the run go on meanwhile. A conversation does not wait where its window fills: it is
// checkpointed and goes on in a fresh one (004-29), which is up to who holds it. How a run is watched stands in its
// input as `monitor`
// {"windows": {PHASE: TOKENS}, "policy", "thresholds"}; a run without it is not watched, nor is a phase that costs no
// tokens. A window that nobody knows calls for nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"
#include "core/text/tokens.hpp"

namespace plumb::pipelines {

// The tokens of a text of any length: beyond 64 KB from pieces of it, the same ones always.
text::TokenEstimate estimate_of(std::string_view text);

// The window of the phase's model, where the run knows it.
std::optional<std::uint64_t> window_of_phase(const run::Run& run, std::string_view phase);

// What a call may answer with at most in the phase's window, of `wanted` tokens; nothing where `least` do not fit.
std::optional<std::uint64_t> answer_within(std::optional<std::uint64_t> window, std::uint64_t input_tokens,
                                           std::uint64_t wanted, std::uint64_t least);

struct Monitored {
  std::string_view phase;
  std::string_view prompt;  // a pin: calls of one prompt are compared with each other
  std::string_view role = {};
  bool again = false;        // it was made once more, because the answer before it could not be used
  bool checkpoints = false;  // a window that calls for a pause is told, and nobody is asked
  bool only_noted = false;   // nobody is asked and nothing ends: that is up to who calls
};
// What a full window asks of a conversation.
enum class Checkpoint : std::uint8_t {
  none,
  due,       // above 70 %: after this turn
  evaluate,  // red: and whether it came any further since the last one
  at_once,   // critical: before anything else is done
};
// To be called when the reply is there, before anything else is asked. `none` without `checkpoints`.
Checkpoint monitor_call(run::Run& run, const Monitored& call, const run::Reply& reply);

// What a note `model_call` says.
struct CallBudget {
  std::uint64_t input_tokens = 0, output_tokens = 0;
  // Where the window is known.
  std::optional<std::uint64_t> margin;
  run::Data available;  // a whole number, below 0 where it does not fit
  std::string fit;
  static std::span<const json::Field> fields();
};
struct CallRisk {
  std::string signal, response, explanation;
  static std::span<const json::Field> fields();
};
struct ModelCallNote {
  std::string phase, prompt, role;
  bool again = false;
  std::optional<std::uint64_t> window;
  CallBudget budget;
  std::uint64_t context_tokens_used = 0;
  run::Data context_utilization;  // percent; null: the window is not known
  std::optional<std::uint64_t> tokens_per_iteration, iterations_remaining_estimate;
  std::string color;
  bool checkpoint = false;
  std::vector<CallRisk> risks;
  std::string response, goes_on, reason;
  std::string request, answer;  // hashes
  static std::span<const json::Field> fields();
};

// The member `monitor` of a run's input. An error where the host's settings are none.
Result<bool> write_monitor(json::Writer& json, const json::Value& providers, const Texts& texts);

// The member `call_limits` of a run's input: what the host says of the calls of each phase, where it says something.
void write_call_limits(json::Writer& json, const Texts& texts);

// The questions of a run that waits for a person to let it go on, the oldest first.
struct Question {
  std::string key, text;
};
std::vector<Question> open_questions(const run::Journal& journal);

// What is shown of it: {"calls", "responses": {"warn": 2}, "context_utilization", "phase", "open": [{"key", "question",
// "response"}], "notes": [...]}: notes that call for more than to observe, the newest last. Nothing where nothing is
// watched.
std::string monitored_json(const run::Journal& journal);

}  // namespace plumb::pipelines
