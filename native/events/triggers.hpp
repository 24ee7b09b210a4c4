// Triggers: a message on workflow.trigger.NAME begins a run, where plumb.yaml names NAME; others are not listened to.
//
// The message is what POST /api/workflow/runs takes, {"plan"|"idea", "repository", ...}, with "request_id" where it has
// one. The id of the message (Nats-Msg-Id), else `request_id`, is the request's: the same again is the same run, also
// when it has ended. Of hosts that listen one takes each message.
//
// What became of it is told on workflow.result.NAME, and to who waits for an answer:
//
//   {"run_id": "r...", "fresh": true}            or {"error": "..."}, with "request_id" where there was one
//
// Where a stream of the servers takes workflow.trigger.NAME, who publishes there waits for the stream's answer and is
// not answered here. What waits to be begun is bounded by `waiting_max`; beyond, it is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/store/message_bus.hpp"

namespace plumb::events {

struct TriggeredRun {
  std::string id;
  bool fresh = true;
};
// Begins a run of the workflow pipeline; stored when it returns.
using BeginTriggered = std::function<Result<TriggeredRun>(const std::string& body, const std::string& request_key)>;

struct TriggersSettings {
  std::vector<std::string> names;  // without what has a meaning in subjects
  BeginTriggered begin;
  std::size_t waiting_max = 1'000;
  std::function<void(store::StoreTold, const std::string& text)> told = {};
};

class Triggers {
 public:
  static constexpr std::size_t message_bytes_max = std::size_t{1} << 20U;

  explicit Triggers(TriggersSettings settings);
  ~Triggers();
  Triggers(const Triggers&) = delete;
  Triggers& operator=(const Triggers&) = delete;

  // What a bus is to listen to; the object must live longer than that.
  std::vector<store::BusSettings::Heard> hears();
  // From now on they are begun. Once; the bus must live until stop().
  void attach(store::MessageBus& bus);
  void stop();

  void append_metrics(std::string& out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb::events
