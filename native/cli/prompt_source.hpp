// Where prompts come from: --prompts DIR, else PLUMB_PROMPTS, else `prompts:` in plumb.yaml, else what is built in.
//
// A directory holds NAME.md files; a prompt that it does not have is the built-in one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/provider/choice.hpp"

namespace plumb::cli {

struct PromptSource {
  std::string directory;  // empty: built in
  std::string said_by;    // "--prompts", "PLUMB_PROMPTS", "plumb.yaml"; empty where nobody said
};

// `configured`: from plumb.yaml, or empty. The error: a directory that is none.
Result<PromptSource> prompt_source(const Arguments& arguments, const std::string& configured);

// The directory's own text of a prompt (not_found where it has none), or the built-in one.
Result<std::string> prompt_text(const PromptSource& source, std::string_view name);
// "DIR/NAME.md", or "built in".
std::string prompt_file(const PromptSource& source, std::string_view name);
// Names of all prompts, those of the directory too, sorted.
std::vector<std::string> prompt_names(const PromptSource& source);

// What pipelines take their texts from. `artifacts`: types of artifacts and the files of their contracts.
pipelines::Texts pipeline_texts(const PromptSource& source, std::vector<std::pair<std::string, std::string>> artifacts,
                                const std::vector<provider::Choice>& choices);
// The same by the arguments and plumb.yaml.
Result<pipelines::Texts> pipeline_texts(const Arguments& arguments, const std::vector<provider::Choice>& choices);

OptionSpec prompts_option();

}  // namespace plumb::cli
