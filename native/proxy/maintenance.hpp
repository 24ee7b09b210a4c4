// Maintenance: background work on its own thread. It looks for changes of plumb.yaml and the key file several times a
// second, writes the day's counts at most once a second, and sends spans.
//
//   Maintenance maintenance(policy, {.config = "plumb.yaml"});
//   maintenance.reload();  // SIGHUP: reads plumb.yaml and the files it names again, even if unchanged
//   (end of scope)         // writes the counts, and sends the spans that it can within two seconds
//
// A file with an error changes nothing: the old settings or keys stay, and the error is logged and shown.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "native/proxy/policy.hpp"

namespace plumb::proxy {

struct MaintenanceOptions {
  std::string config;  // the path of plumb.yaml; empty: none is watched
  std::uint64_t look_ms = 200;
  std::uint64_t counters_ms = 1'000;
  // How to read settings; a test may use its own.
  std::function<Result<std::shared_ptr<const Settings>>(const std::string& path)> read_settings;
};

class Maintenance {
 public:
  Maintenance(Policy& policy, MaintenanceOptions options);
  ~Maintenance();
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;

  // At once, on the maintenance thread.
  void reload();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb::proxy
