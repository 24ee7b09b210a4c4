// Reading YAML with care: every error carries file, line and column, an unknown key is an error with the nearest known
// one, and so is a key that occurs twice. What plumb.yaml's readers share; each of them adds what its own part means.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace plumb {

Error yaml_error(const std::string& file, const YAML::Mark& mark, std::string message);
// "a map", "a list", "nothing", "a text"
std::string yaml_kind(const YAML::Node& node);
// "a, b, c"
std::string listed(const std::vector<std::string_view>& words);

struct YamlReading {
  const std::string& file;

  Error at(const YAML::Mark& mark, std::string message) const { return yaml_error(file, mark, std::move(message)); }
  // `where` follows the key in the error: " in an entry of 'contracts'".
  std::optional<Error> only_keys(const YAML::Node& map, const std::vector<std::string_view>& known,
                                 std::string_view where) const;
  std::optional<Error> text(const YAML::Node& node, const std::string& key, std::string& into) const;
  // True or false; a node that is not there leaves it as it is.
  std::optional<Error> flag(const YAML::Node& node, const std::string& key, bool& into) const;
  std::optional<Error> one_of(const YAML::Node& node, const std::string& key,
                              const std::vector<std::string_view>& choices, std::string& into) const;
};

// Parses the text of a file and hands it to `read`. Refused: more than 64 levels, which yaml-cpp reads by recursion.
std::optional<Error> read_yaml(const std::string& file, const std::string& text,
                               const std::function<std::optional<Error>(const YAML::Node& root)>& read);

}  // namespace plumb
