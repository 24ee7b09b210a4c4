// Which contracts an answer is held to, and how: from what the client says (a header, `plumb`, `response_format`, its
// tools), what its key may, and the settings.
//
//   GuardChoice choice;
//   if (auto failure = choose_guard(ask, choice)) { tell the client }
//   if (choice.on) Guard guard(std::move(choice.options));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/guard/guard_options.hpp"
#include "core/wire/client_request.hpp"
#include "core/wire/failure.hpp"
#include "native/provider/structured_output.hpp"
#include "native/proxy/client_keys.hpp"
#include "native/proxy/settings.hpp"

namespace plumb::proxy {

struct GuardAsk {
  const wire::ClientRequest& request;
  std::string_view body;
  std::string_view header_contract;  // X-Plumb-Contract
  std::string_view header_mode;      // X-Plumb-Mode
  const Settings& settings;
  const Caller& caller;
  provider::ContractShelf& shelf;
  std::uint64_t hash_seed = 0;
};

struct GuardChoice {
  bool on = false;
  bool only_observes = false;  // nothing is held back, changed or stopped
  bool own_schema = false;     // the client's own, in `plumb`
  guard::GuardOptions options;
  std::string contract;   // a name for logs: "quiz"
  std::string hash;       // of the named contract's text
  std::string_view mode;  // "enforce"
  std::string as_text;    // all that the outcome depends on besides the body: for the cache
};

std::optional<wire::Failure> choose_guard(const GuardAsk& ask, GuardChoice& choice);

}  // namespace plumb::proxy
