#include "native/config/workflow_section.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>

#include "core/workflow/plan.hpp"
#include "native/base/duration.hpp"
#include "native/base/yaml_json.hpp"
#include "native/base/yaml_reading.hpp"
#include "native/config/setting_table.hpp"

namespace plumb {

namespace {

constexpr std::size_t texts_max = 200;

// What a gate runs, or what mends for it.
command::DeclaredCommand command_of(const workflow::Gate& gate, const std::string& kind,
                                    const std::vector<std::string>& argv) {
  command::DeclaredCommand out;
  out.name = kind + gate.name;
  out.argv = argv;
  out.env = gate.env;
  out.writable = gate.writable;
  out.shell = gate.shell;
  out.network = gate.network;
  out.repeatable = gate.repeatable;
  out.time_ms = gate.timeout_ms;
  return out;
}

// The node that a JSON Pointer leads to, or the last one on the way.
YAML::Node node_at(YAML::Node node, std::string_view pointer) {
  while (!pointer.empty() && pointer.front() == '/') {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    const std::string word(pointer.substr(1, end - 1));
    pointer.remove_prefix(end);
    YAML::Node next;
    if (node.IsSequence()) {
      const std::size_t index = static_cast<std::size_t>(std::strtoul(word.c_str(), nullptr, 10));
      if (index >= node.size()) {
        return node;
      }
      next.reset(node[index]);
    } else if (node.IsMap() && node[word]) {
      next.reset(node[word]);
    } else {
      return node;
    }
    node.reset(next);
  }
  return node;
}

struct WorkflowReader : YamlReading {
  WorkflowSection& out;

