// Where prompts come from: --prompts DIR, else PLUMB_PROMPTS, else `prompts:` in plumb.yaml, else what is built in.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/config/prompt_folder.hpp"
#include "native/provider/choice.hpp"

namespace plumb::cli {

// `configured`: from plumb.yaml, or empty. The error: a directory that is none.
Result<PromptSource> prompt_source(const Arguments& arguments, const std::string& configured);

// What pipelines take their texts from. `artifacts`: types of artifacts and the files of their contracts.
pipelines::Texts pipeline_texts(const PromptSource& source, std::vector<std::pair<std::string, std::string>> artifacts,
                                const std::vector<provider::Choice>& choices);
// The same by the arguments and plumb.yaml.
Result<pipelines::Texts> pipeline_texts(const Arguments& arguments, const std::vector<provider::Choice>& choices);

OptionSpec prompts_option();

}  // namespace plumb::cli
