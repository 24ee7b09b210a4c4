#include "native/cli/keys_place.hpp"

#include <cstdlib>
#include <utility>

#include "native/proxy/settings_file.hpp"

namespace plumb::cli {

Result<KeysPlace> keys_place(const Arguments& arguments) {
  KeysPlace place;
  const std::string path = config_path(arguments);
  if (!path.empty()) {
    Result<ConfigFile> config = read_config_file(path);
    if (!config) {
      return config.error();
    }
    place.config = std::move(config).value();
  }
  const char* said = std::getenv("PLUMB_KEYS");
  if (arguments.has("--file") || (said != nullptr && *said != '\0')) {
    place.file = absolute_path(arguments.has("--file") ? arguments.text("--file") : std::string(said));
    return place;
  }
  // plumb.yaml may say where, and then no directory of state is needed.
  const Result<std::string> state = proxy::state_directory();
  place.file = state ? state.value() + "/client-keys.json" : std::string();
  if (place.config) {
    Result<std::string> file = proxy::keys_file_of(*place.config, place.file);
    if (!file) {
      return file.error();
    }
    place.file = std::move(file).value();
  }
  if (place.file.empty()) {
    return state.error();
  }
  return place;
}

}  // namespace plumb::cli
