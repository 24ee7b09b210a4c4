// Watch: reports what happens in a run, as it happens.
//
//   Result<std::unique_ptr<Watch>> watch = host.watch(id, last_seen + 1);
//   for (;;) {
//     Watch::Event event = watch.value()->next(15'000);
//     ...
//   }
//
// Entries come in order and once each, from the requested number on, and only after they are stored. They are read
// from the store, so a slow watcher misses none. Reports from inside calls (a stream's `text`, `finding`, `usage`)
// come between the entries where they happened. They have no number and are not kept. A watcher with more than
// `told_max` unread reports is dropped and told so; it may return with the number of its last entry.
//
// A Watch is used by one thread. Destroying it ends it. It may outlive its host, and then only reports `stopped`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/run/journal.hpp"

namespace plumb::host {

class Watch {
 public:
  enum class What : std::uint8_t {
    entry,    // `entry` is the next entry
    told,     // `name` and `json`: a report from inside the call `key`
    ended,    // the run has ended and every entry was delivered; the last event
    dropped,  // too slow, or the store cannot be read: `json` is empty, `name` says why; the last event
    stopped,  // the host is stopping; the last event
    nothing,  // the time is over, and nothing has happened
  };
  struct Event {
    What what = What::nothing;
    run::Stored entry;
    std::string key;
    std::string name;
    std::string json;
  };

  virtual ~Watch() = default;
  // Waits at most `timeout_ms` milliseconds for the next event.
  virtual Event next(std::uint64_t timeout_ms) = 0;
};

}  // namespace plumb::host
