// One request to the control port of a server. PLUMB_TOKEN is sent if it is set.
//
//   Result<ServerAnswer> answer = ask_server("http://127.0.0.1:8787", "GET", "/v1/keys", {});
#pragma once

#include <string>

#include "core/result.hpp"

namespace plumb::cli {

struct ServerAnswer {
  int status = 0;
  std::string body;
};

// `body` is JSON, or empty. Error: the server cannot be reached, or it has answered with a problem, whose `detail` is
// the message.
Result<ServerAnswer> ask_server(const std::string& address, const char* method, const std::string& target,
                                std::string body);

}  // namespace plumb::cli
