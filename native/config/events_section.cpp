#include "native/config/events_section.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "native/base/yaml_reading.hpp"
#include "native/config/setting_table.hpp"
#include "native/store/nats/nats_address.hpp"

namespace plumb {

namespace {

constexpr std::size_t triggers_max = 20;
constexpr std::size_t trigger_bytes_max = 64;
constexpr std::string_view usual_name = "plumb";

bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= trigger_bytes_max && std::all_of(name.begin(), name.end(), [](char c) {
    return ascii::is_alphanumeric(c) || c == '-' || c == '_';
  });
}

struct EventsReader : YamlReading {
  EventsSection& out;

  std::optional<Error> nats(const YAML::Node& node) const {
    if (std::optional<Error> error = text(node, "nats", out.nats)) {
      return error;
    }
    if (!store::is_nats_address(out.nats)) {
      return at(node.Mark(), "'nats' must be an address such as nats://127.0.0.1:4222 or tls://HOST:4222");
    }
    const std::size_t hosts = out.nats.find("//") + 2;
    if (out.nats.find('/', hosts) == std::string::npos) {
      out.nats += "/" + std::string(usual_name);
    }
    // In the words of the address alone: a password in it is not to be shown.
    if (const Result<store::NatsAddress> read = store::read_nats_address(out.nats); !read) {
      return at(node.Mark(), "'nats' " + read.error().message);
    }
    return std::nullopt;
  }

  std::optional<Error> section(const YAML::Node& node) const {
    if (!node.IsMap()) {
      return at(node.Mark(),
                "'events' must be a map such as {nats: \"nats://127.0.0.1:4222\"}, not " + yaml_kind(node));
    }
    if (std::optional<Error> error = only_keys(node, keys_below(config_settings(), "events"), " in 'events'")) {
      return error;
    }
    if (!node["nats"]) {
      return at(node.Mark(), "'events' has no 'nats': say where NATS is, such as nats://127.0.0.1:4222");
    }
    if (std::optional<Error> error = nats(node["nats"])) {
      return error;
    }
    if (node["loops"]) {
      std::string said;
      if (std::optional<Error> error = one_of(node["loops"], "loops", {"on", "off"}, said)) {
        return error;
      }
      out.loops = said == "on";
    }
    const YAML::Node triggers = node["triggers"];
    if (!triggers) {
      return std::nullopt;
    }
    if (!triggers.IsSequence() || triggers.size() > triggers_max) {
      return at(triggers.Mark(), "'triggers' must be a list of at most " + std::to_string(triggers_max) +
                                     " names, not " + yaml_kind(triggers));
    }
    for (const YAML::Node& one : triggers) {
      std::string name;
      if (std::optional<Error> error = text(one, "triggers", name)) {
        return error;
      }
      if (!is_plain(name)) {
        return at(one.Mark(),
                  "a trigger's name is letters, digits, '-' and '_', at most " + std::to_string(trigger_bytes_max));
      }
      if (std::find(out.triggers.begin(), out.triggers.end(), name) == out.triggers.end()) {
        out.triggers.push_back(name);
      }
    }
    return std::nullopt;
  }
};

}  // namespace

Result<EventsSection> read_events_section(const std::string& file, const YAML::Node& node) {
  EventsSection out;
  const EventsReader reader{{file}, out};
  if (std::optional<Error> error = reader.section(node)) {
    return *error;
  }
  return out;
}

}  // namespace plumb
