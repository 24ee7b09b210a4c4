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
  std::uint64_t idle_ms = 0;          // the longest silence between tokens; 0: the provider's own
  std::uint64_t wait_ms = 0;          // before it is made: the provider has asked to be left alone
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
  std::optional<Structured> refused;  // the mode of structured output that was answered with 400 before this one
  std::optional<Stop> stop;
  std::uint64_t received_bytes = 0;
  std::optional<std::uint64_t> saved_tokens;  // estimated; nothing where there is no limit to compare with
};

// The line of plumb.yaml that makes the mode of structured output permanent: "providers.openai.structured: json".
std::string structured_setting(const Answered& how);

// What the tokens of a call were, as the provider told or as they are estimated.
struct Spent {
  wire::Usage usage;
  bool estimated = false;
};
// How a call ended, as far as its cost goes.
enum class Ending : std::uint8_t {
  whole,      // what was reported, else an estimate
  stopped,    // by our side, or cut: what was delivered; usage that was told half of is completed by the estimate
  refused,    // nothing was delivered: what was reported, else nothing
  timed_out,  // it may have been worked on for all of that time: the estimate
};
Spent spent(const wire::ModelRequest& request, const wire::ModelReply& reply, Ending ending);

// The tokens of a request, estimated: rather too many.
std::uint64_t input_estimate_safe(const wire::ModelRequest& request);

// "usage": {...} as replies and watchers get it.
std::string usage_json(const Spent& spent);

run::Reply ok_reply(const wire::ModelReply& reply, const Spent& spent, const Answered& how);
// `status`: failed, timed_out or cancelled. What had come of the answer is kept.
run::Reply failed_reply(run::Status status, const wire::Failure& failure, const wire::ModelReply& reply,
                        const Spent& spent, const Answered& how);
// Before any provider was asked.
run::Reply refused_reply(run::Status status, wire::FailureClass failure_class, std::string_view message);

}  // namespace plumb::provider
