// What `plumb serve` tells and hears on NATS, where plumb.yaml has `events:` (docs/events.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/base/log.hpp"
#include "native/cli/arguments.hpp"
#include "native/config/events_section.hpp"
#include "native/control/control.hpp"
#include "native/events/loops.hpp"
#include "native/events/teller.hpp"
#include "native/events/triggers.hpp"
#include "native/store/open_store.hpp"

namespace plumb::cli {

// As the file says it; `nats` is empty where nothing is to be told.
Result<EventsSection> events_section(const Arguments& arguments);

class ServedEvents {
 public:
  // Connects in the background. The store and the control must live longer.
  static Result<std::unique_ptr<ServedEvents>> open(const EventsSection& section,
                                                    const store::StoreSettings& store_settings, store::Store& store,
                                                    control::Control& control);
  ~ServedEvents();
  ServedEvents(const ServedEvents&) = delete;
  ServedEvents& operator=(const ServedEvents&) = delete;

  void stored(std::string_view id, std::string_view pipeline) {
    if (pipeline == events::Teller::pipeline) {
      teller_->stored(id);
    }
  }
  // The host is there: triggers begin runs from now on.
  void attach();
  // No run is begun any more; what is stored is told, for some seconds.
  void stop();

 private:
  ServedEvents() = default;
  void append_metrics(std::string& out) const;

  // The bus calls loops and triggers; the teller uses the bus.
  std::unique_ptr<events::Loops> loops_;
  std::unique_ptr<events::Triggers> triggers_;
  std::unique_ptr<store::ToldMarks> own_marks_;  // where the store has none in itself
  std::unique_ptr<store::MessageBus> bus_;
  std::unique_ptr<events::Teller> teller_;
};

// The level at which the log writes what the store and its servers report.
LogLevel level_of(store::StoreTold kind);

}  // namespace plumb::cli
