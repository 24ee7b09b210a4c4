// One exchange of a call with a provider: the request, and what has arrived of the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/answer_rules.hpp"
#include "core/wire/reply.hpp"
#include "core/wire/usage_watch.hpp"
#include "native/provider/transport.hpp"
#include "native/proxy/event_filter.hpp"

namespace plumb::proxy {

// How the answer reaches the client; see data_call.hpp.
enum class Way : std::uint8_t { relay, observe, rewritten };
struct Round {
  std::uint64_t number = 0;
  provider::ExchangeId exchange = 0;
  wire::Wire wire = wire::Wire::openai;
  std::string_view target;  // Target::name, from the settings that the call keeps
  std::string_view key;     // the provider's key: removed from what the client gets
  Way way = Way::relay;
  bool asked_stream = false;
  // What the answer's bytes are, known from how they begin; until then `whole` has them.
  wire::AnswerForm form = wire::AnswerForm::unknown;
  bool says_events = false;  // the content type does
  bool streamed = false;     // the answer is a stream
  bool collected = false;    // it is a stream where the client asked for a whole answer
  bool any_passed = false;   // pass_on() has had the beginning
  bool any = false;          // a byte of a good answer has arrived
  bool over = false;
  int status = 0;
  std::unique_ptr<provider::ExchangeHead> refusal;  // of an answer that is an error
  std::string content_type;
  std::unique_ptr<std::string> lost;  // settings that its wire format cannot express, if any
  std::string whole;                  // an answer that is not a stream, or the text of a refusal
  bool passing = false;               // a whole answer that is too long to keep
  std::optional<wire::UsageWatch> watch;
  KeptBack kept_back;                   // of a relayed stream
  std::unique_ptr<EventFilter> filter;  // of the incoming stream, if it is one
  std::unique_ptr<wire::ReplyStream> reply;
  std::uint64_t close_at_ms = 0;  // the protocol has ended, but the connection has not
};

}  // namespace plumb::proxy
