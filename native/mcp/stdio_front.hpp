// A client at standard input and output, a server that is a command of ours, and a Front between them.
//
//   Result<int> ended = front_command({"node", "server.mjs"}, settings, tell, seed);
//
// What the server writes to its standard error is not touched. It is ended as the protocol wants: its input is closed;
// after five seconds it and all that it has started get SIGTERM, after two more SIGKILL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "native/mcp/front.hpp"

namespace plumb::mcp {

// Until the client or the server has closed, or a signal to end has come. The value: whether the server ended well.
// To be called before any other thread is made.
Result<bool> front_command(const std::vector<std::string>& command, const FrontSettings& settings, const Tell& tell,
                           std::uint64_t seed);

}  // namespace plumb::mcp
