#include "native/mcp/settings.hpp"

#include <algorithm>
#include <charconv>

#include "native/base/yaml_reading.hpp"
#include "native/config/configured_contracts.hpp"

namespace plumb::mcp {

namespace {

constexpr std::size_t tools_max = 10'000;
constexpr std::uint64_t steps_most = 1'000'000'000'000;

const std::vector<std::string_view> modes = {"off", "observe", "enforce"};

struct FrontSettingsReader : plumb::YamlReading {
  const plumb::ConfiguredContracts& contracts;
  FrontSettings& settings;

  std::optional<Error> mode(const YAML::Node& node, const std::string& key, std::optional<Mode>& into) const {
    std::string said;
    if (std::optional<Error> error = one_of(node, key, modes, said)) {
      return error;
    }
    into = mode_named(said);
    return std::nullopt;
  }

  std::optional<Error> contract(const YAML::Node& map, const char* key, std::optional<OwnContract>& into) const {
    if (!map[key]) {
      return std::nullopt;
    }
    std::string said;
    if (std::optional<Error> error = text(map[key], key, said)) {
      return error;
    }
    Result<plumb::ConfiguredContract> found = contracts.find(said, said);
    if (!found) {
      return at(map[key].Mark(), found.error().message);
    }
    into = OwnContract{said, std::move(found).value().contract};
    return std::nullopt;
  }

  std::optional<Error> tool(const std::string& name, const YAML::Node& node) const {
    ToolSettings one;
    if (node.IsScalar()) {
      if (std::optional<Error> error = mode(node, name, one.mode)) {
        return error;
      }
    } else {
      if (!node.IsMap()) {
        return at(node.Mark(), "'" + name + "' must be a mode, or a map with mode, arguments or result, not " +
                                   plumb::yaml_kind(node));
      }
      if (std::optional<Error> error =
              only_keys(node, keys_below(front_settings_table(), "mcp.tools.NAME"), " in '" + name + "'")) {
        return error;
      }
      if (node["mode"]) {
        if (std::optional<Error> error = mode(node["mode"], "mode", one.mode)) {
          return error;
        }
      }
      for (const auto& [key, into] : {std::pair{"arguments", &one.arguments}, std::pair{"result", &one.result}}) {
        if (std::optional<Error> error = contract(node, key, *into)) {
          return error;
        }
      }
    }
    settings.tools.emplace(name, std::move(one));
    return std::nullopt;
  }

  std::optional<Error> document(const YAML::Node& node) const {
    if (!node.IsMap()) {
      return at(node.Mark(), "'mcp' must be a map with mode, steps or tools, not " + plumb::yaml_kind(node));
    }
    if (std::optional<Error> error = only_keys(node, keys_below(front_settings_table(), "mcp"), " in 'mcp'")) {
      return error;
    }
    if (node["mode"]) {
      std::optional<Mode> said;
      if (std::optional<Error> error = mode(node["mode"], "mode", said)) {
        return error;
      }
      settings.mode = *said;
    }
    if (node["steps"]) {
      std::string said;
      if (std::optional<Error> error = text(node["steps"], "steps", said)) {
        return error;
      }
      const auto [end, failed] = std::from_chars(said.data(), said.data() + said.size(), settings.steps_max);
      if (failed != std::errc() || end != said.data() + said.size() || settings.steps_max > steps_most) {
        return at(node["steps"].Mark(), "'steps' must be a whole number from 0 to 1000000000000, not '" + said + "'");
      }
    }
    const YAML::Node tools = node["tools"];
    if (!tools) {
      return std::nullopt;
    }
    if (!tools.IsMap() || tools.size() > tools_max) {
      return at(tools.Mark(),
                "'tools' must be a map from the name of a tool to a mode or its contracts, such as 'tools: {search: "
                "enforce, save: {arguments: brief}}', not " +
                    plumb::yaml_kind(tools));
    }
    for (const auto& member : tools) {
      std::string name;
      if (std::optional<Error> error = text(member.first, "tools", name)) {
        return error;
      }
      if (settings.tools.find(name) != settings.tools.end()) {
        return at(member.first.Mark(), "the tool '" + name + "' is there twice");
      }
      if (std::optional<Error> error = tool(name, member.second)) {
        return error;
      }
    }
    return std::nullopt;
  }
};

}  // namespace

const SettingTable& front_settings_table() {
  static const FrontSettings usual;
  static const SettingTable table = {
      {"mcp.mode", one_of_type(modes), std::string(proxy::mode_name(usual.mode)), "mode for tools that are not named"},
      {"mcp.steps", "number", std::to_string(usual.steps_max),
       "steps of work to check one value, about ten nanoseconds each; 0: unlimited"},
      {"mcp.tools", "map", "", "tools by name"},
      {"mcp.tools.NAME", "map or " + one_of_type(modes), "", "the tool's mode, or its mode and contracts"},
      {"mcp.tools.NAME.mode", one_of_type(modes), "`mcp.mode`", "mode for this tool"},
      {"mcp.tools.NAME.arguments", "contract", "", "contract for arguments, beside the server's schema"},
      {"mcp.tools.NAME.result", "contract", "", "contract for results, beside the server's schema"},
  };
  return table;
}

std::optional<Mode> mode_named(std::string_view name) {
  for (const Mode mode : {Mode::off, Mode::observe, Mode::enforce}) {
    if (name == proxy::mode_name(mode)) {
      return mode;
    }
  }
  return std::nullopt;
}

const ToolSettings* FrontSettings::tool(std::string_view name) const {
  const auto found = tools.find(name);
  return found == tools.end() ? nullptr : &found->second;
}

Mode FrontSettings::mode_of(std::string_view name) const {
  const ToolSettings* one = tool(name);
  return one == nullptr ? mode : one->mode.value_or(mode);
}

bool FrontSettings::binds() const {
  return mode == Mode::enforce || std::any_of(tools.begin(), tools.end(), [this](const auto& one) {
           return one.second.mode.value_or(mode) == Mode::enforce;
         });
}

bool FrontSettings::all_off() const {
  return mode == Mode::off && std::all_of(tools.begin(), tools.end(), [this](const auto& one) {
           return one.second.mode.value_or(mode) == Mode::off;
         });
}

Result<FrontSettings> read_front_settings(const plumb::ConfigFile& config) {
  FrontSettings settings;
  const Result<plumb::ConfiguredContracts> contracts = plumb::ConfiguredContracts::of(config);
  if (!contracts) {
    return contracts.error();
  }
  const std::optional<Error> wrong =
      plumb::read_yaml(config.path, config.text, [&](const YAML::Node& root) -> std::optional<Error> {
        if (!root.IsMap() || !root["mcp"]) {
          return std::nullopt;
        }
        return FrontSettingsReader{{config.path}, contracts.value(), settings}.document(root["mcp"]);
      });
  if (wrong) {
    return *wrong;
  }
  return settings;
}

}  // namespace plumb::mcp
