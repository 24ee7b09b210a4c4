// A nats-server with JetStream for tests: on a free port of the loopback, in a folder of its own, ended with the object
// and with the process.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "scripted_runs.hpp"

namespace plumb::test {

class NatsServer {
 public:
  static bool is_installed();
  // `more`: lines of its configuration.
  explicit NatsServer(std::string more = {});
  ~NatsServer();
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string folder() const { return folder_.file(""); }
  void kill();     // as a loss of the process: SIGKILL
  void restart();  // on the same port, with what it had
  void stop_answering();
  void answer_again();

 private:
  void start();

  TemporaryFolder folder_;
  std::string more_;
  int port_ = -1;
  pid_t pid_ = 0;
};

// The one of this process, begun when it is first asked for.
NatsServer& nats_server();

}  // namespace plumb::test
