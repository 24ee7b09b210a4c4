// One model call of a run: its prompt rendered, within the tokens that the run may spend, and made once more where the
// world failed. What pipelines ask models with.
//
//   Spent spent;
//   Answer answer = call_model(run, spent, {.phase = "plan", .prompt = &prompt, .contract = "contract-plan", ...});
//   if (!answer.error.empty()) ...                     // what the run fails with
//
// Between two attempts a note `retry` {phase, error} is written. Nothing is asked that the budget does not hold.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines {

// Tokens that the replies so far have cost.
struct Spent {
  std::uint64_t tokens = 0;
  void add(const run::Reply& reply);
};

struct ModelCall {
  std::string_view phase;  // of native/provider/profile.hpp: who is asked
  std::string_view role;   // which role asks, where a phase serves several; or empty
  const Prompt* prompt = nullptr;
  std::string_view contract;  // a pin
  std::string_view early_stop = "degenerate";
  std::uint64_t deadline_ms = 0;
  std::uint64_t output_tokens_min = 0;  // what the answer takes at least, as far as is known
  std::uint64_t token_budget = 0;
  bool free = false;    // the phase's provider costs no tokens
  bool bolder = false;  // the last answer to this prompt did not help
  // Members of the variables and of `task`, written into open objects.
  std::function<void(json::Writer&)> variables = {};
  std::function<void(json::Writer&)> task = {};
};

struct Answer {
  const run::Reply* reply = nullptr;
  std::string text;     // of an ok reply
  std::string stopped;  // why our side ended it, or empty
  std::string error;    // what the run fails with, where there is no text
  bool cancelled = false;
};

Answer call_model(run::Run& run, Spent& spent, const ModelCall& what);

// A prompt that the run is pinned to.
Prompt pinned_prompt(const run::Run& run, std::string_view name);

// Where texts come from: the host's own, else the built-in one, else an error `not_found`.
struct Texts;
Result<std::string> contract_text(const Texts& texts, std::string_view name);
Result<std::string> prompt_text(const Texts& texts, std::string_view name);

}  // namespace plumb::pipelines
