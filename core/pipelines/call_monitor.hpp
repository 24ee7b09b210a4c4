// The call monitor: budgets every model call of a run before it is made, and monitors it afterwards (seed 004;
// core/budget has the rules).
//
// Before the call: the estimated input and the longest answer must fit in the model's window. If a shorter answer
// makes them fit, that is requested. A call that cannot fit is not made. After the call: a note `model_call` has the
// fill level of the window (by our estimate or the provider's report, whichever is larger), the metrics over the calls
// of this prompt in this part of the run, and the risks with their responses. Then the strongest response is carried
// out:
//
//   log, warn   shown by `plumb runs show` and the page
//   pause       the run waits until it is resumed
//   halt        the run ends
//   escalate    a person is asked whether the run may continue
//
// Pause and escalate are `person` effects with the choices "go on" and "stop" and the signals `resume` and
// `escalation`. Other parts of the run continue meanwhile. A conversation does not wait when its window fills: its
// owner saves a checkpoint and continues in a fresh one (004-29). The run's input has the settings as `monitor`:
// {"windows": {PHASE: TOKENS}, "policy", "thresholds"}. Without it the run is not monitored. A phase that costs no
// tokens never is, and an unknown window calls for nothing.
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

// The estimated tokens of a text of any length. Above 64 KB only some pieces are read, always the same ones.
text::TokenEstimate estimate_of(std::string_view text);

// The window of the phase's model, if the run knows it.
std::optional<std::uint64_t> window_of_phase(const run::Run& run, std::string_view phase);

// The longest answer that fits in the window, up to `wanted` tokens. Nothing if not even `least` tokens fit.
std::optional<std::uint64_t> answer_within(std::optional<std::uint64_t> window, std::uint64_t input_tokens,
                                           std::uint64_t wanted, std::uint64_t least);

struct Monitored {
  std::string_view phase;
  std::string_view prompt;  // name of a pin; the metrics compare calls of one prompt
  std::string_view role = {};
  bool again = false;        // a repeated call: the answer before it could not be used
  bool checkpoints = false;  // if the window calls for a pause, the checkpoint is returned and nobody is asked
  bool only_noted = false;   // nobody is asked and nothing ends; the caller decides
};
// What a full window requires of a conversation.
enum class Checkpoint : std::uint8_t {
  none,
  due,       // above 70 %: save after this turn
  evaluate,  // red: save, and evaluate whether it has progressed since the last one
  at_once,   // critical: save before anything else is done
};
// Call it when the reply is there, before anything else is asked. Returns `none` unless `call.checkpoints`.
Checkpoint monitor_call(run::Run& run, const Monitored& call, const run::Reply& reply);

// The members of a note `model_call`.
struct CallBudget {
  std::uint64_t input_tokens = 0, output_tokens = 0;
  // If the window is known.
  std::optional<std::uint64_t> margin;
  run::Data available;  // a whole number; below 0 if the call does not fit
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
  run::Data context_utilization;  // in percent; null if the window is unknown
  std::optional<std::uint64_t> tokens_per_iteration, iterations_remaining_estimate;
  std::string color;
  bool checkpoint = false;
  std::vector<CallRisk> risks;
  std::string response, goes_on, reason;
  std::string request, answer;  // hashes
  static std::span<const json::Field> fields();
};

// Writes the member `monitor` of a run's input. An error if the host's settings are not valid.
Result<bool> write_monitor(json::Writer& json, const json::Value& providers, const Texts& texts);

// Writes the member `call_limits` of a run's input: the host's limits for the calls of each phase, if it has any.
void write_call_limits(json::Writer& json, const Texts& texts);

// The open questions of a run that waits for a person, oldest first.
struct Question {
  std::string key, text;
};
std::vector<Question> open_questions(const run::Journal& journal);

// A summary for views: {"calls", "responses": {"warn": 2}, "context_utilization", "phase", "open": [{"key",
// "question", "response"}], "notes": [...]}. It has the notes whose response is stronger than `observe`, the newest
// last. Empty if the run is not monitored.
std::string monitored_json(const run::Journal& journal);

}  // namespace plumb::pipelines
