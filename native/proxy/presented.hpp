// Who asks: the credentials in a request, and what the policy knows of them.
//
//   Identified who = policy.identify({authorization, api_key, origin}, now);
#pragma once

#include <optional>
#include <string_view>

#include "core/wire/failure.hpp"
#include "native/proxy/client_keys.hpp"

namespace plumb::proxy {

// A request's credentials. Views into its head; empty if absent.
struct Presented {
  std::string_view authorization;  // "Bearer plumb_..."
  std::string_view api_key;        // x-api-key
  std::string_view origin;         // of a page
  bool forwarded = false;          // came through another proxy, which names the client
};

// The key in a request. Empty if the request has no key.
std::string_view presented_key(std::string_view authorization, std::string_view api_key);

struct Identified {
  CallerPtr caller;  // never null unless refused
  std::optional<wire::Failure> refused;
  bool by_token = false;  // a client token was sent: the page that sent it may read the refusal
};

}  // namespace plumb::proxy
