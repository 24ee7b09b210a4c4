// The protocol over HTTP (streamable HTTP), on this machine alone.
//
//   Result<std::unique_ptr<proxy::HttpServer>> port = open_own_port(8790, setting);             // our own tools
//   Result<std::unique_ptr<proxy::HttpServer>> port = open_front_port(8790, url, settings, ...); // before a server
//
// Requests for another Host, and from pages of another origin, are refused (403). Our own tools are at /mcp and keep
// no session. Before a server the path is that of its address, and every field of a request goes to it but those that
// are about the connection; nothing is followed and nothing else is fetched.
#pragma once

#include <cstdint>
#include <memory>

#include "core/result.hpp"
#include "native/mcp/front.hpp"
#include "native/mcp/own_server.hpp"
#include "native/provider/endpoint.hpp"
#include "native/proxy/http_server.hpp"

namespace plumb::mcp {

Result<std::unique_ptr<proxy::HttpServer>> open_own_port(std::uint16_t port, const ToolSetting& setting);

// `settings` must outlive the server.
Result<std::unique_ptr<proxy::HttpServer>> open_front_port(std::uint16_t port, const provider::BaseUrl& url,
                                                           const FrontSettings& settings, const Tell& tell,
                                                           std::uint64_t seed);

}  // namespace plumb::mcp
