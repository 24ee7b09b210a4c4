// The data port: what clients call instead of their provider.
//
//   Result<std::unique_ptr<DataPort>> port = DataPort::open(policy);   // listens and answers from now on
//   port.value()->port();
//   port.value()->stop();           // ends the calls in progress within the settings' grace time
//
// The policy must outlive it. Replaced settings take effect with the next call; address, threads and connection bounds
// are those it was opened with.
#pragma once

#include <cstdint>
#include <memory>

#include "core/result.hpp"
#include "native/proxy/http_server.hpp"
#include "native/proxy/policy.hpp"

namespace plumb::proxy {

class DataPort {
 public:
  static Result<std::unique_ptr<DataPort>> open(Policy& policy);
  virtual ~DataPort() = default;

  virtual std::uint16_t port() const = 0;
  virtual void stop() = 0;
  virtual void stop(std::uint64_t grace_ms) = 0;
  virtual HttpServerCounts counts() const = 0;
};

}  // namespace plumb::proxy
