// The reader behind settings_file.hpp. It keeps the first error and continues as if there were none, so that reading a
// member is one line. Private to native/proxy/settings_*.cpp.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "native/base/yaml_reading.hpp"
#include "native/proxy/settings_file.hpp"

namespace plumb::proxy {

struct SettingsReader : plumb::YamlReading {
  const SettingsInput& input;
  Settings& settings;
  std::optional<Error> error;

  // Reports a problem at a place; only the first is kept.
  void wrong(const YAML::Node& node, std::string message);
  void keep(std::optional<Error> found);
  // False if the node is not a map, has a key that the table does not have below `path` (setting_table.hpp), or
  // something was wrong before. `name` is what errors call it.
  bool map(const YAML::Node& node, std::string_view name, std::string_view path);

  // These leave `into` unchanged if the key is absent.
  void text_of(const YAML::Node& map, const char* key, std::string& into);
  void number(const YAML::Node& map, const char* key, std::uint64_t min, std::uint64_t max, std::uint64_t& into);
  void bytes(const YAML::Node& map, const char* key, std::uint64_t max, std::uint64_t& into);
  void flag(const YAML::Node& map, const char* key, bool& into);
  std::optional<std::string> choice(const YAML::Node& map, const char* key,
                                    const std::vector<std::string_view>& choices);
  std::vector<std::string> texts(const YAML::Node& map, const char* key);
  std::string path_of(const YAML::Node& map, const char* key, const std::string& otherwise);

  void document(const YAML::Node& proxy);  // settings_file.cpp
  void client_keys(const YAML::Node& proxy);
  void listen(const YAML::Node& proxy);  // settings_parts.cpp
  void limits(const YAML::Node& map, const char* key, Limits& into);
  void projects(const YAML::Node& proxy);
  void retries(const YAML::Node& proxy);
  void breaker(const YAML::Node& proxy);
  void stored(const YAML::Node& proxy, const char* key, CacheSettings& into);
  void kept_responses(const YAML::Node& proxy);
  void bounds(const YAML::Node& proxy);
  void telemetry(const YAML::Node& proxy);
  void origins(const YAML::Node& proxy);
  void networks(const YAML::Node& proxy);
  void prices(const YAML::Node& proxy);  // settings_models.cpp
  void models(const YAML::Node& proxy);
  void through(const YAML::Node& proxy);
  void guarding(const YAML::Node& proxy);  // settings_guarding.cpp
  std::shared_ptr<const pipelines::Prompt> prompt(std::string_view name);
  void judge(const YAML::Node& proxy);
  void canary(const YAML::Node& node, std::optional<std::uint32_t>& into);

  std::size_t upstream_named(const YAML::Node& said, const std::string& name);
  void target(const YAML::Node& node, std::vector<Target>& into);
  void targets(const YAML::Node& node, const char* key, std::vector<Target>& into);
  void route(const std::string& name, const YAML::Node& node);
  void usual_route(const YAML::Node& proxy);
  void costs_are_known(const YAML::Node& proxy);
  void contract(const std::string& name, const YAML::Node& node);
};

}  // namespace plumb::proxy
