// Hearing: what hosts say to each other and nobody keeps. Internal to native/store/nats.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "native/store/nats/servers.hpp"

namespace plumb::store {

class Hearing {
 public:
  explicit Hearing(const Servers& servers) : servers_(servers) {}

  // As SharedLog's functions of these names.
  void say(const std::string& subject, const std::string& text) const;
  Result<std::string> ask(const std::string& subject, const std::string& text, std::uint64_t timeout_ms) const;
  Result<bool> hear(const std::string& subject, SharedLog::Hearer hearer);
  void stop();

 private:
  struct Heard {
    natsConnection* connection = nullptr;
    SharedLog::Hearer hearer;
    Owned<natsSubscription> subscription;
  };

  const Servers& servers_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Heard>> heard_;
};

}  // namespace plumb::store
