// OwnServer: answers messages of the protocol with the tools of tools.hpp. It keeps nothing between messages, so one
// serves any number of clients and threads, with a handshake (2025-03-26 to 2025-11-25) or without (2026-07-28).
//
//   OwnServer server(setting);
//   Reply reply = server.handle(text, nullptr);      // of stdio; of HTTP with what its headers say
//   if (!reply.body.empty()) write(reply.body);
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "native/mcp/message.hpp"
#include "native/mcp/tools.hpp"

namespace plumb::mcp {

struct Reply {
  int status = 200;  // of HTTP
  std::string body;  // empty: nothing is to be said
};

// Of a request over HTTP; empty: not sent.
struct HttpSaid {
  std::string_view revision, method, name;
};

class OwnServer {
 public:
  explicit OwnServer(ToolSetting setting) : setting_(setting) {}
  Reply handle(std::string_view text, const HttpSaid* http) const;

 private:
  Reply answer(const Message& message, bool stateless, bool http) const;
  ToolSetting setting_;
};

// What HTTP's headers say against the message, where a request without a handshake has to say both. A name may be
// encoded as =?base64?...?=.
std::optional<std::string> header_trouble(const Message& message, const HttpSaid& http);
// A name as such a header has it.
std::string header_value(std::string_view name);

}  // namespace plumb::mcp
