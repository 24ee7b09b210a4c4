// A shared log on NATS JetStream (nats-server 2.9 or later): two streams, NAME-runs and NAME-texts, made where they are
// not there. What proxies share lies in streams of its own, by `keeps`.
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

// What is kept: runs and their texts; or, of which each subject keeps its last message,
//   proxies  what proxies share, in NAME-proxies
//   told     what was told of runs, in NAME-told
//   calls    calls with an Idempotency-Key, in NAME-calls, and what was answered as texts, in NAME-replies
//   responses  whose the responses are that providers keep, in NAME-responses
enum class Keeps : std::uint8_t { runs, proxies, told, calls, responses };

// Of the streams of `calls` and `responses`; what is older, or more than that, goes, oldest first. The streams are
// brought to these when they are opened.
struct KeptBounds {
  std::uint64_t age_ms = 86'400'000;
  std::uint64_t calls_bytes_max = 64U << 20U;  // and of responses
  std::uint64_t replies_bytes_max = 64U << 20U;
};

struct JetStreamSettings {
  NatsAddress address;
  Keeps keeps = Keeps::runs;
  KeptBounds bounds = {};
  std::string authorities = {};  // a file of certificates (PEM) that a server's may be signed by; empty: the system's
  std::uint64_t answer_ms = 5'000;  // what the servers have not answered by then is away
  std::function<void(StoreTold, const std::string& text)> told = {};
};

Result<std::unique_ptr<SharedLog>> open_jetstream(const JetStreamSettings& settings);

}  // namespace plumb::store
