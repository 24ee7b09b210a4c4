// Turns: what the parts of a driver need from it (driver.hpp). Internal to native/host.
#pragma once

#include <memory>

#include "native/host/live_run.hpp"

namespace plumb::host {

class Turns {
 public:
  // Puts an event into the run's inbox. If the run is over, the event is answered at once.
  virtual void post(const RunRef& run, Event event) = 0;
  // Lets a worker take the run. If somebody has it already, they look again. The run's mutex is held.
  virtual void schedule(const RunRef& run) = 0;
  // The driver with all its parts. Work given to another thread keeps this pointer, or checks that it is still alive.
  virtual std::shared_ptr<Turns> self() = 0;

 protected:
  ~Turns() = default;
};

}  // namespace plumb::host
