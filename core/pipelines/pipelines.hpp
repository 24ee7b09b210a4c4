// The pipelines that are built in, as one table: how a run of each is prepared from a request, and what is shown of its
// journal. Hosts (the command, the server, the module) know pipelines only through it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/run/machine.hpp"

namespace plumb::pipelines {

// What the host says of a phase's calls, in milliseconds; 0: nothing.
struct PhaseLimits {
  std::string phase;
  std::uint64_t idle_ms = 0;
  std::uint64_t total_ms = 0;
};

// Where contracts and prompts come from: a name gives a text, or an error that says where it was looked for. Without
// them the built-in copies serve.
struct Texts {
  using Find = std::function<Result<std::string>(std::string_view name)>;
  Find contract;
  Find prompt;
  // Where a prompt comes from, for errors: "prompts/artifact-plan-quiz.md".
  std::function<std::string(std::string_view name)> prompt_file;
  // Whether a root of files is declared where the run will be driven. Without it nobody knows, and all are taken.
  std::function<Result<bool>(std::string_view name)> root;
  // How the calls of a run are watched, as `budget` in plumb.yaml has it: {"policy", "thresholds"}; empty: as usual.
  std::string monitor;
  // The registry of models that windows are looked up in before what is built in: a list, as docs/budget.md has it.
  std::string models;
  // Phase and provider, "judge" and "ollama/qwen3:8b", where the host knows: goes before what a request says.
  std::vector<std::pair<std::string, std::string>> providers;
  // Providers that a request may name beside its phase's, "ollama/qwen3:8b".
  std::vector<std::string> also;
  // What the host declares of a command, as one JSON object; an error where it knows none of this name. A repository
  // may declare some of its own; empty: what the host has for all. Without it no command is known.
  std::function<Result<std::string>(std::string_view name, std::string_view repository)> command;
  // What the host declares of workflows in a repository of this name, as one JSON object
  // (native/workflow/declared.hpp).
  Find workflow;
  // Of the calls of each phase: goes before what the pipeline has, not before what a request says.
  std::vector<PhaseLimits> limits;
};

// All that a run needs to begin: Machine::start(pipeline, id, input, pins, ...).
struct Prepared {
  run::Data input;
  run::Pins pins;
  // Runs of one fingerprint do the same: while one of them is active, no second one is begun. 64 hexadecimal digits.
  std::string fingerprint;
};

// A line for people about what a run does, without its time: "  → Step 1: Structural validation...".
struct LogLine {
  std::uint64_t entry = 0;  // the number of the journal entry that it tells of
  std::uint64_t at_ms = 0;
  std::string text;
};

struct Known {
  run::Pipeline pipeline;
  std::string_view purpose;  // one sentence
  Result<Prepared> (*prepare)(const json::Value& request, const Texts& texts) = nullptr;
  // What the run has come to, as one JSON object: {"job_id", "status", "progress", ...} of an artifact.
  std::string (*view)(const run::Journal& journal) = nullptr;
  // The lines of entries from number `from` on.
  std::vector<LogLine> (*log)(const run::Journal& journal, std::uint64_t from) = nullptr;
  // The effects that it may ask for: a host that lacks one does not begin it.
  run::Effects needs = {};
};

std::span<const Known> known_pipelines();
// nullptr when there is none of this name.
const Known* known_pipeline(std::string_view name);

// The symbols of log lines as ASCII: "✅" is "[ok]", "→" is "->"; for terminals that show no UTF-8.
std::string ascii_line(std::string_view text);

}  // namespace plumb::pipelines
