#include "native/cli/served_events.hpp"

#include <utility>

#include "core/budget/run_settings.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "native/base/log.hpp"
#include "native/cli/store_file.hpp"
#include "native/config/config_file.hpp"
#include "native/config/trust.hpp"
#include "native/control/route_table.hpp"
#include "native/events/event_metrics.hpp"
#include "native/store/nats/jetstream.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t stop_ms = 3'000;
constexpr const char* by = "plumb";
constexpr std::uint64_t monitor_bytes_max = 64U << 20U;

void log_of_events(store::StoreTold kind, const std::string& text) { log_at(level_of(kind), "events: ", text); }

Result<store::NatsAddress> address_of(const std::string& text) {
  Result<store::NatsAddress> address = store::read_nats_address(text);
  const Result<std::string> login = nats_login();
  if (!address || !login) {
    return address ? login.error() : address.error();
  }
  if (address.value().user.empty() && address.value().token.empty() && !login.value().empty()) {
    store::set_login(address.value(), login.value());
  }
  return address;
}

// As POST /api/workflow/runs begins one.
Result<events::TriggeredRun> begin_triggered(control::Control& control, const std::string& body,
                                             const std::string& request_key) {
  control::Request request;
  request.method = "POST";
  request.path = "/api/workflow/runs";
  request.body = std::make_shared<const std::string>(body);
  request.header = [&request_key](const char* name) {
    return std::string_view(name) == "Idempotency-Key" ? request_key : std::string();
  };
  const control::Answer answer = control::post_workflow_run(control, request);
  if (answer.problem) {
    return answer.problem->error;
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(answer.body, arena);
  if (!read || json::text_of(read.value(), "id").empty()) {
    return Error{ErrorCode::unavailable, "no run was begun", "", 0, 0};
  }
  return events::TriggeredRun{std::string(json::text_of(read.value(), "id")), json::flag_of(read.value(), "fresh")};
}

// What plumb.yaml says under `budget` of runs here holds for loops of others too.
budget::RunSettings judging(const std::string& monitor) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(monitor.empty() ? std::string("{}") : monitor, arena);
  const Result<budget::RunSettings> read =
      value ? budget::read_run_settings(value.value()) : Result<budget::RunSettings>(value.error());
  return read ? read.value() : budget::RunSettings{};
}

}  // namespace

LogLevel level_of(store::StoreTold kind) {
  switch (kind) {
    case store::StoreTold::error:
      return LogLevel::error;
    case store::StoreTold::warning:
      return LogLevel::warn;
    case store::StoreTold::note:
      break;
  }
  return LogLevel::info;
}

Result<EventsSection> events_section(const Arguments& arguments) {
  const bool named = arguments.has("--config");
  const std::string path = config_path(arguments);
  if (path.empty()) {
    return EventsSection{};
  }
  Result<ConfigFile> config = read_config_file(path);
  if (!config) {
    return config.error();
  }
  if (!named && !config.value().events.nats.empty()) {
    if (std::optional<Error> error = not_trusted(config.value(), "events")) {
      return *error;
    }
  }
  return std::move(config.value().events);
}

