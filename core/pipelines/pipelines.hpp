// The table of built-in pipelines: how to prepare a run of each from a request, and how to show its journal. Hosts
// (the command, the server, the module) know pipelines only through this table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/value.hpp"
#include "core/judge/measure.hpp"
#include "core/result.hpp"
#include "core/run/machine.hpp"

namespace plumb::pipelines {

// The host's limits for the calls of a phase, in milliseconds; 0: not set.
struct PhaseLimits {
  std::string phase;
  std::uint64_t idle_ms = 0;
  std::uint64_t total_ms = 0;
};

// The host's texts and settings. Contracts and prompts are found by name; an error says where they were looked for. A
// function that is not set means that the built-in copies are used.
struct Texts {
  using Find = std::function<Result<std::string>(std::string_view name)>;
  Find contract;
  Find prompt;
  // The file of a prompt, for errors: "prompts/artifact-plan-quiz.md".
  std::function<std::string(std::string_view name)> prompt_file;
  // True if a root of files is declared where the run will be driven. If not set, this is unknown, and every root is
  // accepted.
  std::function<Result<bool>(std::string_view name)> root;
  // The settings of the call monitor, from `budget` in plumb.yaml: {"policy", "thresholds"}; empty: the defaults.
  std::string monitor;
  // The registry of models, which is searched for windows before the built-in one: a list, as in docs/budget.md.
  std::string models;
  // Phase and provider, such as "judge" and "ollama/qwen3:8b", if the host knows them. They override a request's.
  std::vector<std::pair<std::string, std::string>> providers;
  // Further providers that a request may name, such as "ollama/qwen3:8b".
  std::vector<std::string> also;
  // The host's declaration of a command, as a JSON object; an error if there is none with this name. `repository` may
  // declare commands of its own; empty: those for all repositories. If not set, no command is known.
  std::function<Result<std::string>(std::string_view name, std::string_view repository)> command;
  // The host's declarations for workflows in the repository with this name, as one JSON object
  // (native/workflow/declared.hpp).
  Find workflow;
  // The newest measurement of a judge for this key; nothing if there is none. If not set, no judge was measured.
  std::function<std::optional<judge::Measured>(const judge::JudgeKey& key)> measured;
  // `judge` in plumb.yaml: what an artifact needs to count as verified.
  judge::JudgeLimits judge;
  // `gates: observe` in plumb.yaml: the rules and boundaries that are only observed; "*" is all.
  std::vector<std::string> observe = {};
  // Limits for the calls of each phase. They override the pipeline's, but not the request's.
  std::vector<PhaseLimits> limits;
};

// Everything that a run needs to begin: Machine::start(pipeline, id, input, pins, ...).
struct Prepared {
  run::Data input;
  run::Pins pins;
  // Runs with the same fingerprint do the same; while one is active, no second one begins. 64 hexadecimal digits.
  std::string fingerprint;
};

// A line for people about the progress of a run, without its time: "  → Step 1: Structural validation...".
struct LogLine {
  std::uint64_t entry = 0;  // the number of the journal entry that it describes
  std::uint64_t at_ms = 0;
  std::string text;
};

struct Known {
  run::Pipeline pipeline;
  std::string_view purpose;  // one sentence
  Result<Prepared> (*prepare)(const json::Value& request, const Texts& texts) = nullptr;
  // The state and results of the run, as one JSON object; for an artifact {"job_id", "status", "progress", ...}.
  std::string (*view)(const run::Journal& journal) = nullptr;
  // The lines for entries from number `from` on.
  std::vector<LogLine> (*log)(const run::Journal& journal, std::uint64_t from) = nullptr;
  // The effects that it may ask for. A host that cannot fulfil them all does not begin it.
  run::Effects needs = {};
};

std::span<const Known> known_pipelines();
// nullptr if there is no pipeline with this name.
const Known* known_pipeline(std::string_view name);

// A log line with ASCII symbols, for terminals without UTF-8: "✅" becomes "[ok]", "→" becomes "->".
std::string ascii_line(std::string_view text);

}  // namespace plumb::pipelines
