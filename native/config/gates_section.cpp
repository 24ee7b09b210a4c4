#include "native/config/gates_section.hpp"

#include "native/base/yaml_reading.hpp"
#include "native/config/setting_table.hpp"

namespace plumb {

namespace {

struct GatesReader : YamlReading {
  std::vector<std::string>& out;

  Error wrong(const YAML::Node& node) const {
    return at(node.Mark(), "'gates' must be observe, bind, or a map such as {observe: [RULE]}");
  }

  std::optional<Error> section(const YAML::Node& node) const {
    if (node.IsScalar()) {
      std::string said;
      std::optional<Error> error = one_of(node, "gates", {"observe", "bind"}, said);
      out = said == "observe" ? std::vector<std::string>{"*"} : std::vector<std::string>();
      return error;
    }
    if (!node.IsMap()) {
      return wrong(node);
    }
    if (std::optional<Error> error = only_keys(node, keys_below(config_settings(), "gates"), " in 'gates'")) {
      return error;
    }
    if (!node["observe"]) {
      return std::nullopt;
    }
    if (!node["observe"].IsSequence()) {
      return wrong(node["observe"]);
    }
    for (const YAML::Node& one : node["observe"]) {
      if (std::optional<Error> error = text(one, "observe", out.emplace_back())) {
        return error;
      }
    }
    return std::nullopt;
  }
};

}  // namespace

Result<std::vector<std::string>> read_gates_section(const std::string& file, const YAML::Node& node) {
  std::vector<std::string> out;
  const GatesReader reader{{file}, out};
  if (std::optional<Error> error = reader.section(node)) {
    return *error;
  }
  return out;
}

}  // namespace plumb
