#include "native/events/loops.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "native/events/event_metrics.hpp"
#include "native/host/contained.hpp"

namespace plumb::events {

namespace {

constexpr std::size_t responses = std::size(budget::response_names);

std::uint64_t steady_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

}  // namespace

struct Loops::State {
  explicit State(LoopsSettings with) : settings(std::move(with)), loops(settings.judge, settings.bounds) {}

  void tell();
  void say(store::StoreTold kind, const std::string& text) const {
    if (settings.told) {
      settings.told(kind, text);
    }
  }

  const LoopsSettings settings;
  mutable std::mutex mutex;
  std::condition_variable changed;
  budget::ForeignLoops loops;
  std::array<std::uint64_t, responses> signals = {};  // by what they call for
  std::deque<store::BusMessage> waiting;
  std::uint64_t lost = 0;
  std::uint64_t told_malformed_ms = 0;
  std::uint64_t malformed_untold = 0;
  bool stopping = false;
  store::MessageBus* bus = nullptr;
  std::thread thread;
};

Loops::Loops(LoopsSettings settings) : state_(std::make_unique<State>(std::move(settings))) {}
Loops::~Loops() { stop(); }

void Loops::hear(const store::BusMessage& message) {
  if (!message.by.empty()) {
    return;
  }
  State& its = *state_;
  std::pair<store::StoreTold, std::string> line;
  const std::optional<std::string> broken = host::contained([&] {
    const std::lock_guard<std::mutex> lock(its.mutex);
    const std::uint64_t now = steady_ms();
    Result<budget::LoopSignal> heard = its.loops.hear(message.body, message.id, now);
    if (!heard) {
      ++its.malformed_untold;
      if (its.told_malformed_ms == 0 || now >= its.told_malformed_ms + its.settings.told_every_ms) {
        line = {store::StoreTold::warning, "a message on " + json::excerpt(message.subject, 100) + " is malformed (" +
                                               std::to_string(its.malformed_untold) + " since this was last said): " +
                                               json::excerpt(heard.error().message, 300)};
        its.told_malformed_ms = now;
        its.malformed_untold = 0;
      }
      return;
    }
    const budget::LoopSignal& signal = heard.value();
    if (!signal.fresh) {
      return;
    }
    ++its.signals[static_cast<std::size_t>(signal.response)];
    line = {signal.response >= budget::Response::pause ? store::StoreTold::warning : store::StoreTold::note,
            "the loop " + json::excerpt(signal.loop_id, 100) + ": " +
                std::string(budget::response_name(signal.response)) + ": " + json::excerpt(signal.reason, 300)};
    if (signal.response < budget::Response::warn) {
      return;
    }
    if (its.waiting.size() >= its.settings.signals_max) {
      its.waiting.pop_front();
      ++its.lost;
    }
    its.waiting.push_back({"user.signal." + std::string(budget::response_name(signal.response)),
                           "loop." + json::sha256_hex(signal.json).substr(0, 32), its.settings.by, signal.json});
    its.changed.notify_one();
  });
  if (broken) {
    line = {store::StoreTold::error, "a message of a loop was not judged: " + *broken};
  }
  if (!line.second.empty()) {
    its.say(line.first, line.second);
  }
}

void Loops::State::tell() {
  for (;;) {
    store::BusMessage next;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return stopping || !waiting.empty(); });
      if (stopping) {
        return;
      }
      next = waiting.front();
    }
    const store::BusAnswer answer = bus->put(next);
    std::unique_lock<std::mutex> lock(mutex);
    if (answer.what == store::LogAnswer::What::away) {
      changed.wait_for(lock, std::chrono::milliseconds(settings.again_ms), [&] { return stopping; });
    } else if (!waiting.empty() && waiting.front().id == next.id) {
      waiting.pop_front();
    }
  }
}

void Loops::attach(store::MessageBus& bus) {
  state_->bus = &bus;
  state_->thread = std::thread([its = state_.get()] { its->tell(); });
}

void Loops::stop() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_all();
  if (state_->thread.joinable()) {
    state_->thread.join();
  }
}

std::string Loops::json(std::size_t loops_max, budget::Response at_least) const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->loops.forget_silent(steady_ms());
  std::string out = state_->loops.json(loops_max, at_least, steady_ms());
  out.pop_back();
  const budget::LoopCounts& counts = state_->loops.counts();
  std::string more;
  json::Writer json(more);
  json.begin_object().member_uint("loops", state_->loops.size()).member_uint("heard", counts.heard);
  json.member_uint("malformed", counts.malformed).member_uint("repeated", counts.repeated);
  json.member_uint("forgotten_silent", counts.forgotten_silent).member_uint("forgotten_full", counts.forgotten_full);
  json.member_uint("signals_waiting", state_->waiting.size()).member_uint("signals_lost", state_->lost).end_object();
  return out + ",\"counts\":" + more + "}";
}

void Loops::append_metrics(std::string& out) const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->loops.forget_silent(steady_ms());
  const budget::LoopCounts& counts = state_->loops.counts();
  append_event_metric(out, "plumb_loops", "gauge", "Loops of other agents that were heard within the hour.",
                      {{"", state_->loops.size()}});
  append_event_metric(out, "plumb_loop_messages_total", "counter", "Messages of loops, by what became of them.",
                      {{R"(outcome="judged")", counts.heard - counts.malformed - counts.repeated},
                       {R"(outcome="malformed")", counts.malformed},
                       {R"(outcome="repeated")", counts.repeated}});
  append_event_metric(out, "plumb_loops_forgotten_total", "counter", "Loops that were forgotten, by why.",
                      {{R"(why="silent")", counts.forgotten_silent}, {R"(why="full")", counts.forgotten_full}});
  std::vector<EventSample> samples;
  for (std::size_t i = 1; i < responses; ++i) {
    samples.push_back({"response=\"" + std::string(budget::response_names[i]) + "\"", state_->signals[i]});
  }
  append_event_metric(out, "plumb_loop_signals_total", "counter", "What loops came to call for.", samples);
  append_event_metric(out, "plumb_loop_signals_lost_total", "counter",
                      "Signals of loops that were told to nobody, since too many waited.", {{"", state_->lost}});
}

}  // namespace plumb::events
