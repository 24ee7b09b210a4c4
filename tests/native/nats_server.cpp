#include "nats_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace plumb::test {

namespace {

constexpr int start_ms = 20'000;

std::string program() {
  for (const char* path : {"/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"}) {
    if (::access(path, X_OK) == 0) {
      return path;
    }
  }
  return {};
}

int loopback_socket(sockaddr_in& at, int port) {
  at = {};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int free_port() {
  sockaddr_in at{};
  const int one = loopback_socket(at, 0);
  socklen_t size = sizeof at;
  if (::bind(one, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
      ::getsockname(one, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
    throw std::runtime_error("no port of the loopback is free");
  }
  ::close(one);
  return ntohs(at.sin_port);
}

bool answers(int port) {
  sockaddr_in at{};
  const int one = loopback_socket(at, port);
  const bool there = ::connect(one, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
  ::close(one);
  return there;
}

}  // namespace

bool NatsServer::is_installed() { return !program().empty(); }

NatsServer::NatsServer(std::string more) : more_(std::move(more)), port_(free_port()) { start(); }

void NatsServer::start() {
  const std::string file = folder_.file("server.conf");
  std::ofstream(file) << "listen: 127.0.0.1:" << port_ << "\njetstream {store_dir: \"" << folder_.file("kept")
                      << "\", max_mem: 64MB, max_file: 4GB}\n"
                      << more_ << "\n";
  const std::string path = program();
  const std::string log = folder_.file("log");
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    // Nothing but system calls: other threads may have held locks.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
      ::_exit(1);
    }
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(out, 1);
    ::dup2(out, 2);
    ::execl(path.c_str(), "nats-server", "-c", file.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  for (int waited = 0; !answers(port_); waited += 10) {
    if (waited > start_ms || ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = 0;
      throw std::runtime_error("nats-server does not begin; see " + log);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

NatsServer::~NatsServer() { kill(); }

void NatsServer::kill() {
  if (pid_ != 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
}

void NatsServer::restart() {
  kill();
  start();
}

void NatsServer::stop_answering() {
  ::kill(pid_, SIGSTOP);
  ::waitpid(pid_, nullptr, WUNTRACED);  // until all of its threads have stopped
}
void NatsServer::answer_again() { ::kill(pid_, SIGCONT); }

NatsServer& nats_server() {
  static NatsServer one;
  return one;
}

}  // namespace plumb::test
