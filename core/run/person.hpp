// Questions to people and to client programs in a run, and their answers, read from its journal.
#pragma once

#include <string_view>
#include <vector>

#include "core/run/journal.hpp"

namespace plumb::run {

// The signal that answers a `person` effect with this request: its member `signal`, or "decide".
std::string_view answering_signal(const json::Value& request);

// The answer to the last question that this signal answers. nullptr if nobody was asked, or the answer is not there
// yet.
const Entry* answered_by(const Journal& journal, std::string_view signal);

// True for a `model` effect that a client program answers in place of a model: its request has the provider "client".
// Its member `question` is what the client is asked. It waits for its answer as a `person` effect does.
inline constexpr std::string_view client_provider = "client";
bool asks_client(EffectKind kind, const json::Value& request);

// A question to a client: its first attempt, and its reply if there is one.
struct ClientAsk {
  const Entry* attempt = nullptr;
  const Entry* reply = nullptr;
};
// All of them, in order. Valid as long as the journal.
std::vector<ClientAsk> client_asks(const Journal& journal);

}  // namespace plumb::run
