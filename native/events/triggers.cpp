#include "native/events/triggers.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/events/event_metrics.hpp"
#include "native/host/contained.hpp"

namespace plumb::events {

namespace {

constexpr std::string_view before = "workflow.trigger.";
constexpr std::size_t key_max = 200;

}  // namespace

struct Triggers::State {
  explicit State(TriggersSettings with) : settings(std::move(with)) {}

  void hear(store::BusMessage message);
  void begin(const store::BusMessage& message);
  void answer(const store::BusMessage& message, std::string_view outcome, const std::string& body);
  void refuse(const store::BusMessage& message, const std::string& request_id, const std::string& why);
  void work();

  const TriggersSettings settings;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<store::BusMessage> waiting;
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts;  // by name and outcome
  std::uint64_t too_many = 0;
  bool stopping = false;
  store::MessageBus* bus = nullptr;
  std::thread thread;
};

Triggers::Triggers(TriggersSettings settings) : state_(std::make_unique<State>(std::move(settings))) {}
Triggers::~Triggers() { stop(); }

std::vector<store::BusSettings::Heard> Triggers::hears() {
  std::vector<store::BusSettings::Heard> out;
  for (const std::string& name : state_->settings.names) {
    out.push_back({std::string(before) + name, "plumb",
                   [its = state_.get()](store::BusMessage message) { its->hear(std::move(message)); }});
  }
  return out;
}

void Triggers::State::hear(store::BusMessage message) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (waiting.size() < settings.waiting_max) {
    waiting.push_back(std::move(message));
  } else {
    ++too_many;  // who waits for an answer gets none, and asks again
  }
  changed.notify_one();
}

void Triggers::State::answer(const store::BusMessage& message, std::string_view outcome, const std::string& body) {
  const std::string name = message.subject.substr(std::min(before.size(), message.subject.size()));
  {
    const std::lock_guard<std::mutex> lock(mutex);
    ++counts[{name, std::string(outcome)}];
  }
  bus->say("workflow.result." + name, body);
  if (!message.reply.empty() && !bus->is_stored(message.subject)) {
    bus->say(message.reply, body);
  }
}

void Triggers::State::refuse(const store::BusMessage& message, const std::string& request_id, const std::string& why) {
  std::string body;
  json::Writer json(body);
  json.begin_object().member("error", json::excerpt(why, 1'000));
  if (!request_id.empty()) {
    json.member("request_id", request_id);
  }
  json.end_object();
  if (settings.told) {
    settings.told(store::StoreTold::warning,
                  "a message on " + message.subject + " has begun no run: " + json::excerpt(why, 300));
  }
  answer(message, "refused", body);
}

void Triggers::State::begin(const store::BusMessage& message) {
  if (message.body.size() > message_bytes_max) {
    refuse(
        message, {},
        "it has " + std::to_string(message.body.size()) + " bytes, and may have " + std::to_string(message_bytes_max));
    return;
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(message.body, arena);
  if (!read || !read.value().is(json::Kind::object)) {
    refuse(message, {}, read ? "it is not a JSON object" : "it is not JSON: " + read.error().message);
    return;
  }
  const std::string request_id(json::text_of(read.value(), "request_id"));
  const std::string key = message.id.empty() ? request_id : message.id;
  if (key.size() > key_max) {
    refuse(message, {}, "its id has more than " + std::to_string(key_max) + " bytes");
    return;
  }
  std::string body;
  json::Writer json(body);
  json.begin_object();
  for (const json::Member& member : read.value().object()) {
    if (member.key != "request_id") {
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
  const Result<TriggeredRun> begun = settings.begin(body, key.empty() ? std::string() : message.subject + " " + key);
  if (!begun) {
    refuse(message, request_id,
           (begun.error().where.empty() ? "" : begun.error().where + ": ") + begun.error().message);
    return;
  }
  std::string told;
  json::Writer out(told);
  out.begin_object().member("run_id", begun.value().id).member_boolean("fresh", begun.value().fresh);
  if (!request_id.empty()) {
    out.member("request_id", request_id);
  }
  out.end_object();
  if (settings.told) {
    settings.told(store::StoreTold::note, "a message on " + message.subject + " has begun the run " + begun.value().id);
  }
  answer(message, begun.value().fresh ? "begun" : "known", told);
}

void Triggers::State::work() {
  for (;;) {
    store::BusMessage next;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return stopping || !waiting.empty(); });
      if (stopping) {
        return;
      }
      next = std::move(waiting.front());
      waiting.pop_front();
    }
    if (const std::optional<std::string> broken = host::contained([&] { begin(next); })) {
      refuse(next, {}, *broken);
    }
  }
}

void Triggers::attach(store::MessageBus& bus) {
  state_->bus = &bus;
  state_->thread = std::thread([its = state_.get()] { its->work(); });
}

void Triggers::stop() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_all();
  if (state_->thread.joinable()) {
    state_->thread.join();
  }
}

void Triggers::append_metrics(std::string& out) const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::vector<EventSample> samples;
  for (const auto& [key, count] : state_->counts) {
    samples.push_back({"name=\"" + key.first + "\",outcome=\"" + key.second + "\"", count});
  }
  samples.push_back({R"(name="",outcome="too_many")", state_->too_many});
  append_event_metric(out, "plumb_triggers_total", "counter",
                      "Messages that were to begin a run, by what became of them.", samples);
}

}  // namespace plumb::events
