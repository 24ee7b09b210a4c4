#include "native/config/config_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/contract/contract.hpp"
#include "native/base/duration.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/near_miss.hpp"
#include "native/base/yaml_json.hpp"
#include "native/base/yaml_reading.hpp"
#include "native/config/gates_section.hpp"
#include "native/config/setting_table.hpp"

namespace plumb {

namespace {

constexpr std::uint64_t config_bytes_max = 1U << 20;
constexpr std::size_t levels_up_max = 256;
constexpr std::size_t also_max = 100;

// A directory with its `/`, from a path to a file in it.
std::string directory_of(const std::string& absolute) { return absolute.substr(0, absolute.rfind('/') + 1); }

// The path to `target` as it is shown: relative to the working directory where it lies below it.
std::string shown_path(const std::string& absolute) {
  std::string here = absolute_path(".");
  if (here != "/") {
    here += '/';
  }
  return absolute.starts_with(here) ? absolute.substr(here.size()) : absolute;
}

struct ConfigReader : YamlReading {
  ConfigFile& config;

  // A path in the file, as it works from the working directory.
  std::string resolved(const std::string& path) const {
    return shown_path(path.front() == '/' ? absolute_path(path) : absolute_path(config.directory + path));
  }

  std::optional<Error> glob(const YAML::Node& node, ContractEntry& entry) const {
    std::string pattern;
    if (std::optional<Error> error = text(node, "files", pattern)) {
      return error;
    }
    const bool taken_out = !pattern.empty() && pattern.front() == '!';
    Result<Glob> read = Glob::read(std::string_view(pattern).substr(taken_out ? 1 : 0));
    if (!read) {
      return at(node.Mark(), read.error().message);
    }
    (taken_out ? entry.except : entry.globs).push_back(std::move(read).value());
    return std::nullopt;
  }

  std::optional<Error> contract_entry(const YAML::Node& node) {
    ContractEntry entry;
    entry.line = static_cast<std::size_t>(node.Mark().line) + 1;
    if (!node.IsMap()) {
      return at(node.Mark(),
                "an entry of 'contracts' must be a map with 'files' and 'contract', not " + yaml_kind(node));
    }
    if (std::optional<Error> error =
            only_keys(node, keys_below(config_settings(), "contracts[]"), " in an entry of 'contracts'")) {
      return error;
    }
    if (!node["files"]) {
      return at(node.Mark(), "this entry of 'contracts' has no 'files': give it a glob");
    }
    if (!node["contract"]) {
      return at(node.Mark(), "this entry of 'contracts' has no 'contract': give it a name or a file");
    }
    const YAML::Node files = node["files"];
    if (files.IsSequence()) {
      if (files.size() == 0) {
        return at(files.Mark(), "'files' is an empty list");
      }
      for (const YAML::Node& one : files) {
        if (std::optional<Error> error = glob(one, entry)) {
          return error;
        }
      }
    } else if (std::optional<Error> error = glob(files, entry)) {
      return error;
    }
    if (entry.globs.empty()) {
      return at(files.Mark(), "'files' only takes files out: give it a glob without '!' too");
    }
    if (std::optional<Error> error = text(node["contract"], "contract", entry.contract)) {
      return error;
    }
    if (contract::built_in_contract(entry.contract) == nullptr) {
      const std::string path = resolved(entry.contract);
      if (::access(path.c_str(), F_OK) != 0) {
        std::vector<std::string_view> names;
        for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
          names.push_back(built_in.name);
        }
        return at(node["contract"].Mark(), "'" + entry.contract + "' is neither a built-in contract nor a file (" +
                                               path + ")" + did_you_mean(entry.contract, names));
      }
      entry.contract = path.find('/') == std::string::npos ? "./" + path : path;
    }
    if (node["context"]) {
      if (std::optional<Error> error = text(node["context"], "context", entry.context)) {
        return error;
      }
      entry.context = resolved(entry.context);
    }
    config.contracts.push_back(std::move(entry));
    return std::nullopt;
  }

