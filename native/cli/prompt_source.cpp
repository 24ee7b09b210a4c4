#include "native/cli/prompt_source.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "core/contract/contract.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipeline_contracts.hpp"
#include "core/pipelines/prompt.hpp"
#include "native/cli/config_file.hpp"
#include "native/cli/file_bytes.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t contract_bytes_max = 16U << 20U;
constexpr std::string_view ending = ".md";

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

}  // namespace

OptionSpec prompts_option() {
  return {"--prompts",
          0,
          "DIR",
          {},
          "PLUMB_PROMPTS, `prompts` in plumb.yaml, else built in",
          "A directory of prompts, NAME.md each; what it does not have is built in.",
          Completes::directory,
          false};
}

Result<PromptSource> prompt_source(const Arguments& arguments, const std::string& configured) {
  PromptSource out;
  const char* variable = std::getenv("PLUMB_PROMPTS");
  if (arguments.has("--prompts")) {
    out = {arguments.text("--prompts"), "--prompts"};
  } else if (variable != nullptr && *variable != '\0') {
    out = {variable, "PLUMB_PROMPTS"};
  } else if (!configured.empty()) {
    out = {configured, "plumb.yaml"};
  }
  if (out.said_by.empty())
    return out;
  struct stat status {};
  if (::stat(out.directory.c_str(), &status) != 0) {
    return Error{ErrorCode::not_found, "no such directory of prompts (" + out.said_by + "): " + reason_of(errno),
                 out.directory, 0, 0};
  }
  if (!S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::invalid_argument,
                 "is no directory (" + out.said_by + "): prompts are files NAME.md in a directory", out.directory, 0,
                 0};
  }
  return out;
}

std::string prompt_file(const PromptSource& source, std::string_view name) {
  if (!source.directory.empty() && good_name(name)) {
    std::string file = source.directory + "/" + std::string(name) + std::string(ending);
    if (::access(file.c_str(), F_OK) == 0)
      return file;
  }
  return "built in";
}

Result<std::string> prompt_text(const PromptSource& source, std::string_view name) {
  const std::string file = prompt_file(source, name);
  if (file != "built in")
    return read_file(file, pipelines::prompt_bytes_max);
  if (const pipelines::BuiltInPrompt* built_in = pipelines::built_in_prompt(name))
    return std::string(built_in->text);
  return Error{ErrorCode::not_found, "there is no prompt of this name; 'plumb prompts list' lists them",
               std::string(name), 0, 0};
}

std::vector<std::string> prompt_names(const PromptSource& source) {
  std::vector<std::string> names;
  for (const pipelines::BuiltInPrompt& one : pipelines::built_in_prompts())
    names.emplace_back(one.name);
  if (DIR* directory = source.directory.empty() ? nullptr : ::opendir(source.directory.c_str())) {
    while (const dirent* entry = ::readdir(directory)) {
      const std::string_view file = entry->d_name;
      if (file.size() > ending.size() && file.substr(file.size() - ending.size()) == ending &&
          good_name(file.substr(0, file.size() - ending.size())))
        names.emplace_back(file.substr(0, file.size() - ending.size()));
    }
    ::closedir(directory);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

pipelines::Texts pipeline_texts(const PromptSource& source, std::vector<std::pair<std::string, std::string>> artifacts,
                                const std::vector<provider::Choice>& choices) {
  pipelines::Texts texts;
  texts.prompt = [source](std::string_view name) { return prompt_text(source, name); };
  texts.prompt_file = [source](std::string_view name) { return prompt_file(source, name); };
  texts.contract = [artifacts = std::move(artifacts)](std::string_view name) -> Result<std::string> {
    for (const auto& [type, file] : artifacts) {
      if (type == name)
        return read_file(file, contract_bytes_max);
    }
    if (const contract::BuiltIn* built_in = pipelines::known_contract(name))
      return std::string(built_in->text);
    return Error{ErrorCode::not_found, "there is no contract of this name", std::string(name), 0, 0};
  };
  for (const provider::Choice& choice : choices)
    texts.providers.emplace_back(choice.phase, choice.said.text);
  return texts;
}

Result<pipelines::Texts> pipeline_texts(const Arguments& arguments, const std::vector<provider::Choice>& choices) {
  ConfigFile config;
  if (const std::string path = find_config_file(); !path.empty()) {
    Result<ConfigFile> read = read_config_file(path);
    if (!read)
      return read.error();
    config = std::move(read).value();
  }
  const Result<PromptSource> prompts = prompt_source(arguments, config.prompts);
  if (!prompts)
    return prompts.error();
  pipelines::Texts texts = pipeline_texts(prompts.value(), config.artifacts, choices);
  json::Writer json(texts.monitor);
  json.begin_object();
  if (!config.risk_policy.empty())
    json.key("policy").raw(config.risk_policy);
  if (!config.pressure_thresholds.empty())
    json.key("thresholds").raw(config.pressure_thresholds);
  json.end_object();
  return texts;
}

}  // namespace plumb::cli