Result<std::unique_ptr<ServedEvents>> ServedEvents::open(const EventsSection& section,
                                                         const store::StoreSettings& store_settings,
                                                         store::Store& store, control::Control& control) {
  std::unique_ptr<ServedEvents> out(new ServedEvents());
  const Result<store::NatsAddress> address = address_of(section.nats);
  if (!address) {
    return address.error();
  }
  store::ToldMarks* marks = store.told_marks();
  if (marks == nullptr) {
    store::JetStreamSettings jetstream;
    const Result<store::NatsAddress> kept_in = address_of(store_settings.at);
    if (!kept_in) {
      return kept_in.error();
    }
    jetstream.address = kept_in.value();
    jetstream.keeps = store::Keeps::told;
    jetstream.authorities = store_settings.authorities;
    jetstream.told = log_of_events;
    Result<std::unique_ptr<store::SharedLog>> log = store::open_jetstream(jetstream);
    if (!log) {
      return log.error();
    }
    Result<std::unique_ptr<store::ToldMarks>> made = store::open_shared_marks(std::move(log).value(), by);
    if (!made) {
      return made.error();
    }
    out->own_marks_ = std::move(made).value();
    marks = out->own_marks_.get();
  }
  store::BusSettings bus;
  bus.address = address.value();
  // What other agents tell must not drive out what runs did.
  bus.keeps = {{"events",
                {"agent.task.>", "user.signal.>", "workflow.events.>", "workflow.gate.>", "workflow.review.>",
                 "workflow.task.>"}},
               {"monitor", {"agent.monitor.>"}, monitor_bytes_max}};
  bus.authorities = nats_authorities();
  bus.told = log_of_events;
  if (section.loops) {
    events::LoopsSettings loops;
    loops.by = by;
    loops.judge = judging(control.texts.monitor);
    loops.told = log_of_events;
    out->loops_ = std::make_unique<events::Loops>(std::move(loops));
    bus.hears.push_back(
        {"agent.monitor.>", "", [its = out->loops_.get()](const store::BusMessage& message) { its->hear(message); }});
  }
  events::TriggersSettings triggers;
  triggers.names = section.triggers;
  triggers.begin = [&control](const std::string& body, const std::string& key) {
    return begin_triggered(control, body, key);
  };
  triggers.told = log_of_events;
  out->triggers_ = std::make_unique<events::Triggers>(std::move(triggers));
  for (store::BusSettings::Heard& one : out->triggers_->hears()) {
    bus.hears.push_back(std::move(one));
  }
  Result<std::unique_ptr<store::MessageBus>> connected = store::open_message_bus(std::move(bus));
  if (!connected) {
    return connected.error();
  }
  out->bus_ = std::move(connected).value();
  if (out->loops_) {
    out->loops_->attach(*out->bus_);
  }
  events::TellerSettings telling;
  telling.by = by;
  telling.told = log_of_events;
  Result<std::unique_ptr<events::Teller>> teller = events::Teller::open(store, *marks, *out->bus_, std::move(telling));
  if (!teller) {
    return teller.error();
  }
  out->teller_ = std::move(teller).value();
  control.events.append_metrics = [its = out.get()](std::string& text) { its->append_metrics(text); };
  if (out->loops_) {
    control.events.loops = [its = out->loops_.get()](std::size_t loops_max, budget::Response at_least) {
      return its->json(loops_max, at_least);
    };
  }
  return out;
}

ServedEvents::~ServedEvents() { stop(); }

void ServedEvents::attach() { triggers_->attach(*bus_); }

void ServedEvents::stop() {
  if (triggers_) {
    triggers_->stop();
  }
  if (teller_) {
    teller_->stop(stop_ms);
  }
  if (loops_) {
    loops_->stop();
  }
  bus_.reset();
}

void ServedEvents::append_metrics(std::string& out) const {
  const events::TellerCounts counts = teller_->counts();
  events::append_event_metric(out, "plumb_events_told_total", "counter",
                              "Events that the servers of NATS have stored, by whether they had them already.",
                              {{R"(known="false")", counts.told - counts.known}, {R"(known="true")", counts.known}});
  events::append_event_metric(out, "plumb_events_refused_total", "counter", "Events that could never be stored.",
                              {{"", counts.refused}});
  events::append_event_metric(out, "plumb_events_runs_due", "gauge", "Runs of which something waits to be told.",
                              {{"", counts.runs_due}});
  events::append_event_metric(out, "plumb_events_away", "gauge", "1 while the servers of NATS cannot be reached.",
                              {{"", bus_ != nullptr && bus_->problem().empty() ? std::uint64_t{0} : 1}});
  if (loops_) {
    loops_->append_metrics(out);
  }
  triggers_->append_metrics(out);
}

}  // namespace plumb::cli
