// A store by its address: a file, ":memory:", or nats://... and tls://... (nats/nats_address.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "native/store/log_store.hpp"
#include "native/store/store.hpp"

namespace plumb::store {

struct StoreSettings {
  std::string at;
  bool read_only = false;
  std::string server = {};       // the address of who writes it, for others that find a file locked
  std::string projection = {};   // of a store on NATS: this host's own copy, without ".db"; its folder must be there
  std::string login = {};        // "USER:PASSWORD" or "TOKEN", where the address has none
  std::string authorities = {};  // a file of certificates that a server's may be signed by
  std::uint64_t lease_ms = 5'000;
  std::function<void(StoreTold, const std::string& text)> told = {};
};

Result<std::unique_ptr<Store>> open_store(const StoreSettings& settings);

}  // namespace plumb::store
