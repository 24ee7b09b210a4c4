#include "tests/native/upstream.hpp"
#include "tests/native/source_dir.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "native/provider/transport.hpp"

namespace plumb::test {

Upstream::Upstream(const std::vector<std::string>& arguments) {
  int in[2];
  int out[2];
  if (::pipe(in) != 0 || ::pipe(out) != 0)
    std::abort();
  const std::string script = plumb::test::source_dir() + "/tests/native/scripted_upstream.py";
  // Made before the fork: between it and exec nothing may allocate, whose lock another thread may hold.
  std::vector<std::string> words = {"python3", script};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  child_ = ::fork();
  if (child_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    for (const int one : {in[0], in[1], out[0], out[1]})
      ::close(one);
    ::execvp("python3", argv.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  to_child_ = in[1];
  std::string line;
  for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';)
    line += c;
  ::close(out[0]);
  port_ = static_cast<std::uint16_t>(std::atoi(line.c_str()));
  REQUIRE_MESSAGE(port_ != 0, "python3 did not start tests/native/scripted_upstream.py");
}

Upstream::~Upstream() {
  ::close(to_child_);
  ::kill(child_, SIGTERM);
  ::waitpid(child_, nullptr, 0);
}

Upstream& Upstream::shared() {
  static Upstream upstream;
  return upstream;
}

std::string Upstream::base(std::string_view tag, std::string_view script, bool tls) const {
  return (tls ? "https://localhost:" : "http://127.0.0.1:") + std::to_string(port_) + "/" + std::string(tag) + "/" +
         std::string(script);
}

nlohmann::json Upstream::stats(const std::string& tag) const {
  provider::Transport transport;
  provider::ExchangeRequest request;
  request.method = "GET";
  request.origin = {false, "127.0.0.1", port_};
  request.target = "/" + tag + "/stats";
  auto body = std::make_shared<std::string>();
  Coming<bool> over;
  transport.start(std::move(request), {},
                  {nullptr,
                   [body](std::string_view bytes) {
                     *body += bytes;
                     return provider::Flow::go_on;
                   },
                   [over](const provider::ExchangeOutcome& outcome) mutable {
                     over.set(outcome.end == provider::ExchangeEnd::complete);
                   }});
  REQUIRE(over.get());
  return nlohmann::json::parse(*body);
}

bool Upstream::sees(const std::string& tag, const std::function<bool(const nlohmann::json&)>& wanted) const {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < until) {
    if (wanted(stats(tag)))
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

std::uint16_t closed_port() {
  const int one = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  REQUIRE(::bind(one, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::getsockname(one, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  ::close(one);
  return ntohs(address.sin_port);
}

}  // namespace plumb::test
