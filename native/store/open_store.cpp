#include "native/store/open_store.hpp"

#include <algorithm>
#include <utility>

#include "native/store/nats/jetstream.hpp"
#include "native/store/nats/nats_address.hpp"
#include "native/store/sqlite_store.hpp"

namespace plumb::store {

Result<std::unique_ptr<Store>> open_store(const StoreSettings& settings) {
  if (!is_nats_address(settings.at)) {
    SqliteSettings file;
    file.file = settings.at;
    file.read_only = settings.read_only;
    file.server = settings.server;
    return open_sqlite(file);
  }
  Result<NatsAddress> address = read_nats_address(settings.at);
  if (!address) {
    return address.error();
  }
  if (address.value().user.empty() && address.value().token.empty() && !settings.login.empty()) {
    set_login(address.value(), settings.login);
  }
  JetStreamSettings jetstream;
  jetstream.address = address.value();
  jetstream.authorities = settings.authorities;
  jetstream.told = settings.told;
  Result<std::unique_ptr<SharedLog>> log = open_jetstream(jetstream);
  if (!log) {
    return log.error();
  }
  LogStoreSettings shared;
  shared.projection = settings.projection;
  shared.name = address.value().shown;
  shared.read_only = settings.read_only;
  shared.lease_ms = settings.lease_ms;
  shared.heartbeat_ms = std::max<std::uint64_t>(50, settings.lease_ms / 5);
  shared.told = settings.told;
  return open_log_store(std::move(log).value(), std::move(shared));
}

}  // namespace plumb::store
