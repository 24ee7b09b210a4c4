// From the command line, the environment and plumb.yaml to providers that can be asked.
//
// A command that asks models adds provider_options() to its table entry, and gets what fulfils its effects with one
// call:
//
//   Result<ReadyProviders> ready = ready_providers(arguments, {{"generate", {.streaming = early_stop_finding}}});
//   if (!ready) return fail(ready.error());                  // says where the mistake is
//   host.run(*ready.value().fulfiller, ...);
//   for (const provider::Choice& choice : ready.value().choices)
//     request["providers"][choice.phase] = choice.said.text;  // "extract", "ollama/qwen3:8b"
//
// The options --config and --no-config are heeded where the command has them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/host/asked_of.hpp"
#include "native/host/fulfil.hpp"
#include "native/provider/choice.hpp"
#include "native/provider/settings.hpp"

namespace plumb::cli {

// --provider, --provider-PHASE for each of these phases; of all where none is named
std::vector<OptionSpec> provider_options(std::initializer_list<std::string_view> phases = {});
// --record
OptionSpec record_option();

struct ProviderSetup {
  std::vector<provider::Choice> choices;     // one for each phase
  std::vector<provider::Choice> also;        // that a request may name
  std::vector<provider::Settings> settings;  // of every provider in `choices`, once
  std::string record;
  // --judge and --revise where they name a program: "judge" or "revise", and its command line.
  std::vector<std::pair<std::string, std::string>> programs;

  const provider::Settings& of(const provider::Choice& choice) const;
};
// Who is chosen, and what is known of them; nothing is asked yet, and a missing key is no error yet.
Result<ProviderSetup> provider_setup(const Arguments& arguments);

using PhaseNeeds = std::vector<std::pair<std::string_view, provider::Needs>>;

struct ReadyProviders {
  std::vector<provider::Choice> choices;
  std::vector<provider::Choice> also;
  host::AskedOf asked_of;  // the same with wire and origin, as runs are pinned to it
  std::unique_ptr<host::Fulfiller> fulfiller;
  std::vector<std::pair<std::string, std::string>> programs;  // ProviderSetup::programs
};
// An error, before anything is asked: a mistake in what was said, a key that is missing, a recording that cannot be
// read, a phase that needs what its provider lacks.
Result<ReadyProviders> ready_providers(const Arguments& arguments, const PhaseNeeds& needs = {});

}  // namespace plumb::cli