  void propose(std::string name, std::string what, const YAML::Node& node) {
    config.proposals.push_back({std::move(name), std::move(what), static_cast<std::size_t>(node.Mark().line) + 1});
  }

  std::optional<Error> commands(const YAML::Node& node) {
    Result<std::vector<command::DeclaredCommand>> read = command::read_commands(file, node);
    if (!read) {
      return read.error();
    }
    config.commands = std::move(read).value();
    for (const command::DeclaredCommand& one : config.commands) {
      propose("commands." + one.name, command::command_text(one), node[one.name]);
    }
    return std::nullopt;
  }

  std::optional<Error> repositories(const YAML::Node& node) {
    if (!node.IsMap()) {
      return at(node.Mark(), "'repositories' must be a map from a name to a folder, not " + yaml_kind(node));
    }
    for (const auto& member : node) {
      std::string name;
      std::string folder;
      if (std::optional<Error> error = text(member.first, "repositories", name)) {
        return error;
      }
      if (std::optional<Error> error = text(member.second, name, folder)) {
        return error;
      }
      config.repositories.emplace_back(name, absolute_path(resolved_home(folder)));
      propose("repositories." + name, config.repositories.back().second, member.second);
    }
    return std::nullopt;
  }

  provider::SourcedText said(const YAML::Node& node) const {
    const Error place = at(node.Mark(), "");
    return {node.IsScalar() ? node.Scalar() : std::string(), file, place.line, place.column};
  }

  // A phase's choice. The path of a recording is relative to this file, as all paths in it.
  std::optional<Error> provider_choice(const std::string& key, const YAML::Node& node) {
    std::string chosen;
    if (std::optional<Error> error = text(node, key, chosen)) {
      return error;
    }
    provider::SourcedText choice = said(node);
    constexpr std::string_view replay = "replay/";
    if (choice.text.starts_with(replay) && choice.text.size() > replay.size()) {
      choice.text = std::string(replay) + resolved(choice.text.substr(replay.size()));
    }
    config.providers.choices.emplace_back(key, std::move(choice));
    return std::nullopt;
  }

  std::optional<Error> provider_settings(const std::string& key, const YAML::Node& name, const YAML::Node& node) {
    if (std::optional<Error> error = only_keys(node, keys_below(provider::provider_settings(), "providers.PROVIDER"),
                                               " in the settings of '" + key + "'")) {
      return error;
    }
    provider::ConfiguredProviders::Entry entry;
    entry.name = key;
    entry.place = said(name);
    for (const auto& member : node) {
      std::string value;
      if (std::optional<Error> error = text(member.second, member.first.Scalar(), value)) {
        return error;
      }
      entry.members.emplace_back(member.first.Scalar(), said(member.second));
      const std::string& member_name = member.first.Scalar();
      if (member_name == "key_file") {
        entry.members.back().second.text = resolved_home(value);
      }
      if (member_name == "key_file" || member_name == "key_env" || member_name == "base_url") {
        propose("providers." + key + "." + member_name, entry.members.back().second.text, member.second);
      }
    }
    config.providers.entries.push_back(std::move(entry));
    return std::nullopt;
  }

  std::string resolved_home(const std::string& path) const {
    const char* home = std::getenv("HOME");
    return path.starts_with("~/") && home != nullptr ? home + path.substr(1) : resolved(path);
  }

  std::optional<Error> providers(const YAML::Node& node) {
    if (!node.IsMap()) {
      return at(node.Mark(),
                "'providers' must be a map from 'default' or a phase to a provider, and from a provider to its "
                "settings, not " +
                    yaml_kind(node));
    }
    std::vector<std::string> seen;
    std::vector<std::string_view> known = provider::phase_names();
    known.push_back("default");
    known.push_back("also");
    for (const auto& member : node) {
      if (!member.first.IsScalar()) {
        return at(member.first.Mark(), "a key must be a text");
      }
      const std::string key = member.first.Scalar();
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
        return at(member.first.Mark(), "the key '" + key + "' is there twice");
      }
      seen.push_back(key);
      const bool phase = std::find(known.begin(), known.end(), key) != known.end();
      if (key == "also") {
        if (std::optional<Error> error = also(member.second)) {
          return error;
        }
      } else if (member.second.IsMap() && !phase) {
        if (std::optional<Error> error = provider_settings(key, member.first, member.second)) {
          return error;
        }
      } else if (phase) {
        if (std::optional<Error> error = provider_choice(key, member.second)) {
          return error;
        }
      } else if (provider::known_provider(key) != nullptr) {
        return at(member.second.Mark(),
                  "the settings of '" + key + "' must be a map, not " + yaml_kind(member.second) +
                      "; to choose it, write 'default: " + std::string(provider::known_provider(key)->form) + "'");
      } else {
        return at(member.first.Mark(),
                  "there is no phase '" + key + "'" + did_you_mean(key, known) + "; phases are " + listed(known));
      }
    }
    return std::nullopt;
  }

