// Watch: what happens in a run, as it happens.
//
//   Result<std::unique_ptr<Watch>> watch = host.watch(id, last_seen + 1);
//   for (;;) {
//     Watch::Event event = watch.value()->next(15'000);
//     ...
//   }
//
// Entries come in order, each once, from the number that was asked for on, and only after they have been stored; they
// are read from the store, so however slow the watcher is, none is missing. What is reported inside calls (`text`,
// `finding`, `usage` of a stream) comes between the entries where it happened, has no number and is kept for no one: a
// watcher that lets more than `told_max` of it wait is dropped, is told so, and may come back with the number of its
// last entry.
//
// One thread uses a Watch. Destroying it ends it; it may outlive its host, and then only says `stopped`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/run/journal.hpp"

namespace plumb::host {

class Watch {
 public:
  enum class What : std::uint8_t {
    entry,    // `entry` is the next one
    told,     // `name` and `json`: what was told inside the call `key`
    ended,    // the run has ended and every entry was given; nothing comes after it
    dropped,  // too slow, or the store cannot be read: `json` is empty, `name` says why; nothing comes after it
    stopped,  // the host is being stopped; nothing comes after it
    nothing,  // the time is over, nothing has happened
  };
  struct Event {
    What what = What::nothing;
    run::Stored entry;
    std::string key;
    std::string name;
    std::string json;
  };

  virtual ~Watch() = default;
  // The next event; waits for it at most `timeout_ms`.
  virtual Event next(std::uint64_t timeout_ms) = 0;
};

}  // namespace plumb::host
