#include "stores.hpp"

#include <cstdlib>

#include "core/json/sha256.hpp"
#include "nats_server.hpp"

namespace plumb::test {

namespace {

std::string variable(const char* name) {
  const char* said = std::getenv(name);
  return said == nullptr ? "" : said;
}

}  // namespace

bool on_nats() { return !variable("PLUMB_TEST_STORE").empty(); }

store::StoreSettings test_store(const std::string& file) {
  store::StoreSettings settings;
  settings.at = file;
  std::string server = variable("PLUMB_TEST_STORE");
  if (server.empty()) {
    return settings;
  }
  if (server == "nats") {
    server = "nats://" + nats_server().address();
  }
  settings.at = server + "/t" + json::sha256_hex(file).substr(0, 16);
  // Another machine has another copy.
  settings.projection = file + ".copy" + variable("PLUMB_TEST_MACHINE");
  if (const std::string lease = variable("PLUMB_TEST_LEASE_MS"); !lease.empty()) {
    settings.lease_ms = std::stoull(lease);
  }
  return settings;
}

Result<std::unique_ptr<store::Store>> open_test_store(const std::string& file, bool read_only) {
  store::StoreSettings settings = test_store(file);
  settings.read_only = read_only;
  return store::open_store(settings);
}

std::string tables_of(const std::string& file) { return on_nats() ? test_store(file).projection + ".db" : file; }

}  // namespace plumb::test