  // Those that a request may name beside its phase's.
  std::optional<Error> also(const YAML::Node& node) {
    if (!node.IsSequence() || node.size() > also_max) {
      return at(node.Mark(),
                "'also' must be a list of at most " + std::to_string(also_max) + " providers, not " + yaml_kind(node));
    }
    for (const YAML::Node& one : node) {
      std::string chosen;
      if (std::optional<Error> error = text(one, "also", chosen)) {
        return error;
      }
      config.providers.also.push_back(said(one));
    }
    return std::nullopt;
  }

  std::optional<Error> budget(const YAML::Node& said) {
    if (!said.IsMap()) {
      return at(said.Mark(), "'budget' must be a map with models, policy or thresholds, not " + yaml_kind(said));
    }
    if (std::optional<Error> error = only_keys(said, keys_below(config_settings(), "budget"), " in 'budget'")) {
      return error;
    }
    if (said["models"]) {
      if (std::optional<Error> error = text(said["models"], "models", config.models)) {
        return error;
      }
      config.models = resolved(config.models);
    }
    // What they hold is read, and refused, by those who use it.
    config.risk_policy = said["policy"] ? yaml_json(said["policy"]) : "";
    config.pressure_thresholds = said["thresholds"] ? yaml_json(said["thresholds"]) : "";
    return std::nullopt;
  }

  // "idle" and "total", of all phases or of one.
  std::optional<Error> limits(const YAML::Node& node, const std::string& before) {
    if (!node.IsMap()) {
      return at(node.Mark(),
                "'limits' must be a map, such as {idle: 90s, generate: {total: 30m}}, not " + yaml_kind(node));
    }
    for (const auto& member : node) {
      std::string key;
      std::string value;
      if (std::optional<Error> error = text(member.first, "limits", key)) {
        return error;
      }
      if (before.empty() && member.second.IsMap()) {
        if (std::optional<Error> error = limits(member.second, key + ".")) {
          return error;
        }
        continue;
      }
      if (std::optional<Error> error = text(member.second, key, value)) {
        return error;
      }
      const YAML::Mark mark = member.second.Mark();
      config.limits.emplace_back(before + key,
                                 provider::SourcedText{value, config.path, static_cast<std::size_t>(mark.line) + 1,
                                                       static_cast<std::size_t>(mark.column) + 1});
    }
    return std::nullopt;
  }

  std::optional<Error> workflow(const YAML::Node& node) {
    Result<WorkflowSection> read = read_workflow_section(file, node);
    if (!read) {
      return read.error();
    }
    config.workflow = std::move(read).value();
    for (std::size_t i = 0; i < config.workflow.commands.size(); ++i) {
      config.proposals.push_back({"workflow." + config.workflow.commands[i].name,
                                  command::command_text(config.workflow.commands[i]), config.workflow.lines[i].line});
    }
    return std::nullopt;
  }

  // A map to files, of names that are taken as they are.
  std::optional<Error> paths(const YAML::Node& node, const std::string& name, const std::string& what,
                             std::vector<std::pair<std::string, std::string>>& into) {
    if (!node.IsMap()) {
      return at(node.Mark(), "'" + name + "' must be a map from " + what + ", not " + yaml_kind(node));
    }
    for (const auto& member : node) {
      std::string key;
      std::string path;
      if (std::optional<Error> error = text(member.first, name, key)) {
        return error;
      }
      if (std::optional<Error> error = text(member.second, key, path)) {
        return error;
      }
      into.emplace_back(key, resolved(path));
    }
    return std::nullopt;
  }

