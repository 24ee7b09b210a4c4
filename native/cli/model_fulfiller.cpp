#include "native/cli/model_fulfiller.hpp"

#include <algorithm>
#include <utility>

#include "native/cli/file_bytes.hpp"
#include "native/provider/model_fulfiller.hpp"

namespace plumb::cli {

std::vector<OptionSpec> provider_options() {
  std::vector<OptionSpec> options = {
      {"--provider",
       'p',
       "PROVIDER",
       {},
       "PLUMB_PROVIDER, `providers` in plumb.yaml, else extract",
       "Who is asked: ollama/MODEL, openai/MODEL, anthropic/MODEL, extract, replay/FILE.",
       Completes::nothing,
       false},
  };
  for (const provider::Phase& phase : provider::phases())
    options.push_back({phase.flag, 0, "PROVIDER", {}, "", phase.purpose, Completes::nothing, false});
  return options;
}

Result<Models> models_of(const Arguments& arguments) {
  provider::ChoiceInput input;
  input.variables = provider::variables_of_process();
  if (arguments.has("--provider"))
    input.by_flag.emplace_back("", arguments.text("--provider"));
  for (const provider::Phase& phase : provider::phases()) {
    if (arguments.has(phase.flag))
      input.by_flag.emplace_back(phase.name, arguments.text(phase.flag));
  }
  Result<std::vector<provider::Choice>> choices = provider::choose(input);
  if (!choices)
    return choices.error();
  provider::FulfillerOptions options;
  options.choices = choices.value();
  for (const provider::Choice& choice : options.choices) {
    Result<provider::Settings> settings = provider::read_settings(
        choice.provider, {}, input.variables, [](const std::string& path) { return read_file(path, 65'536); });
    if (!settings)
      return settings.error();
    if (std::none_of(options.settings.begin(), options.settings.end(),
                     [&](const provider::Settings& one) { return one.name == choice.provider; }))
      options.settings.push_back(std::move(settings).value());
  }
  Result<std::unique_ptr<host::Fulfiller>> fulfiller = provider::make_model_fulfiller(std::move(options));
  if (!fulfiller)
    return fulfiller.error();
  return Models{std::move(choices).value(), std::move(fulfiller).value()};
}

Result<std::unique_ptr<host::Fulfiller>> model_fulfiller(const Arguments& arguments) {
  Result<Models> models = models_of(arguments);
  if (!models)
    return models.error();
  return std::move(models.value().fulfiller);
}

}  // namespace plumb::cli
