// Where client keys are, for `plumb keys` and for a server that has no proxy.
#pragma once

#include <optional>
#include <string>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

// The file, and the plumb.yaml that says what models and contracts keys may name.
struct KeysPlace {
  std::string file;
  std::optional<ConfigFile> config;
};

// --file, else PLUMB_KEYS, else `proxy.keys` in plumb.yaml, else plumb/client-keys.json in the directory of state.
Result<KeysPlace> keys_place(const Arguments& arguments);

}  // namespace plumb::cli