  std::optional<Error> gates(const YAML::Node& node) {
    const Result<std::vector<std::string>> read = read_gates_section(file, node);
    config.observe = read ? read.value() : std::vector<std::string>();
    return read ? std::nullopt : std::optional<Error>(read.error());
  }

  std::optional<Error> judge(const YAML::Node& node) {
    const Result<judge::JudgeLimits> read = read_judge_section(file, node);
    config.judge = read ? read.value() : judge::JudgeLimits();
    return read ? std::nullopt : std::optional<Error>(read.error());
  }

  std::optional<Error> runs(const YAML::Node& node) {
    if (!node.IsMap()) {
      return at(node.Mark(), "'runs' must be a map with keep or stop_grace, not " + yaml_kind(node));
    }
    if (std::optional<Error> error = only_keys(node, keys_below(config_settings(), "runs"), " in 'runs'")) {
      return error;
    }
    for (const auto& [key, into] :
         {std::pair{"keep", &config.runs_keep}, std::pair{"stop_grace", &config.runs_stop_grace}}) {
      if (!node[key]) {
        continue;
      }
      if (std::optional<Error> error = text(node[key], key, *into)) {
        return error;
      }
      if (const Result<std::uint64_t> read = read_duration(*into); !read) {
        return at(node[key].Mark(), "'" + std::string(key) + "' " + read.error().message);
      }
    }
    return std::nullopt;
  }

  std::optional<Error> contracts(const YAML::Node& node) {
    if (!node.IsSequence()) {
      return at(node.Mark(),
                "'contracts' must be a list of entries, each with 'files' and 'contract', not " + yaml_kind(node));
    }
    for (const YAML::Node& one : node) {
      if (std::optional<Error> error = contract_entry(one)) {
        return error;
      }
    }
    return std::nullopt;
  }

  std::optional<Error> store(const YAML::Node& node) {
    if (std::optional<Error> error = text(node, "store", config.store)) {
      return error;
    }
    if (config.store.find("://") == std::string::npos) {  // an address is none of a file
      config.store = resolved(config.store);
    }
    return std::nullopt;
  }

  std::optional<Error> document(const YAML::Node& root) {
    if (!root.IsMap() && !root.IsNull()) {
      return at(root.Mark(), "the file must be a map, not " + yaml_kind(root));
    }
    if (std::optional<Error> error = only_keys(root, keys_below(config_settings(), ""), "")) {
      return error;
    }
    config.has_proxy = root.IsMap() && root["proxy"].IsDefined();
    for (const char* section : {"proxy", "mcp", "events"}) {
      if (root.IsMap() && root[section].IsDefined()) {
        propose(section, yaml_json(root[section]), root[section]);
      }
    }
    if (root["commands"]) {
      if (std::optional<Error> error = commands(root["commands"])) {
        return error;
      }
    }
    if (root["repositories"]) {
      if (std::optional<Error> error = repositories(root["repositories"])) {
        return error;
      }
    }
    if (root["events"]) {
      Result<EventsSection> read = read_events_section(file, root["events"]);
      if (!read) {
        return read.error();
      }
      config.events = std::move(read).value();
    }
    if (std::optional<Error> error = root["gates"] ? gates(root["gates"]) : std::nullopt) {
      return error;
    }
    if (std::optional<Error> error = root["judge"] ? judge(root["judge"]) : std::nullopt) {
      return error;
    }
    if (root["workflow"]) {
      if (std::optional<Error> error = workflow(root["workflow"])) {
        return error;
      }
    }
    if (root["contracts"]) {
      if (std::optional<Error> error = contracts(root["contracts"])) {
        return error;
      }
    }
    if (root["documents"]) {
      if (std::optional<Error> error = paths(root["documents"], "documents", "URI to file", config.documents)) {
        return error;
      }
    }
    if (root["prompts"]) {
      if (std::optional<Error> error = text(root["prompts"], "prompts", config.prompts)) {
        return error;
      }
      config.prompts = resolved(config.prompts);
    }
    if (root["artifacts"]) {
      if (std::optional<Error> error =
              paths(root["artifacts"], "artifacts", "type to contract file", config.artifacts)) {
        return error;
      }
    }
    if (root["budget"]) {
      if (std::optional<Error> error = budget(root["budget"])) {
        return error;
      }
    }
    if (root["providers"]) {
      if (std::optional<Error> error = providers(root["providers"])) {
        return error;
      }
    }
    if (root["limits"]) {
      if (std::optional<Error> error = limits(root["limits"], "")) {
        return error;
      }
    }
    if (root["fail_on"]) {
      if (std::optional<Error> error =
              one_of(root["fail_on"], "fail_on", {"error", "warning", "info", "never"}, config.fail_on)) {
        return error;
      }
    }
    if (root["store"]) {
      if (std::optional<Error> error = store(root["store"])) {
        return error;
      }
    }
    if (root["runs"]) {
      if (std::optional<Error> error = runs(root["runs"])) {
        return error;
      }
    }
    if (root["format"]) {
      return one_of(root["format"], "format", {"text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"},
                    config.format);
    }
    return std::nullopt;
  }
};

}  // namespace

