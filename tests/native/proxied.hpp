// A data port before scripted providers: bare sockets on both sides, the policy between them.
//
//   Listener provider;
//   Proxied proxied({&provider});                  // the model "m" goes to it; change `settings` before open()
//   Socket client = proxied.client();
//   client.send(post(chat, body));
//   Socket call = provider.accept();
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/wire/model.hpp"
#include "native/proxy/data_port.hpp"
#include "native/proxy/policy.hpp"
#include "tests/native/sockets.hpp"

namespace plumb::test {

inline constexpr const char* chat = "/v1/chat/completions";
inline constexpr const char* messages = "/v1/messages";
// "model": "m", one message, streamed or not, and more members.
std::string chat_body(bool stream, std::string_view more = "");
std::string whole_text(std::string_view text);  // an answer of OpenAI

struct Served {
  const Listener* at = nullptr;
  wire::Wire wire = wire::Wire::openai;
};

class Proxied {
 public:
  using Change = std::function<void(proxy::Settings&)>;
  // The first is asked for "m", the others after it, in their order.
  using Log = std::function<void(std::string_view line)>;
  explicit Proxied(const std::vector<Served>& providers, const Change& change = {}, Log log = {});
  ~Proxied();

  Socket client() const { return connect_to(port->port()); }
  // One request on a connection of its own, whole.
  std::string answer(std::string_view request) const;
  std::shared_ptr<const proxy::Settings> settings_with(const Change& change) const;
  // How many calls have ended, by the policy's own count; and how many are open.
  std::uint64_t calls_ended() const;
  std::uint64_t calls_open() const;
  // Waits until no call is open.
  bool settles(std::uint64_t ended) const;

  std::shared_ptr<proxy::Settings> settings;
  std::unique_ptr<proxy::Policy> policy;
  std::unique_ptr<proxy::DataPort> port;

 private:
  std::filesystem::path folder_;
};

// The value of a series of Prometheus text, all its labels together.
std::uint64_t metric(const std::string& text, const std::string& name);

}  // namespace plumb::test
