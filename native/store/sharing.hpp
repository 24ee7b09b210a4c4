// Sharing: what hosts that share a store are to each other. A store that one process writes has none.
//
// Each waiting run is driven by one host. It holds the run as long as it is heard of; when it has not been for
// `lease_ms` (a few seconds), or has said that it goes, another one takes the run. Taking is an entry in the run's own
// log, guarded as an append is: a host that was only slow finds its next append refused, and nothing that it had begun
// since counts.
//
// All functions may be called from any thread but those of the callbacks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/store/store.hpp"

namespace plumb::store {

// What one host asks another about a run, as texts that hosts understand.
using AnswerTo = std::function<void(std::string answer)>;

class Sharing {
 public:
  virtual ~Sharing() = default;

  // This host drives the waiting run from now on. False: one that is heard of does. not_found; invalid_argument where
  // it has ended.
  virtual Result<bool> take(std::string_view id) = 0;
  // A host that is heard of drives it, and it is not this one.
  virtual bool elsewhere(std::string_view id) = 0;
  // Asks the host that drives the run. not_found: it is not there; unavailable: it has not answered in time.
  virtual Result<std::string> ask(std::string_view id, std::string text, std::uint64_t timeout_ms) = 0;

  // What this host is told, from threads of the store; it must return soon and must not call the store.
  struct Heard {
    std::function<void(const RunRow& row)> freed = {};  // nobody drives it; again and again until somebody does
    // Whether this host works on a run. One that is its own by what is stored, and that it does not work on (nobody had
    // said in time that the run was stored), is told as freed too. Empty: it works on all of its own.
    std::function<bool(const std::string& id)> works_on = {};
    // What was stored of a run, by whomever: it has so many entries now.
    std::function<void(const std::string& id, std::uint64_t entries, run::State state)> changed = {};
    std::function<void()> claims_changed = {};
    std::function<void(std::string text, AnswerTo answer)> asked = {};  // by another host; answered from any thread
  };
  // Returns when nobody is being told by what was there before. {}: no more.
  virtual void hear(Heard heard) = 0;
};

}  // namespace plumb::store
