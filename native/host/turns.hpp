// What the parts of a driver ask of it (driver.hpp). Internal to native/host.
#pragma once

#include <memory>

#include "native/host/live_run.hpp"

namespace plumb::host {

class Turns {
 public:
  // Into the inbox of the run; where it is over the event is answered at once.
  virtual void post(const RunRef& run, Event event) = 0;
  // A worker takes the run up, unless somebody has it: whoever has it looks again. Its mutex is held.
  virtual void schedule(const RunRef& run) = 0;
  // The driver with all of its parts: what a part gives to another thread keeps it, or asks whether it is there still.
  virtual std::shared_ptr<Turns> self() = 0;

 protected:
  ~Turns() = default;
};

}  // namespace plumb::host
