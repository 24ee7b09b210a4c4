#include "native/cli/provider_setup.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "core/require.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"
#include "native/config/trust.hpp"
#include "native/process/command.hpp"
#include "native/provider/model_fulfiller.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t key_file_bytes_max = std::uint64_t{64} << 10;

// `said_by`: the file, where nobody has named it.
Result<provider::ConfiguredProviders> said_in_config(const Arguments& arguments, ConfigFile& said_by) {
  const std::string path = config_path(arguments);
  if (path.empty()) {
    return provider::ConfiguredProviders{};
  }
  Result<ConfigFile> config = read_config_file(path);
  if (!config) {
    return config.error();
  }
  said_by = arguments.has("--config") ? ConfigFile() : config.value();
  return std::move(config.value().providers);
}

// A command line of several words, a file, or a program of PATH. All else is to be a provider.
bool is_program(const std::string& text, const std::vector<std::string>& providers) {
  if (std::find(providers.begin(), providers.end(), text.substr(0, text.find('/'))) != providers.end()) {
    return false;
  }
  const char* path = std::getenv("PATH");
  return text.find(' ') != std::string::npos ||
         !process::program_path(text, path == nullptr ? std::string_view() : path).empty();
}

}  // namespace

std::vector<OptionSpec> provider_options(std::initializer_list<std::string_view> phases) {
  std::vector<OptionSpec> options = {
      {"--provider",
       0,
       "PROVIDER",
       {},
       "extract",
       "Who is asked: extract (built in, no model), ollama/MODEL, openai/MODEL, anthropic/MODEL, sample/HOW "
       "(made up, see docs/sample-provider.md), replay/FILE, or a name of plumb.yaml. Also PLUMB_PROVIDER and "
       "providers.default in plumb.yaml.",
       Completes::provider,
       false},
  };
  for (const provider::Phase& phase : provider::phases()) {
    if (phases.size() > 0 && std::find(phases.begin(), phases.end(), phase.name) == phases.end()) {
      continue;
    }
    options.push_back({phase.flag, 0, "PROVIDER", {}, "", phase.flag_help, Completes::provider, false});
  }
  return options;
}

OptionSpec record_option() {
  return {"--record",
          0,
          "FILE",
          {},
          "",
          "Append every request and its answer to this file, for --provider replay/FILE. Keys are never in it.",
          Completes::file,
          false};
}

const provider::Settings& ProviderSetup::of(const provider::Choice& choice) const {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const provider::Settings& one) { return one.name == choice.provider; });
  PLUMB_REQUIRE(found != settings.end(), "every provider that is chosen has settings");
  return *found;
}

Result<ProviderSetup> provider_setup(const Arguments& arguments) {
  ConfigFile said_by;
  Result<provider::ConfiguredProviders> said = said_in_config(arguments, said_by);
  if (!said) {
    return said.error();
  }
  provider::ChoiceInput input;
  input.variables = provider::variables_of_process();
  input.config = std::move(said).value();
  if (arguments.has("--provider")) {
    input.by_flag.emplace_back("", arguments.text("--provider"));
  }
  for (const provider::Phase& phase : provider::phases()) {
    if (arguments.has(phase.flag)) {
      input.by_flag.emplace_back(phase.name, arguments.text(phase.flag));
    }
  }
  // What `plumb boundary` calls its judge is the phase `validate`.
  std::vector<std::pair<std::string, std::string>> programs;
  for (const auto& [option, what, phase] :
       {std::tuple{"--judge", "judge", "validate"}, std::tuple{"--revise", "revise", "revise"}}) {
    if (!arguments.has(option)) {
      continue;
    }
    if (is_program(arguments.text(option), provider::provider_names(input.config))) {
      programs.emplace_back(what, arguments.text(option));
    } else {
      input.by_flag.emplace_back(phase, arguments.text(option));
    }
  }
  Result<std::vector<provider::Choice>> choices = provider::choose(input);
  if (!choices) {
    return choices.error();
  }
  Result<std::vector<provider::Choice>> also = provider::choose_also(input);
  if (!also) {
    return also.error();
  }
  ProviderSetup setup;
  setup.programs = std::move(programs);
  setup.choices = std::move(choices).value();
  setup.also = std::move(also).value();
  setup.record = arguments.text("--record");
  const provider::ReadFile read = [](const std::string& path) { return read_file(path, key_file_bytes_max); };
  std::vector<const provider::Choice*> chosen;
  for (const provider::Choice& choice : setup.choices) {
    chosen.push_back(&choice);
  }
  for (const provider::Choice& choice : setup.also) {
    chosen.push_back(&choice);
  }
  for (const provider::Choice* one : chosen) {
    const provider::Choice& choice = *one;
    const bool known = std::any_of(setup.settings.begin(), setup.settings.end(),
                                   [&](const provider::Settings& given) { return given.name == choice.provider; });
    if (known) {
      continue;
    }
    if (std::optional<Error> error = not_trusted(said_by, "providers." + choice.provider + ".")) {
      return *error;
    }
    Result<provider::Settings> settings = provider::read_settings(choice.provider, input.config, input.variables, read);
    if (!settings) {
      return settings.error();
    }
    setup.settings.push_back(std::move(settings).value());
  }
  return setup;
}

namespace {

constexpr int said_level_max = 2;  // --provider-PHASE and --provider

host::Asked asked_of(const provider::Choice& choice, const provider::Settings& settings) {
  host::Asked asked;
  asked.part = choice.phase;
  asked.provider = choice.provider;
  asked.model = choice.model;
  if (settings.known->source == provider::Source::network) {
    const provider::Origin& origin = settings.endpoint.base.origin;
    asked.wire = wire::wire_name(settings.endpoint.wire);
    asked.at = (origin.tls ? "https://" : "http://") + origin.text();
  }
  asked.said = choice.level <= said_level_max;
  asked.flag = asked.said ? choice.level_text : "--provider";
  return asked;
}

}  // namespace

Result<ReadyProviders> ready_providers(const Arguments& arguments, const PhaseNeeds& needs) {
  Result<ProviderSetup> setup = provider_setup(arguments);
  if (!setup) {
    return setup.error();
  }
  ReadyProviders ready;
  ready.choices = setup.value().choices;
  ready.programs = setup.value().programs;
  ready.also = setup.value().also;
  std::vector<provider::Choice> all = ready.choices;
  all.insert(all.end(), ready.also.begin(), ready.also.end());
  for (const provider::Choice& choice : all) {
    const provider::Settings& settings = setup.value().of(choice);
    if (!settings.problem.empty()) {
      return choice.said.refused(settings.problem + " (the phase " + choice.phase + " asks " + choice.said.text +
                                 ", by " + choice.level_text + ")");
    }
    for (const auto& [phase, needed] : needs) {
      if (phase != choice.phase) {
        continue;
      }
      const Result<bool> fits = provider::check_needs(choice, settings.profile(choice.model), needed);
      if (!fits) {
        return fits.error();
      }
    }
    ready.asked_of.push_back(asked_of(choice, settings));
  }
  provider::FulfillerOptions options;
  options.choices = std::move(all);
  options.settings = std::move(setup.value().settings);
  options.record = setup.value().record;
  options.problem = [](std::string_view text) { note(text); };
  Result<std::unique_ptr<host::Fulfiller>> fulfiller = provider::make_model_fulfiller(std::move(options));
  if (!fulfiller) {
    return fulfiller.error();
  }
  ready.fulfiller = std::move(fulfiller).value();
  return ready;
}

}  // namespace plumb::cli
