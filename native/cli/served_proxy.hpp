// The data port as `plumb serve` runs it: opened where plumb.yaml has `proxy:` or --proxy is given.
//
//   Result<std::unique_ptr<ServedProxy>> proxy = open_proxy(arguments);
//   if (proxy.value()) ...                 // nullptr: not asked for
//   proxy.value()->maintenance().reload();      // SIGHUP
//   proxy.value()->stop();                 // within the grace time
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/cli/line_writer.hpp"
#include "native/control/proxy_view.hpp"
#include "native/proxy/data_port.hpp"
#include "native/proxy/limit_sharing.hpp"
#include "native/proxy/maintenance.hpp"
#include "native/proxy/policy.hpp"

namespace plumb::cli {

// --proxy, --config, --no-config
std::vector<OptionSpec> proxy_options();

class ServedProxy {
 public:
  ServedProxy(std::unique_ptr<LineWriter> log, std::unique_ptr<proxy::Policy> policy,
              std::unique_ptr<proxy::Sharing> sharing, std::unique_ptr<proxy::DataPort> port,
              std::unique_ptr<proxy::Maintenance> maintenance)
      : log_(std::move(log)),
        policy_(std::move(policy)),
        sharing_(std::move(sharing)),
        port_(std::move(port)),
        maintenance_(std::move(maintenance)) {}

  proxy::Policy& policy() { return *policy_; }
  proxy::Maintenance& maintenance() { return *maintenance_; }
  // "The proxy is at http://127.0.0.1:8788/v1"
  std::string address_line() const;
  std::uint16_t port() const { return port_->port(); }
  void stop() { port_->stop(); }
  // As --log has it: what plumb.yaml says holds for the whole process where the command line says nothing.
  std::string log_kind() const;

 private:
  // In the order in which they need each other.
  std::unique_ptr<LineWriter> log_;
  std::unique_ptr<proxy::Policy> policy_;
  std::unique_ptr<proxy::Sharing> sharing_;  // nullptr: with nobody
  std::unique_ptr<proxy::DataPort> port_;
  std::unique_ptr<proxy::Maintenance> maintenance_;
};

Result<std::unique_ptr<ServedProxy>> open_proxy(const Arguments& arguments);

// For the control port; the policy must outlive it.
control::ProxyView proxy_view(proxy::Policy& policy);

}  // namespace plumb::cli
