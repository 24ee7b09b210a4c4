// ThroughCall: a request that goes to a provider as it is. Its body is not read, and neither is the answer. It needs a
// client key, counts in limits and has a line in the log, as every call. Two uses:
//
//   files, batches, audio, images     to the provider that `passthrough` names, bytes to bytes
//   the list of models, or one of it   from the provider that "*" passes names on to; `list` makes the answer of it
//
//   auto call = std::make_shared<ThroughCall>(services, loop, request, client, ask);
//   call->start(caller, address, cors, random);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "native/proxy/client_answer.hpp"
#include "native/proxy/port_services.hpp"

namespace plumb::proxy {

struct ThroughAsk {
  std::string_view route;        // for logs: "/v1/files"
  std::string_view behind = {};  // the target behind "/v1/", with the query; a view into the request
  wire::Wire wire = wire::Wire::openai;
  // Writes the client's answer, from the provider's list of models or from nothing if there was none. Gives the failure
  // if the model that the client asked for is in no list. Empty: bytes pass.
  std::function<std::optional<wire::Failure>(std::string_view list, std::string& answer)> list = {};
};

// What is passed on if plumb.yaml has `passthrough`: "/v1/files", for its own path and all below it. Empty: none of it.
std::string_view through_route(std::string_view target);
inline constexpr std::string_view through_methods = "GET, POST, DELETE, OPTIONS";

class ThroughCall final : public Answering, public std::enable_shared_from_this<ThroughCall> {
 public:
  ThroughCall(PortServices& services, Loop& loop, HttpRequest& request, Client& client, ThroughAsk ask);
  void start(const CallerPtr& caller, std::string address, const std::string& fields, std::uint64_t random);

  void gone(Gone why) override;
  void has_room() override;
  void tick(std::uint64_t now_ms) override;
  void written() override;

 private:
  struct Reader;
  bool lists() const { return static_cast<bool>(ask_.list); }
  bool good() const { return status_ >= 200 && status_ <= 299; }
  void contained(const std::function<void()>& work);
  void ask_next();
  void send(const Step& step);
  void on_head(const provider::ExchangeHead& head);
  provider::Flow on_bytes(std::string_view bytes);
  void on_end(const provider::ExchangeOutcome& outcome);
  void try_failed(const wire::Failure& failure);
  void tell_list(std::string_view body);
  void fail(const wire::Failure& failure, CallResult result);
  void finish(CallResult result, std::string_view error);

  PortServices& services_;
  Loop& loop_;
  const HttpRequest& head_;  // valid as long as the client is connected
  const ThroughAsk ask_;
  std::string body_;
  ClientAnswer answer_;
  CallerPtr caller_;
  std::unique_ptr<Call> call_;
  std::uint64_t round_ = 0;
  provider::ExchangeId exchange_ = 0;  // 0: none is under way
  int status_ = 0;
  provider::ExchangeHead refusal_;
  std::string_view key_;  // the provider's, from the settings that the call keeps
  std::string content_type_;
  std::string whole_;  // a list, or the text of a refusal
  std::uint64_t wake_at_ms_ = 0;
  bool own_limits_ = false;
  bool over_ = false;
};

}  // namespace plumb::proxy
