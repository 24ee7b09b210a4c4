// A shared log on NATS JetStream (nats-server 2.9 or later): two streams, NAME-runs and NAME-texts, made where they are
// not there.
//
// JetStream confirms a message when its servers have it, and writes it to the disk at the latest two minutes later,
// unless its configuration has `sync_interval: always`. No client can ask for that setting, so it is warned of.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "native/store/log_store.hpp"
#include "native/store/nats/nats_address.hpp"
#include "native/store/shared_log.hpp"

namespace plumb::store {

// What is kept: runs and their texts; or what proxies share, in NAME-proxies, or what was told of runs, in NAME-told,
// of which each subject keeps its last message and there are no texts.
enum class Keeps : std::uint8_t { runs, proxies, told };

struct JetStreamSettings {
  NatsAddress address;
  Keeps keeps = Keeps::runs;
  std::string authorities = {};  // a file of certificates (PEM) that a server's may be signed by; empty: the system's
  std::uint64_t answer_ms = 5'000;  // what the servers have not answered by then is away
  std::function<void(StoreTold, const std::string& text)> told = {};
};

Result<std::unique_ptr<SharedLog>> open_jetstream(const JetStreamSettings& settings);

}  // namespace plumb::store
