// Loops of agents that others drive (004-23): what they tell on agent.monitor.> is judged by core/budget's rules, and
// what a loop calls for is told on user.signal.warn, .pause, .halt or .escalate, when it changes.
//
// Every host hears all of them and judges by itself; equal signals have equal ids, so that they are stored once. What
// cannot be told at once waits, `signals_max` of them; of more the eldest is lost, and counted. What runs of a store
// tell of themselves (the header Plumb-By) is passed over: it is judged where it happens.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/budget/foreign_loops.hpp"
#include "native/store/message_bus.hpp"

namespace plumb::events {

struct LoopsSettings {
  std::string by;  // the header Plumb-By of what is told
  budget::RunSettings judge = {};
  budget::LoopBounds bounds = {};
  std::size_t signals_max = 1'000;
  std::uint64_t again_ms = 500;
  std::uint64_t told_every_ms = 10'000;  // one line about malformed messages in so long
  std::function<void(store::StoreTold, const std::string& text)> told = {};
};

class Loops {
 public:
  explicit Loops(LoopsSettings settings);
  ~Loops();
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;

  // From any thread; returns soon.
  void hear(const store::BusMessage& message);
  // What is to be told goes there from now on. Once; the bus must live until stop().
  void attach(store::MessageBus& bus);
  void stop();

  // {"loops": [...], "more": N, "counts": {...}}
  std::string json(std::size_t loops_max, budget::Response at_least) const;
  void append_metrics(std::string& out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb::events
