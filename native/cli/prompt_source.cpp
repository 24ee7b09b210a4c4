#include "native/cli/prompt_source.hpp"

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
#include "native/base/file_bytes.hpp"
#include "native/cli/call_limits.hpp"
#include "native/cli/model_registry.hpp"
#include "native/cli/store_file.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/config/config_file.hpp"
#include "native/host/measured_judges.hpp"
#include "native/store/nats/nats_address.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t contract_bytes_max = 16U << 20U;

// No store yet: nothing was measured. A store that cannot be read is told of when the run is to be kept in it.
std::optional<judge::Measured> measured_in_store(const Arguments& arguments, const judge::JudgeKey& key) {
  const Result<std::string> file = store_file(arguments);
  if (!file || arguments.text("--store") == "none" ||
      (!store::is_nats_address(file.value()) && ::access(file.value().c_str(), F_OK) != 0)) {
    return std::nullopt;
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store) {
    return std::nullopt;
  }
  const Result<std::optional<judge::Measured>> found = host::measured_judge(*store.value(), key);
  return found ? found.value() : std::nullopt;
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
  if (out.said_by.empty()) {
    return out;
  }
  struct stat status {};
  if (::stat(out.directory.c_str(), &status) != 0) {
    return Error{ErrorCode::not_found, "no such directory of prompts (" + out.said_by + "): " + reason_of(errno),
                 out.directory, 0, 0};
  }
  if (!S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::invalid_argument,
                 "is not a directory (" + out.said_by + "): prompts are files NAME.md in a directory", out.directory, 0,
                 0};
  }
  return out;
}

pipelines::Texts pipeline_texts(const PromptSource& source, std::vector<std::pair<std::string, std::string>> artifacts,
                                const std::vector<provider::Choice>& choices) {
  pipelines::Texts texts;
  texts.prompt = [source](std::string_view name) { return prompt_text(source, name); };
  texts.prompt_file = [source](std::string_view name) { return prompt_file(source, name); };
  texts.contract = [artifacts = std::move(artifacts)](std::string_view name) -> Result<std::string> {
    for (const auto& [type, file] : artifacts) {
      if (type == name) {
        return read_file(file, contract_bytes_max);
      }
    }
    if (const contract::BuiltIn* built_in = pipelines::known_contract(name)) {
      return std::string(built_in->text);
    }
    return Error{ErrorCode::not_found, "there is no contract of this name", std::string(name), 0, 0};
  };
  for (const provider::Choice& choice : choices) {
    texts.providers.emplace_back(choice.phase, choice.said.text);
  }
  return texts;
}

Result<pipelines::Texts> pipeline_texts(const Arguments& arguments, const std::vector<provider::Choice>& choices) {
  ConfigFile config;
  const std::string path =
      arguments.has("--config") ? arguments.text("--config") : find_config_file(arguments.config_folder());
  if (!path.empty()) {
    Result<ConfigFile> read = read_config_file(path);
    if (!read) {
      return read.error();
    }
    config = std::move(read).value();
  }
  const Result<PromptSource> prompts = prompt_source(arguments, config.prompts);
  if (!prompts) {
    return prompts.error();
  }
  pipelines::Texts texts = pipeline_texts(prompts.value(), config.artifacts, choices);
  json::Writer json(texts.monitor);
  json.begin_object();
  if (!config.risk_policy.empty()) {
    json.key("policy").raw(config.risk_policy);
  }
  if (!config.pressure_thresholds.empty()) {
    json.key("thresholds").raw(config.pressure_thresholds);
  }
  json.end_object();
  Result<ModelRegistry> models = model_registry(arguments, config.models);
  if (!models) {
    return models.error();
  }
  texts.models = std::move(models.value().json);
  Result<std::vector<pipelines::PhaseLimits>> limits =
      call_limits(arguments, provider::variables_of_process(), config.limits);
  if (!limits) {
    return limits.error();
  }
  texts.limits = std::move(limits).value();
  texts.judge = config.judge;
  texts.observe = config.observe;
  texts.measured = [arguments](const judge::JudgeKey& key) { return measured_in_store(arguments, key); };
  return texts;
}

}  // namespace plumb::cli
