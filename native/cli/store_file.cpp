#include "native/cli/store_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/json/sha256.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"
#include "native/store/nats/nats_address.hpp"

namespace plumb::cli {

namespace {

std::string variable(const char* name) {
  const char* said = std::getenv(name);
  return said == nullptr ? std::string() : std::string(said);
}

Result<std::string> state_folder() {
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
  return folder.string();
}

}  // namespace

Result<std::string> nats_login() {
  if (std::string said = variable("PLUMB_NATS_LOGIN"); !said.empty()) {
    return said;
  }
  const std::string file = variable("PLUMB_NATS_LOGIN_FILE");
  if (file.empty()) {
    return std::string();
  }
  const Result<std::string> read = read_file(file, 4096);
  if (!read) {
    return read.error();
  }
  return read.value().substr(0, read.value().find('\n'));
}

std::string nats_authorities() { return variable("PLUMB_NATS_CA"); }

Result<std::string> store_file(const Arguments& arguments) {
  if (arguments.has("--store")) {
    return arguments.text("--store");
  }
  if (std::string said = variable("PLUMB_STORE"); !said.empty()) {
    return said;
  }
  if (const std::string found = find_config_file(arguments.config_folder()); !found.empty()) {
    Result<ConfigFile> config = read_config_file(found);
    if (!config) {
      return config.error();
    }
    if (!config.value().store.empty()) {
      return std::move(config.value().store);
    }
  }
  const Result<std::string> folder = state_folder();
  return folder ? Result<std::string>(folder.value() + "/runs.db") : folder;
}

Result<store::StoreSettings> store_settings(const Arguments& arguments, bool read_only) {
  const Result<std::string> at = store_file(arguments);
  if (!at) {
    return at.error();
  }
  store::StoreSettings settings;
  settings.at = at.value();
  settings.read_only = read_only;
  if (!store::is_nats_address(settings.at)) {
    return settings;
  }
  const Result<store::NatsAddress> address = store::read_nats_address(settings.at);
  if (!address) {
    return address.error();
  }
  if (arguments.has("--store") && (!address.value().user.empty() || !address.value().token.empty())) {
    return Error{ErrorCode::invalid_argument,
                 "everybody on this machine sees what a command was called with: say who asks in PLUMB_NATS_LOGIN, or "
                 "the whole address in PLUMB_STORE",
                 address.value().shown, 0, 0};
  }
  const Result<std::string> login = nats_login();
  if (!login) {
    return login.error();
  }
  settings.login = login.value();
  settings.authorities = nats_authorities();
  const Result<std::string> place = store_place(arguments);
  if (!place) {
    return place.error();
  }
  settings.projection = place.value();
  settings.told = [read_only](store::StoreTold kind, const std::string& text) {
    if (kind == store::StoreTold::error || (kind == store::StoreTold::warning && !read_only)) {
      note(text);
    }
  };
  return settings;
}

Result<std::string> store_place(const Arguments& arguments) {
  Result<std::string> at = store_file(arguments);
  if (!at || !store::is_nats_address(at.value())) {
    return at;
  }
  const Result<store::NatsAddress> address = store::read_nats_address(at.value());
  Result<std::string> folder = address ? state_folder() : Result<std::string>(address.error());
  if (!folder) {
    return folder;
  }
  // Two stores of one name on other servers are two.
  std::vector<std::string> servers = address.value().servers;
  std::sort(servers.begin(), servers.end());
  std::string all;
  for (const std::string& one : servers) {
    all += one + " ";
  }
  return folder.value() + "/" + address.value().name + "-" + json::sha256_hex(all).substr(0, 8);
}

}  // namespace plumb::cli
