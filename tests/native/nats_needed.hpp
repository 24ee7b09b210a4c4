// For tests that need a nats-server: where none is installed they say so, and end.
#pragma once

#include <doctest/doctest.h>

#include "nats_server.hpp"

namespace plumb::test {

inline bool no_server() {
  if (NatsServer::is_installed()) {
    return false;
  }
  MESSAGE("skipped: nats-server is not installed (apt install nats-server)");
  return true;
}

}  // namespace plumb::test
