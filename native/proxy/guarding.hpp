// Chooses which contracts an answer is checked against, and how: from the client's request (a header, `plumb`,
// `response_format`, its tools), its key's rights, and the settings.
//
//   GuardChoice choice;
//   if (auto failure = choose_guard(ask, choice)) { tell the client }
//   if (choice.on) Guard guard(std::move(choice.options));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/guard/guard_options.hpp"
#include "core/text/steps.hpp"
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
  std::uint64_t random = 0;                   // makes the call's id, by which a canary decides
  const std::shared_ptr<text::Steps>& steps;  // the budget for all verdicts of this call; null: unlimited
};

struct GuardChoice {
  bool on = false;
  bool only_observes = false;  // nothing is held back, changed or stopped
  bool own_schema = false;     // the client's own schema, in `plumb`
  bool strange = false;        // some contract is the client's own, wherever it is
  bool canary = false;         // the share of the named contract chose the mode
  bool slow = false;           // and checking a piece of an answer against it may take long
  guard::GuardOptions options;
  std::string contract;   // a name for logs: "quiz"
  std::string hash;       // of the named contract's text
  std::string_view mode;  // "enforce"
};

// True if choosing may take more than a millisecond: the client's own schemas are not known yet, and are long or have
// patterns.
bool is_long_to_choose(const GuardAsk& ask);

std::optional<wire::Failure> choose_guard(const GuardAsk& ask, GuardChoice& choice);

}  // namespace plumb::proxy
