// A client at standard input and output, a server over HTTP, and a Front between them: each message of the client is a
// request of its own (streamable HTTP), and what the server answers comes back as lines.
//
//   Result<bool> ended = front_address(url, {{"authorization", "Bearer ..."}}, settings, tell, seed);
//
// The session and the revision that the server has given go with every later request. In a session with a handshake the
// server's own stream (GET) is read too, and opened again when it ends. A stream that is cut before its answer is an
// error of that call: nothing is asked again.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "native/mcp/front.hpp"
#include "native/provider/endpoint.hpp"

namespace plumb::mcp {

// Until the client has closed, or a signal to end has come. To be called before any other thread is made.
Result<bool> front_address(const provider::BaseUrl& url, const std::vector<provider::HeaderField>& fields,
                           const FrontSettings& settings, const Tell& tell, std::uint64_t seed);

}  // namespace plumb::mcp
