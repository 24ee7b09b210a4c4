#include "native/command/declared_command.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>

#include "core/json/writer.hpp"
#include "core/text/command_words.hpp"
#include "native/base/duration.hpp"
#include "native/base/near_miss.hpp"
#include "native/base/yaml_reading.hpp"
#include "native/command/agent_presets.hpp"

namespace plumb::command {

namespace {

constexpr std::size_t commands_max = 100;
constexpr std::size_t words_max = 200;
constexpr std::size_t name_max = 60;

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= name_max && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

struct CommandReader : YamlReading {
  std::optional<Error> words(const YAML::Node& node, const std::string& key, std::vector<std::string>& into) const {
    if (!node.IsSequence() || node.size() == 0 || node.size() > words_max) {
      return at(node.Mark(),
                "'" + key + "' must be a list of 1 to " + std::to_string(words_max) + " texts, not " + yaml_kind(node));
    }
    for (const YAML::Node& one : node) {
      if (!one.IsScalar()) {
        return at(one.Mark(), "'" + key + "' must be a list of texts; this is " + yaml_kind(one));
      }
      into.push_back(one.Scalar());
    }
    return std::nullopt;
  }

  std::optional<Error> yes(const YAML::Node& node, const std::string& key, bool& into) const {
    std::string said;
    if (std::optional<Error> error = one_of(node, key, {"true", "false"}, said)) {
      return error;
    }
    into = said == "true";
    return std::nullopt;
  }

  // What is run: a list of words, or a text that is taken apart at its blanks; with `shell` the text is the shell's.
  std::optional<Error> run(const YAML::Node& node, DeclaredCommand& out) const {
    if (node.IsSequence()) {
      if (out.shell) {
        return at(node.Mark(), "with 'shell: true', 'run' is one text for /bin/sh");
      }
      if (std::optional<Error> error = words(node, "run", out.argv)) {
        return error;
      }
      return out.argv.front().empty() ? std::optional(at(node.Mark(), "the program has no name")) : std::nullopt;
    }
    std::string line;
    if (std::optional<Error> error = text(node, "run", line)) {
      return error;
    }
    if (out.shell) {
      out.argv = {"/bin/sh", "-c", line};
      return std::nullopt;
    }
    Result<std::vector<std::string>> taken = text::command_words(line);
    if (!taken) {
      return at(node.Mark(), "'run: " + json::excerpt(line, 60) + "': " + taken.error().message);
    }
    out.argv = std::move(taken).value();
    return std::nullopt;
  }

  // What an agent's preset says, before anything else does.
  std::optional<Error> preset(const YAML::Node& node, const std::string& name, DeclaredCommand& out) const {
    if (!node["preset"]) {
      return std::nullopt;
    }
    std::string said;
    if (std::optional<Error> error = one_of(node["preset"], "preset", agent_presets(), said)) {
      return error;
    }
    out = *agent_preset(said);
    out.name = name;
    return std::nullopt;
  }

  bool agents = false;

