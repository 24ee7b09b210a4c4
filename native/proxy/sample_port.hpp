// The port of `plumb serve --sample`: the interfaces of OpenAI, Anthropic and Ollama with a fake model.
//
//   Result<std::unique_ptr<HttpServer>> port = open_sample_port(settings);
//
//   POST /v1/chat/completions, /v1/messages, /api/chat     answered by core/stranger
//   GET  /v1/models, /api/tags, /api/version, /healthz
//
// No key is needed and any is accepted. Requests for another Host than this machine are refused. Pages of any origin
// may ask, since all data is made up.
#pragma once

#include <memory>

#include "core/result.hpp"
#include "native/proxy/http_server.hpp"

namespace plumb::proxy {

Result<std::unique_ptr<HttpServer>> open_sample_port(const HttpServerSettings& settings);

}  // namespace plumb::proxy
