#include "native/config/prompt_folder.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>

#include "core/ascii.hpp"
#include "core/pipelines/prompt.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb {

namespace {

constexpr std::string_view ending = ".md";

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && name.front() != '-' &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return ascii::is_alphanumeric(c) || c == '-' || c == '_'; });
}

}  // namespace

std::string prompt_file(const PromptSource& source, std::string_view name) {
  if (!source.directory.empty() && good_name(name)) {
    std::string file = source.directory + "/" + std::string(name) + std::string(ending);
    if (::access(file.c_str(), F_OK) == 0) {
      return file;
    }
  }
  return "built in";
}

Result<std::string> prompt_text(const PromptSource& source, std::string_view name) {
  const std::string file = prompt_file(source, name);
  if (file != "built in") {
    return read_file(file, pipelines::prompt_bytes_max);
  }
  if (const pipelines::BuiltInPrompt* built_in = pipelines::built_in_prompt(name)) {
    return std::string(built_in->text);
  }
  return Error{ErrorCode::not_found, "there is no prompt of this name; 'plumb prompts list' lists them",
               std::string(name), 0, 0};
}

std::vector<std::string> prompt_names(const PromptSource& source) {
  std::vector<std::string> names;
  for (const pipelines::BuiltInPrompt& one : pipelines::built_in_prompts()) {
    names.emplace_back(one.name);
  }
  if (DIR* directory = source.directory.empty() ? nullptr : ::opendir(source.directory.c_str())) {
    while (const dirent* entry = ::readdir(directory)) {
      const std::string_view file = entry->d_name;
      if (file.size() > ending.size() && file.ends_with(ending) &&
          good_name(file.substr(0, file.size() - ending.size()))) {
        names.emplace_back(file.substr(0, file.size() - ending.size()));
      }
    }
    ::closedir(directory);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace plumb