  std::optional<Error> command(const std::string& name, const YAML::Node& node, DeclaredCommand& out) const {
    out.name = name;
    if (!node.IsMap()) {
      return at(node.Mark(), "a command is a map, such as {run: [make, test]}, not " + yaml_kind(node));
    }
    std::vector<std::string_view> known = keys_below(command_settings(), "commands.NAME");
    if (agents) {
      const auto more = keys_below(command_settings(), "workflow.developers.NAME");
      known.insert(known.end(), more.begin(), more.end());
    }
    if (std::optional<Error> error = only_keys(node, known, " in the command '" + name + "'")) {
      return error;
    }
    if (std::optional<Error> error = preset(node, name, out)) {
      return error;
    }
    if (!node["run"] && out.argv.empty()) {
      return at(node.Mark(), "the command '" + name + "' has no 'run': the program and its words");
    }
    for (const auto& [key, into] : {std::pair{"shell", &out.shell}, std::pair{"network", &out.network},
                                    std::pair{"git", &out.git}, std::pair{"repeatable", &out.repeatable}}) {
      if (node[key]) {
        if (std::optional<Error> error = yes(node[key], key, *into)) {
          return error;
        }
      }
    }
    if (node["run"]) {
      out.argv.clear();
      if (std::optional<Error> error = run(node["run"], out)) {
        return error;
      }
    }
    if (out.argv.empty()) {
      return at(node["run"].Mark(), "the command '" + name + "' has no program in 'run'");
    }
    for (const auto& [key, into] : {std::pair{"env", &out.env}, std::pair{"home", &out.home},
                                    std::pair{"writable", &out.writable}, std::pair{"path", &out.path}}) {
      if (node[key]) {
        into->clear();
        if (std::optional<Error> error = words(node[key], key, *into)) {
          return error;
        }
      }
    }
    if (const std::string bad = bad_program_folder(out.path); !bad.empty()) {
      return at(node["path"].Mark(), bad);
    }
    if (node["time"]) {
      const Result<std::uint64_t> time = node["time"].IsScalar()
                                             ? read_duration(node["time"].Scalar())
                                             : Result<std::uint64_t>(at(node["time"].Mark(), "must be a while"));
      if (!time || time.value() == 0 || time.value() > time_ms_max) {
        return at(node["time"].Mark(), time ? "'time' must be at most 6h" : "'time' " + time.error().message);
      }
      out.time_ms = time.value();
    }
    if (node["processes"]) {
      out.processes_max = node["processes"].as<std::uint64_t>(0);
      if (out.processes_max == 0 || out.processes_max > 100'000) {
        return at(node["processes"].Mark(), "'processes' must be a whole number from 1 to 100000");
      }
    }
    return std::nullopt;
  }
};

void write_words(json::Writer& json, std::string_view name, const std::vector<std::string>& words) {
  json.key(name).begin_array();
  for (const std::string& word : words) {
    json.string(word);
  }
  json.end_array();
}

}  // namespace

std::string bad_program_folder(const std::vector<std::string>& folders) {
  for (const std::string& one : folders) {
    const std::string parts = "/" + one + "/";
    if (one.empty() || one == "." || one.find(':') != std::string::npos || one.find('\0') != std::string::npos ||
        parts.find("/../") != std::string::npos) {
      return "'" + json::excerpt(one, 60) +
             "' is not a folder for PATH: name a folder of the tree (.venv/bin), an absolute one, or one below ~/";
    }
  }
  return {};
}

std::string command_text(const DeclaredCommand& command) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("command", command.name);
  write_words(json, "run", command.argv);
  write_words(json, "env", command.env);
  write_words(json, "home", command.home);
  // Said where it is so: what runs are pinned to stays what it was for the others.
  if (!command.writable.empty()) {
    write_words(json, "writable", command.writable);
  }
  if (!command.path.empty()) {
    write_words(json, "path", command.path);
  }
  if (command.git) {
    json.member_boolean("git", true);
  }
  json.member_boolean("network", command.network).member_boolean("repeatable", command.repeatable);
  json.member_uint("time_ms", command.time_ms).member_uint("processes", command.processes_max).end_object();
  return out;
}

std::string command_pin(std::string_view name) { return "command-" + std::string(name); }

Result<std::vector<DeclaredCommand>> read_commands(const std::string& file, const YAML::Node& node, bool agents) {
  const CommandReader reader{{file}, agents};
  if (!node.IsMap()) {
    return reader.at(
        node.Mark(),
        "'commands' must be a map from a name to what is run, {test: {run: [make, test]}}, not " + yaml_kind(node));
  }
  std::vector<DeclaredCommand> out;
  for (const auto& member : node) {
    const std::string name = member.first.IsScalar() ? member.first.Scalar() : std::string();
    if (!good_name(name)) {
      return reader.at(member.first.Mark(), "a command's name is letters, digits, '-', '_' and '.', at most 60");
    }
    if (find_command(out, name) != nullptr) {
      return reader.at(member.first.Mark(), "the command '" + name + "' is there twice");
    }
    if (out.size() == commands_max) {
      return reader.at(member.first.Mark(), "there are more than " + std::to_string(commands_max) + " commands");
    }
    DeclaredCommand one;
    if (std::optional<Error> error = reader.command(name, member.second, one)) {
      return *error;
    }
    out.push_back(std::move(one));
  }
  return out;
}

const DeclaredCommand* find_command(const std::vector<DeclaredCommand>& commands, std::string_view name) {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const DeclaredCommand& one) { return one.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

Error no_such_command(const std::vector<DeclaredCommand>& commands, std::string_view name) {
  std::string names;
  std::vector<std::string_view> views;
  for (const DeclaredCommand& one : commands) {
    names += (names.empty() ? "" : ", ") + one.name;
    views.push_back(one.name);
  }
  return Error{ErrorCode::not_found,
               "no command '" + json::excerpt(name, 60) + "' is declared here" +
                   did_you_mean(std::string(name), views) + "; " +
                   (names.empty() ? "there is none" : "there are: " + names),
               std::string(name), 0, 0};
}

}  // namespace plumb::command
