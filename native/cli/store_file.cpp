#include "native/cli/store_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

std::string variable(const char* name) {
  const char* said = std::getenv(name);
  return said == nullptr ? std::string() : std::string(said);
}

}  // namespace

Result<std::string> store_file(const Arguments& arguments) {
  if (arguments.has("--store"))
    return arguments.text("--store");
  if (std::string said = variable("PLUMB_STORE"); !said.empty())
    return said;
  if (const std::string found = find_config_file(); !found.empty()) {
    Result<ConfigFile> config = read_config_file(found);
    if (!config)
      return config.error();
    if (!config.value().store.empty())
      return std::move(config.value().store);
  }
  std::string state = variable("XDG_STATE_HOME");
  if (state.empty()) {
    const std::string home = variable("HOME");
    if (home.empty()) {
      return Error{ErrorCode::not_found, "there is no HOME to keep the store of runs in; say where with --store FILE",
                   "", 0, 0};
    }
    state = home + "/.local/state";
  }
  const std::filesystem::path folder = std::filesystem::path(state) / "plumb";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return Error{ErrorCode::unavailable,
                 "cannot be made for the store of runs: " + failed.message() + "; say where with --store FILE",
                 folder.string(), 0, 0};
  }
  return (folder / "runs.db").string();
}

}  // namespace plumb::cli
