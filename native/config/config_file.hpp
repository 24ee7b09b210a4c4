// plumb.yaml: which contract a file has.
//
//   contracts:
//     - files: artifacts/quiz-*.json          # a glob, or a list of globs; '!GLOB' takes files out again
//       contract: quiz                        # a built-in contract or a file
//       context: sources/biology.json         # optional
//   documents:                                # what contracts refer to by URI
//     https://example.org/card.json: schemas/card.json
//   prompts: my-prompts                       # a directory of prompts, NAME.md each
//   artifacts:                                # types of artifacts of your own, and their contracts
//     poem: contracts/poem.json
//   fail_on: warning                          # error, warning, info, never
//   format: text
//   store: state/runs.db                      # where runs are kept
//   runs: {keep: 30d, stop_grace: 5s}         # how long they are kept, and calls waited for: docs/server.md
//   providers:                                # who is asked: docs/providers.md
//     default: ollama/qwen3:8b
//     judge: openai/gpt-4o                    # a phase
//     openai: {key_file: ~/openai.key}        # a provider's settings
//   limits:                                   # of model calls: docs/providers.md
//     idle: 90s                               # between tokens
//     generate: {total: 30m}                  # a phase
//   commands: {test: {run: [make, test]}}     # that runs may name: docs/work.md
//   repositories: {here: .}                   # that runs may work on
//   workflow: {gates: [...]}                  # what work is held to: workflow_section.hpp
//   budget:                                   # docs/budget.md
//     models: models.json                     # a registry
//     policy: {retries: {over: 2, response: pause}}
//     thresholds: {pause_percent: 80}
//   events: {nats: "nats://HOST:4222"}        # what is told of runs: events_section.hpp
//   judge: {max_false_accept: 0.1}            # what the judge must have shown: judge_section.hpp
//   gates: observe                            # at boundaries; or {observe: [RULE, BOUNDARY]}
//   proxy: {...}                              # docs/proxy.md
//   mcp: {...}                                # docs/mcp.md
//
// Commands, repositories, addresses and names of keys only propose where the file was found, not named: trust.hpp.
// Paths and globs are relative to the file. The first entry that matches decides. An unknown key is an error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "native/base/glob.hpp"
#include "native/command/declared_command.hpp"
#include "native/config/events_section.hpp"
#include "native/config/judge_section.hpp"
#include "native/config/workflow_section.hpp"
#include "native/provider/settings.hpp"

namespace plumb {

struct ContractEntry {
  std::vector<Glob> globs;
  std::vector<Glob> except;  // of '!GLOB'
  std::string contract;      // a built-in's name, or a path that works from the working directory
  std::string context;       // a path, or empty
  std::size_t line = 0;      // of the entry
};

struct ConfigFile {
  std::string path;       // as it is shown
  std::string directory;  // absolute, with a `/` at its end
  std::vector<ContractEntry> contracts;
  std::vector<std::pair<std::string, std::string>> documents;  // URI and path
  std::string prompts;                                         // a directory, or empty
  std::vector<std::pair<std::string, std::string>> artifacts;  // type and path
  std::string fail_on;
  std::string format;
  std::string store;                // a path that works from the working directory, or empty
  std::string runs_keep;            // as it was said, or empty
  std::string runs_stop_grace;      // likewise
  std::string models;               // a registry of models, or empty
  std::string risk_policy;          // as JSON, or empty
  std::string pressure_thresholds;  // likewise
  provider::ConfiguredProviders providers;
  std::vector<provider::SourcedMember> limits;  // "idle", "total", "generate.idle" -> "90s"
  std::vector<command::DeclaredCommand> commands;
  std::vector<std::pair<std::string, std::string>> repositories;  // name and absolute folder
  WorkflowSection workflow;
  EventsSection events;
  judge::JudgeLimits judge;
  std::vector<std::string> observe;  // rules and boundaries that are only observed; "*": all
  struct Proposal {
    std::string name;  // "commands.test", "providers.openai.base_url"
    std::string text;  // what is proposed, for people and for the hash
    std::size_t line = 0;
  };
  std::vector<Proposal> proposals;  // what holds only once the host's owner has said so
  bool has_proxy = false;
  std::string text;  // of the whole file: `proxy` and `mcp` are read by native/proxy and native/mcp

  // The index of the entry for a file, given absolute without `.` and `..`.
  std::optional<std::size_t> entry_for(std::string_view absolute) const;
};

// Reads that file. Errors carry file, line and column.
Result<ConfigFile> read_config_file(const std::string& path);
// Reads this text as the content of that file.
Result<ConfigFile> read_config_text(const std::string& path, const std::string& text);
// The nearest plumb.yaml (or plumb.yml) in the working directory and those above it; empty when there is none.
// `from`: a folder in place of the working directory.
std::string find_config_file(const std::string& from = {});

// Absolute, without `.`, `..` and repeated slashes; links are left as they are.
std::string absolute_path(std::string_view path);

}  // namespace plumb
