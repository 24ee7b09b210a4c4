// One exchange of a call with a provider: what was asked for, and what of it has come.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/reply.hpp"
#include "core/wire/usage_watch.hpp"
#include "native/provider/transport.hpp"
#include "native/proxy/event_filter.hpp"

namespace plumb::proxy {

// How an answer goes on to the client: data_call.hpp.
enum class Way : std::uint8_t { relay, observe, rewritten };
struct Round {
  std::uint64_t number = 0;
  provider::ExchangeId exchange = 0;
  wire::Wire wire = wire::Wire::openai;
  std::string_view target;  // Target::name, of the settings that the call keeps
  std::string_view key;     // the provider's: taken out of what is told
  Way way = Way::relay;
  bool asked_stream = false;
  bool streamed = false;  // what comes is a stream
  bool any = false;       // a byte of a good answer has come
  bool over = false;
  int status = 0;
  std::unique_ptr<provider::ExchangeHead> refusal;  // of an answer that is no success
  std::string content_type;
  std::unique_ptr<std::string> lost;  // settings that its wire has no word for, if any
  std::string whole;                  // an answer that is no stream, or what a refusal says
  bool passing = false;               // a whole answer that is too long to be kept
  std::optional<wire::UsageWatch> watch;
  KeptBack kept_back;                   // of a stream that is relayed
  std::unique_ptr<EventFilter> filter;  // of what comes, where it is one
  std::unique_ptr<wire::ReplyStream> reply;
  std::uint64_t close_at_ms = 0;  // the protocol's end has come, the connection's has not
};

}  // namespace plumb::proxy
