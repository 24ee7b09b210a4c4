// Reads `proxy:` of plumb.yaml with the providers and contracts it names, and checks everything: settings it accepts
// can be served. docs/proxy.md explains every key, docs/examples/proxy.yaml shows all of them.
//
//   proxy:
//     listen: 127.0.0.1:8788
//     models:
//       fast: openai/gpt-4o-mini
//       careful: {targets: [{to: anthropic/claude-sonnet-4-5, weight: 3}, openai/gpt-4o], fallbacks: [ollama/qwen3:8b]}
//       "*": openai                       # other names are passed on
//     limits: {requests_per_minute: 60, usd_per_day: 5}
//
// An error has file, line and column, and suggests the nearest name for an unknown one. Keys are read here, and never
// appear in an error. Paths are relative to the file.
#pragma once

#include <memory>
#include <string>

#include "core/result.hpp"
#include "native/config/config_file.hpp"
#include "native/provider/settings.hpp"
#include "native/proxy/settings.hpp"

namespace plumb::proxy {

struct SettingsInput {
  const plumb::ConfigFile& config;
  provider::Variables variables;
  provider::ReadFile read_file;  // for provider keys
  std::string state_directory;   // where keys and counters are kept by default: "~/.local/state/plumb"
};

Result<std::shared_ptr<const Settings>> read_proxy_settings(const SettingsInput& input);

// The same from a path, with the process's environment, for a server's start and reload.
Result<std::shared_ptr<const Settings>> read_proxy_settings(const std::string& path);

// Reads only the place of the client keys, for `plumb keys`. Works even if the settings could not be served.
Result<std::string> keys_file_of(const plumb::ConfigFile& config, const std::string& otherwise);

// $XDG_STATE_HOME/plumb or ~/.local/state/plumb; created if missing.
Result<std::string> state_directory();

}  // namespace plumb::proxy
