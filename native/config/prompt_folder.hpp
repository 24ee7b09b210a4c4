// Prompts of a directory: NAME.md files; a prompt that it does not have is the built-in one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace plumb {

struct PromptSource {
  std::string directory;  // empty: built in
  std::string said_by;    // "--prompts", "PLUMB_PROMPTS", "plumb.yaml"; empty where nobody said
};

// The directory's own text of a prompt (not_found where it has none), or the built-in one.
Result<std::string> prompt_text(const PromptSource& source, std::string_view name);
// "DIR/NAME.md", or "built in".
std::string prompt_file(const PromptSource& source, std::string_view name);
// Names of all prompts, those of the directory too, sorted.
std::vector<std::string> prompt_names(const PromptSource& source);

}  // namespace plumb
