#include "native/control/event_stream.hpp"

#include <charconv>
#include <chrono>

#include "core/json/writer.hpp"

namespace plumb::control {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view stopping_why = "the server is stopping; come back with the id of the last event";
constexpr std::uint64_t slice_ms = 500;  // after which a client's leaving and the server's stopping are seen

std::string object(std::string_view name, std::string_view value) {
  std::string out;
  json::Writer(out).begin_object().member(name, value).end_object();
  return out;
}

// A run as it is watched, by one stream.
struct Watching {
  Control& control;
  std::string id;
  std::string name;
  ShowEntry show;
  std::unique_ptr<host::Watch> watch;

  NextEvents next() {
    host::Watch::Event event = watch->next(slice_ms);
    switch (event.what) {
      case host::Watch::What::entry: {
        const Shown shown = show(event.entry);
        if (!shown.failed.empty()) {
          return {event_text("dropped", object("why", shown.failed)), true};
        }
        return {shown.json.empty() ? std::string() : event_text(name, shown.json, event.entry.number), false};
      }
      case host::Watch::What::told: {
        std::string data;
        json::Writer json(data);
        json.begin_object().member("key", event.key).member("what", event.name).key("data");
        json.raw(event.json).end_object();
        return {event_text("told", data), false};
      }
      case host::Watch::What::ended: {
        const Result<host::Summary> summary = control.host->summary(id);
        return {event_text("end", object("state", summary ? run::state_name(summary.value().row.state) : "unknown")),
                true};
      }
      case host::Watch::What::dropped:
        ++control.metrics.watchers_dropped;
        return {event_text("dropped", object("why", event.name)), true};
      case host::Watch::What::stopped:
        return {event_text("stopping", object("why", stopping_why)), true};
      case host::Watch::What::nothing:
        break;
    }
    return {};
  }
};

}  // namespace

std::string event_text(std::string_view name, std::string_view data, std::optional<std::uint64_t> id) {
  std::string out;
  if (id) {
    out += "id: " + std::to_string(*id) + "\n";
  }
  if (!name.empty()) {
    out.append("event: ").append(name).append("\n");
  }
  // JSON of ours has no line ends; what others wrote may.
  for (std::size_t from = 0;;) {
    const std::size_t end = data.find_first_of("\r\n", from);
    out.append("data: ").append(data.substr(from, end - from)).append("\n");
    if (end == std::string_view::npos) {
      break;
    }
    from = end + 1;
  }
  return out + "\n";
}

StreamStart stream_start(const Request& request) {
  StreamStart start;
  const AskedNumber from = asked_number(request, "from", 0, 0, 1'000'000'000);
  if (from.refused) {
    start.refused = from.refused;
    return start;
  }
  start.from = from.number;
  const std::string last = request.header("Last-Event-ID");
  if (last.empty()) {
    return start;
  }
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(last.data(), last.data() + last.size(), number);
  if (failed != std::errc() || end != last.data() + last.size() || number > 1'000'000'000) {
    start.refused = refuse(Wrong::bad_request, Error{ErrorCode::invalid_argument,
                                                     "must be the id of an event of this stream: the number of a "
                                                     "journal entry, not '" +
                                                         json::excerpt(last, 40) + "'",
                                                     "Last-Event-ID", 0, 0});
    return start;
  }
  start.from = number + 1;
  start.again = true;
  return start;
}

std::shared_ptr<void> take_stream_place(Control& control) {
  std::atomic<std::uint64_t>& open = control.metrics.streams_open;
  std::uint64_t now = open.load();
  do {
    if (now >= streams_max) {
      ++control.metrics.streams_refused;
      return nullptr;
    }
  } while (!open.compare_exchange_weak(now, now + 1));
  return {&open, [](std::atomic<std::uint64_t>* count) { --*count; }};
}

Answer no_stream_place() {
  return refuse(Wrong::limit, std::to_string(streams_max) +
                                  " event streams are open, and no more are given at once; close one, or ask for the "
                                  "status instead.");
}

Answer event_stream(Control& control, std::shared_ptr<void> place, std::function<NextEvents()> next) {
  Answer answer;
  answer.type = "text/event-stream";  // exactly this: with a charset behind it httplib would compress, and so buffer
  answer.headers.emplace_back("X-Accel-Buffering", "no");
  answer.stream = [&control, place = std::move(place), next = std::move(next)](Sink& sink) {
    if (!sink.write(": plumb\n\n")) {
      return false;
    }
    Clock::time_point written = Clock::now();
    for (;;) {
      if (control.serving->stopping) {
        return sink.write(event_text("stopping", object("why", stopping_why)));
      }
      const NextEvents events = next();
      if (!events.text.empty()) {
        if (!sink.write(events.text)) {
          return false;
        }
        written = Clock::now();
      } else if (Clock::now() - written >= std::chrono::milliseconds(keepalive_ms)) {
        if (!sink.write(": keepalive\n\n")) {
          return false;
        }
        written = Clock::now();
      } else if (!sink.listening()) {
        return false;
      }
      if (events.over) {
        return true;
      }
    }
  };
  return answer;
}

Answer run_event_stream(Control& control, const std::string& id, const StreamStart& start, std::string_view name,
                        ShowEntry show) {
  if (start.refused) {
    return *start.refused;
  }
  const Result<host::Summary> summary = control.host->summary(id);
  if (!summary) {
    return refuse(summary.error());
  }
  const store::RunRow& row = summary.value().row;
  if (start.again && row.state != run::State::waiting && start.from >= row.entries) {
    Answer answer;
    answer.status = 204;
    return answer;
  }
  std::shared_ptr<void> place = take_stream_place(control);
  if (!place) {
    return no_stream_place();
  }
  Result<std::unique_ptr<host::Watch>> watch = control.host->watch(id, start.from);
  if (!watch) {
    return refuse(watch.error().code == ErrorCode::invalid_argument ? Wrong::bad_request : Wrong::limit, watch.error());
  }
  const auto watching =
      std::make_shared<Watching>(Watching{control, id, std::string(name), std::move(show), std::move(watch).value()});
  return event_stream(control, std::move(place), [watching] { return watching->next(); });
}

}  // namespace plumb::control
