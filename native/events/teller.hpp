// Teller: tells on NATS what is stored of workflows' runs (004-24), after it is stored, in each run's order, at least
// once; and keeps in the store how far it has come, so that a crash loses nothing.
//
//   Result<std::unique_ptr<Teller>> teller = Teller::open(store, marks, bus, {});
//   host_settings.stored = [&](std::string_view id, std::string_view) { teller.value()->stored(id); };
//
// It reads entries from the store, makes events of them (core/pipelines/workflow/telling.hpp) and puts each under its
// id "RUN.ENTRY", by which JetStream knows one again that was put before a crash. The mark of a run is set when what
// there was of it is told. While the servers are away it holds nothing but names of runs; no run waits for it.
//
// Where hosts share the store, who drives a run tells it; what a host that is gone has left untold, and all that was
// stored while nobody told, is found by a sweep, at the beginning and every `sweep_ms`. Two hosts that tell the same
// for a moment put the same ids.
//
// Runs that had ended when telling was first begun with this store are not told, nor those that were imported and not
// adopted: others wrote them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/store/message_bus.hpp"
#include "native/store/store.hpp"
#include "native/store/told_marks.hpp"

namespace plumb::events {

struct TellerSettings {
  std::string by;  // the header Plumb-By of all that is told
  std::uint64_t sweep_ms = 5'000;
  std::uint64_t again_ms = 500;   // after the servers, or the store, could not be asked
  std::uint64_t left_ms = 6'000;  // an ended run of a shared store that is untold for so long was left by its host
  std::size_t runs_max = 256;     // that are kept in memory as they were told, some 10 KB each
  std::function<void(store::StoreTold, const std::string& text)> told = {};
};

struct TellerCounts {
  std::uint64_t told = 0;      // events, stored by the servers
  std::uint64_t known = 0;     // of them: they had them already
  std::uint64_t refused = 0;   // that can never be stored: passed over
  std::uint64_t runs_due = 0;  // of which something waits to be told
};

class Teller {
 public:
  static constexpr std::string_view pipeline = "workflow";  // whose runs are told

  // The store, the marks and the bus must live longer.
  static Result<std::unique_ptr<Teller>> open(store::Store& store, store::ToldMarks& marks, store::MessageBus& bus,
                                              TellerSettings settings);
  virtual ~Teller() = default;  // as stop(0)

  // Something of the run was stored by this host. From any thread; returns at once.
  virtual void stored(std::string_view id) = 0;
  virtual TellerCounts counts() const = 0;
  // Tells what is due, as long as `grace_ms`, and nothing more.
  virtual void stop(std::uint64_t grace_ms) = 0;
};

}  // namespace plumb::events
