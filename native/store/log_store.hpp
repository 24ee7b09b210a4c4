// The store of several hosts: operations are put into a shared log, one subject a run, and what they come to is read
// from this host's own projection (projection.hpp).
//
//   Result<std::unique_ptr<Store>> store = open_log_store(std::move(log), {.projection = "/var/lib/plumbline/shared"});
//
// An operation is done when the log has it and this host's projection too. An append carries the sequence of the last
// message of its run, which the log holds it to: two hosts can never both go on. Who may is said in sharing.hpp.
//
// A text of a run is put into the log before the message that needs it, again where it was not given within
// `text_fresh_ms`; one that no run needs is removed when it is older than `text_grace_ms`. A message that needs it
// comes within that time, or not at all, so that none is removed that somebody is about to need.
//
// What says that a run was removed goes from the log after `gone_kept_ms`. A copy that has not been current for nearly
// as long may have missed it, and is made anew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "native/store/shared_log.hpp"
#include "native/store/store.hpp"

namespace plumb::store {

enum class StoreTold : std::uint8_t { note, warning, error };

struct LogStoreSettings {
  std::string projection = {};     // the file of the projection without ".db"; its folder must be there
  std::string name = {};           // of the store, in messages: without any password
  bool read_only = false;          // only what reads works; drives no run
  std::uint64_t lease_ms = 5'000;  // a host that was not heard of for so long is taken for dead
  std::uint64_t heartbeat_ms = 1'000;
  std::uint64_t operation_ms = 20'000;  // what was not done by then is unavailable
  std::uint64_t text_fresh_ms = std::uint64_t{30} * 60'000;
  std::uint64_t text_grace_ms = std::uint64_t{60} * 60'000;
  std::uint64_t gone_kept_ms = std::uint64_t{7} * 24 * 3'600'000;
  std::uint64_t queue_bytes = 256U << 20U;  // that wait; beyond, an operation is refused (limit)
  std::function<void(StoreTold, const std::string& text)> told = {};  // what people should know; from any thread
};

// Reads what the log has before it returns.
Result<std::unique_ptr<Store>> open_log_store(std::unique_ptr<SharedLog> log, LogStoreSettings settings);

}  // namespace plumb::store