  std::optional<Error> gates(const YAML::Node& node) const {
    Result<workflow::GateList> read = workflow::read_gates(yaml_json(node));
    if (!read) {
      return at(node_at(node, read.error().where).Mark(), read.error().message);
    }
    out.gates = std::move(read).value().gates;
    out.gates_said = true;
    for (const workflow::Gate& one : out.gates) {
      std::size_t line = static_cast<std::size_t>(node.Mark().line) + 1;
      for (const YAML::Node& member : node.IsSequence()    ? node
                                      : node["additional"] ? node["additional"]
                                                           : YAML::Node()) {
        if (member.IsMap() && member["name"] && member["name"].Scalar() == one.name) {
          line = static_cast<std::size_t>(member.Mark().line) + 1;
        }
      }
      for (const auto& [kind, argv] : {std::pair{"gate.", &one.argv}, std::pair{"fix.", &one.fix_argv}}) {
        if (!argv->empty()) {
          out.commands.push_back(command_of(one, kind, *argv));
          out.lines.push_back({kind + one.name, line});
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Error> texts(const YAML::Node& node, const std::string& key, std::vector<std::string>& into) const {
    if (node.IsScalar()) {
      into.push_back(node.Scalar());
      return std::nullopt;
    }
    if (!node.IsSequence() || node.size() > texts_max) {
      return at(node.Mark(), "'" + key + "' must be a list of at most " + std::to_string(texts_max) + " texts, not " +
                                 yaml_kind(node));
    }
    for (const YAML::Node& one : node) {
      if (!one.IsScalar()) {
        return at(one.Mark(), "'" + key + "' must be a list of texts; this is " + yaml_kind(one));
      }
      into.push_back(one.Scalar());
    }
    return std::nullopt;
  }

  std::optional<Error> commands(const YAML::Node& node, std::string_view prefix,
                                std::vector<std::string>* names) const {
    Result<std::vector<command::DeclaredCommand>> read = command::read_commands(file, node, prefix == "developer.");
    if (!read) {
      return read.error();
    }
    for (command::DeclaredCommand& one : read.value()) {
      if (names != nullptr) {
        names->push_back(one.name);
      }
      out.lines.push_back({std::string(prefix) + one.name, static_cast<std::size_t>(node[one.name].Mark().line) + 1});
      one.name = std::string(prefix) + one.name;
      out.commands.push_back(std::move(one));
    }
    return std::nullopt;
  }

  std::optional<Error> while_of(const YAML::Node& node) const {
    if (!node.IsMap()) {
      return at(node.Mark(), "'times' must be a map such as {develop: 10m}, not " + yaml_kind(node));
    }
    if (std::optional<Error> error = only_keys(node, keys_below(config_settings(), "workflow.times"), " in 'times'")) {
      return error;
    }
    for (const auto& member : node) {
      const Result<std::uint64_t> time = member.second.IsScalar()
                                             ? read_duration(member.second.Scalar())
                                             : Result<std::uint64_t>(at(member.second.Mark(), "must be a while"));
      if (!time || time.value() == 0 || time.value() > std::uint64_t{24} * 3'600'000) {
        return at(member.second.Mark(), "'" + member.first.Scalar() + "' must be a while of at most 24h, such as 10m");
      }
      out.times[member.first.Scalar() + "_ms"] = time.value();
    }
    return std::nullopt;
  }

  // Folders of programs go before in the PATH of every gate, setup and developer.
  std::optional<Error> path(const YAML::Node& node) const {
    if (!node) {
      return std::nullopt;
    }
    if (std::optional<Error> error = texts(node, "path", out.path)) {
      return error;
    }
    if (const std::string bad = command::bad_program_folder(out.path); !bad.empty()) {
      return at(node.Mark(), bad);
    }
    for (command::DeclaredCommand& one : out.commands) {
      one.path.insert(one.path.end(), out.path.begin(), out.path.end());
    }
    return std::nullopt;
  }

  std::optional<Error> section(const YAML::Node& node) const {
    if (!node.IsMap()) {
      return at(node.Mark(), "'workflow' must be a map, not " + yaml_kind(node));
    }
    if (std::optional<Error> error = only_keys(node, keys_below(config_settings(), "workflow"), " in 'workflow'")) {
      return error;
    }
    out.there = true;
    if (node["gates"]) {
      if (std::optional<Error> error = gates(node["gates"])) {
        return error;
      }
    }
    if (node["setup"]) {
      YAML::Node map;
      map["setup"] = node["setup"];
      if (std::optional<Error> error = commands(map, "", nullptr)) {
        return error;
      }
    }
    if (node["developers"]) {
      if (std::optional<Error> error = commands(node["developers"], "developer.", &out.developers)) {
        return error;
      }
    }
    for (const auto& [key, into] :
         {std::pair{"caches", &out.caches}, std::pair{"sops", &out.sops}, std::pair{"protected", &out.protect},
          std::pair{"developer_reads", &out.developer_reads}, std::pair{"tests", &out.tests}}) {
      if (node[key]) {
        if (std::optional<Error> error = texts(node[key], key, *into)) {
          return error;
        }
      }
    }
    if (std::optional<Error> error = path(node["path"])) {
      return error;
    }
    out.protect_said = static_cast<bool>(node["protected"]);
    if (node["developer"]) {
      if (std::optional<Error> error = text(node["developer"], "developer", out.developer)) {
        return error;
      }
    }
    if (node["base_failures"]) {
      if (std::optional<Error> error =
              one_of(node["base_failures"], "base_failures", {"refuse", "warn"}, out.base_failures)) {
        return error;
      }
    }
    if (node["on_unverified"]) {
      if (std::optional<Error> error =
              one_of(node["on_unverified"], "on_unverified", {"hold", "pass"}, out.on_unverified)) {
        return error;
      }
    }
    if (node["waivers"]) {
      if (std::optional<Error> error = text(node["waivers"], "waivers", out.waivers)) {
        return error;
      }
      if (const std::string bad = workflow::bad_task_path(out.waivers); !bad.empty()) {
        return at(node["waivers"].Mark(), "'waivers' is a file of the repository, and '" + out.waivers + "' " + bad);
      }
    }
    if (std::optional<Error> error = flag(node["parallel"], "parallel", out.parallel)) {
      return error;
    }
    if (node["protect"]) {
      std::string said;
      if (std::optional<Error> error = one_of(node["protect"], "protect", {"warn", "strict"}, said)) {
        return error;
      }
      out.strict = said == "strict";
    }
    return node["times"] ? while_of(node["times"]) : std::nullopt;
  }
};

}  // namespace

Result<WorkflowSection> read_workflow_section(const std::string& file, const YAML::Node& node) {
  WorkflowSection out;
  const WorkflowReader reader{{file}, out};
  if (std::optional<Error> error = reader.section(node)) {
    return *error;
  }
  return out;
}

Result<WorkflowSection> read_semspec_gates(const std::string& file, const std::string& text) {
  WorkflowSection out;
  const WorkflowReader reader{{file}, out};
  const std::optional<Error> error = read_yaml(file, text, [&](const YAML::Node& root) -> std::optional<Error> {
    return root.IsMap() && root["gates"] ? reader.gates(root["gates"]) : std::nullopt;
  });
  if (error) {
    return *error;
  }
  return out;
}

}  // namespace plumb
