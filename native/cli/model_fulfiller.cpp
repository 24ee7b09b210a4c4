#include "native/cli/model_fulfiller.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "native/cli/file_bytes.hpp"
#include "native/provider/choice.hpp"
#include "native/provider/model_fulfiller.hpp"

namespace plumb::cli {

Result<std::unique_ptr<host::Fulfiller>> model_fulfiller(const Arguments& /*arguments*/) {
  provider::ChoiceInput input;
  input.variables = provider::variables_of_process();
  Result<std::vector<provider::Choice>> choices = provider::choose(input);
  if (!choices)
    return choices.error();
  provider::FulfillerOptions options;
  options.choices = std::move(choices).value();
  for (const provider::Choice& choice : options.choices) {
    Result<provider::Settings> settings = provider::read_settings(
        choice.provider, {}, input.variables, [](const std::string& path) { return read_file(path, 65'536); });
    if (!settings)
      return settings.error();
    if (std::none_of(options.settings.begin(), options.settings.end(),
                     [&](const provider::Settings& one) { return one.name == choice.provider; }))
      options.settings.push_back(std::move(settings).value());
  }
  return provider::make_model_fulfiller(std::move(options));
}

}  // namespace plumb::cli
