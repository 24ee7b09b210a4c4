// Maintenance: what has to be done beside the calls, on a thread of its own: looks for a changed plumb.yaml and key
// file several times a second, writes the day's counts at most once a second, sends spans.
//
//   Maintenance maintenance(policy, {.config = "plumb.yaml"});
//   maintenance.reload();  // SIGHUP: reads plumb.yaml and what it names again, though it has not changed
//   (end of scope)         // writes the counts, sends what spans it can within two seconds
//
// A file with an error changes nothing: the old settings, or keys, stay, and the error is logged and shown.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "native/proxy/policy.hpp"

namespace plumb::proxy {

struct MaintenanceOptions {
  std::string config;  // the path of plumb.yaml; empty: there is none to look for
  std::uint64_t look_ms = 200;
  std::uint64_t counters_ms = 1'000;
  // How settings are read; a test may have its own.
  std::function<Result<std::shared_ptr<const Settings>>(const std::string& path)> read_settings;
};

class Maintenance {
 public:
  Maintenance(Policy& policy, MaintenanceOptions options);
  ~Maintenance();
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;

  // At once, on the maintenance's thread.
  void reload();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb::proxy
