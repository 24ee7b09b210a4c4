// What a model effect asks, and the replies that runs get: the forms that journals keep (docs/providers.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/run/effect.hpp"
#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"
#include "native/provider/profile.hpp"
#include "native/provider/stream_watch.hpp"

namespace plumb::provider {

// A request of a model effect, taken apart. Refers to nothing but itself.
struct EffectRequest {
  json::Arena arena;
  json::Value tree;
  wire::ModelRequest model;
  std::string contract;  // the name of a pin, or empty
  EarlyStop early_stop = EarlyStop::degenerate;
  const json::Value* task = nullptr;  // in `tree`
};
Result<EffectRequest> read_effect_request(const std::string& text);

// How an answer came about, beside what it says.
struct Answered {
  std::string provider;
  std::string model;
  unsigned tries = 1;
  Structured structured = Structured::none;
  bool temperature_left_out = false;
  std::optional<Stop> stop;
  std::uint64_t received_bytes = 0;
  std::optional<std::uint64_t> saved_tokens;  // estimated; nothing where there is no limit to compare with
};

// What the tokens of a call were, as the provider told or as they are estimated.
struct Spent {
  wire::Usage usage;
  bool estimated = false;
};
// Usage that a provider told half of, before it was stopped, is completed by the estimate.
Spent spent(const wire::ModelRequest& request, const wire::ModelReply& reply, bool whole);

// "usage": {...} as replies and watchers get it.
std::string usage_json(const Spent& spent);

run::Reply ok_reply(const wire::ModelReply& reply, const Spent& spent, const Answered& how);
// `status`: failed, timed_out or cancelled. What had come of the answer is kept.
run::Reply failed_reply(run::Status status, const wire::Failure& failure, const wire::ModelReply& reply,
                        const Spent& spent, const Answered& how);
// Before any provider was asked.
run::Reply refused_reply(run::Status status, wire::FailureClass failure_class, std::string_view message);

}  // namespace plumb::provider
