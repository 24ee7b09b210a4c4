// Routes about the proxy: what it has done lately, once or as it goes on.
#include <chrono>
#include <memory>
#include <thread>

#include "native/control/control.hpp"
#include "native/control/event_stream.hpp"
#include "native/control/route_table.hpp"

namespace plumb::control {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look{200};
constexpr std::chrono::milliseconds at_most_every{1'000};
constexpr std::chrono::milliseconds at_least_every{5'000};  // the curves go on though nothing happens

Answer no_proxy() {
  return refuse(Wrong::not_found,
                "No proxy runs here: it does where plumb.yaml has `proxy:`, or with `plumb serve --proxy PORT`.");
}

}  // namespace

Answer get_proxy(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  return control.proxy ? json_answer(200, control.proxy.state()) : no_proxy();
}

Answer get_proxy_call(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  if (!control.proxy) {
    return no_proxy();
  }
  std::string call = control.proxy.call(request.value("id"));
  if (call.empty()) {
    return refuse(Wrong::not_found, "Not among the last calls: " + std::string(request.value("id")));
  }
  return json_answer(200, std::move(call));
}

Answer get_proxy_events(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  if (!control.proxy) {
    return no_proxy();
  }
  std::shared_ptr<void> place = take_stream_place(control);
  if (!place) {
    return no_stream_place();
  }
  struct StreamState {
    Clock::time_point at;
    std::uint64_t changes = 0;
    bool any = false;
  };
  const auto told = std::make_shared<StreamState>();
  return event_stream(control, std::move(place), [&control, told]() -> NextEvents {
    const std::uint64_t changes = control.proxy.changes();
    const auto since = Clock::now() - told->at;
    const bool due = !told->any || (changes != told->changes && since >= at_most_every) || since >= at_least_every;
    if (!due) {
      std::this_thread::sleep_for(look);
      return {};
    }
    *told = {Clock::now(), changes, true};
    return {event_text("state", control.proxy.state()), false};
  });
}

}  // namespace plumb::control