std::string absolute_path(std::string_view path) {
  std::string full;
  if (path.empty() || path.front() != '/') {
    char* here = ::getcwd(nullptr, 0);
    full = here == nullptr ? "/" : here;
    std::free(here);
    full += '/';
  }
  full += path;
  std::vector<std::string_view> segments;
  std::size_t from = 0;
  while (from < full.size()) {
    const std::size_t to = std::min(full.find('/', from), full.size());
    const std::string_view segment = std::string_view(full).substr(from, to - from);
    if (segment == "..") {
      if (!segments.empty()) {
        segments.pop_back();
      }
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
    from = to + 1;
  }
  std::string out;
  for (std::string_view segment : segments) {
    out += '/';
    out += segment;
  }
  return out.empty() ? "/" : out;
}

std::optional<std::size_t> ConfigFile::entry_for(std::string_view absolute) const {
  if (!absolute.starts_with(directory)) {
    return std::nullopt;
  }
  const std::string_view relative = absolute.substr(directory.size());
  for (std::size_t i = 0; i < contracts.size(); ++i) {
    const auto matches = [&](const Glob& glob) { return glob.matches(relative); };
    const ContractEntry& entry = contracts[i];
    if (std::any_of(entry.globs.begin(), entry.globs.end(), matches) &&
        std::none_of(entry.except.begin(), entry.except.end(), matches)) {
      return i;
    }
  }
  return std::nullopt;
}

Result<ConfigFile> read_config_file(const std::string& path) {
  const Result<std::string> text = read_file(path, config_bytes_max);
  return text ? read_config_text(path, text.value()) : Result<ConfigFile>(text.error());
}

Result<ConfigFile> read_config_text(const std::string& path, const std::string& text) {
  ConfigFile config;
  config.path = path;
  config.directory = directory_of(absolute_path(path));
  config.text = text;
  const std::optional<Error> wrong = read_yaml(path, config.text, [&](const YAML::Node& root) {
    ConfigReader reader{{path}, config};
    return reader.document(root);
  });
  if (wrong) {
    return *wrong;
  }
  return config;
}

std::string find_config_file(const std::string& from) {
  std::string directory = absolute_path(from.empty() ? "." : from);
  for (std::size_t level = 0; level < levels_up_max; ++level) {
    for (const char* name : {"/plumb.yaml", "/plumb.yml"}) {
      const std::string candidate = (directory == "/" ? "" : directory) + name;
      if (::access(candidate.c_str(), F_OK) == 0) {
        return shown_path(candidate);
      }
    }
    if (directory == "/") {
      break;
    }
    directory.resize(directory.rfind('/'));
    if (directory.empty()) {
      directory = "/";
    }
  }
  return {};
}

}  // namespace plumb
