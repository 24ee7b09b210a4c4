// The routes of the data port, for one loop: model calls, the list of models, health, access, and CORS.
//
//   GET  /healthz                 {"status":"ok"}, without a key
//   GET  /readyz                  the same, and 503 once the proxy is stopping
//   GET  /v1/models, /v1/models/NAME
//   POST /v1/chat/completions     as OpenAI
//   POST /v1/messages, /v1/messages/count_tokens      as Anthropic
//   POST /v1/responses, /v1/embeddings                as OpenAI
//   POST /api/chat, /api/generate                     as Ollama
//   GET  /api/tags, /api/version                      as Ollama; the version without a key
//   GET  /v1/responses/ID and so on                    for responses that a provider keeps
//   OPTIONS of these              CORS, without a key
//
// Errors have the client's format, and CORS headers too, so that a page can read them.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "native/control/access.hpp"
#include "native/proxy/data_call.hpp"
#include "native/proxy/http_server.hpp"
#include "native/proxy/through_call.hpp"

namespace plumb::proxy {

class Router final : public Handler {
 public:
  Router(PortServices& services, Loop& loop, control::Access access, std::uint64_t seed)
      : services_(services), loop_(loop), access_(std::move(access)), random_(seed) {}

  std::shared_ptr<Answering> handle(HttpRequest& request, Client& client) override;
  Problem problem(int status, std::string_view message, const std::string& address) override;

 private:
  // What is known about a request when it is refused.
  struct Asked {
    HttpRequest& request;
    Client& client;
    wire::Wire wire;
    std::string_view route;
    std::string_view key;  // its id
  };
  Problem problem_text(int status, std::string_view message, const std::string& address);
  std::string address_of(const HttpRequest& request, const Client& client) const;
  std::shared_ptr<Answering> answer(HttpRequest& request, Client& client);
  void preflight(HttpRequest& request, Client& client);
  bool passes_through() const;  // the settings name a provider for what is not read
  std::shared_ptr<Answering> models(const Asked& asked, const CallerPtr& caller, std::string fields);
  std::shared_ptr<Answering> begin_through(const Asked& asked, const CallerPtr& caller, const std::string& fields,
                                           ThroughAsk ask);
  // Nothing if the request was refused; the client has been told.
  CallerPtr identify(Asked asked, std::string& fields);
  // Tells the client, with a request id, and the log.
  void refuse(const Asked& asked, const wire::Failure& failure, std::string fields);
  // `anyway`: the page may read the answer whatever the lists of origins say.
  std::string cors_fields(const HttpRequest& request, const Caller* caller, bool anyway = false) const;

  PortServices& services_;
  Loop& loop_;
  control::Access access_;
  std::mt19937_64 random_;
};

}  // namespace plumb::proxy
