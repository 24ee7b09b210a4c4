// The Fulfiller of model effects: each phase's requests go to the provider that was chosen for it.
//
//   Result<std::unique_ptr<host::Fulfiller>> fulfiller = make_model_fulfiller(std::move(options));
//
// A request is written for its provider with the strongest structured output that this one offers from the contract of
// the effect (structured_output.hpp). The answer streams through that contract (stream_watch.hpp); what is found, and
// the text as it comes, is told to whoever watches; a degenerate stream is stopped, with `early_stop: finding` also at
// the first error that nothing mends. So many calls of a provider are in progress as its settings allow; the others
// wait in their order. What goes wrong is a reply (docs/providers.md has its form). Told are "call" {phase, provider,
// model}, "text" {text}, "thinking" {text}, "finding" (as in a verdict), "retry" {tried, wait_ms, class, status,
// message}, "stopped" {why, detail, ...} and "usage" {input_tokens, output_tokens, ...}.
//
// Destroying it answers what is under way with `cancelled`, before it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/host/fulfil.hpp"
#include "native/provider/choice.hpp"
#include "native/provider/settings.hpp"
#include "native/provider/transport.hpp"

namespace plumb::provider {

struct FulfillerOptions {
  std::vector<Choice> choices;     // one for each phase, and those that a request may name
  std::vector<Settings> settings;  // of every provider in `choices`, once
  std::string record;              // where answers are recorded; empty: nowhere
  std::size_t workers = 2;
  std::uint64_t call_ms_max = 600'000;  // of an effect without a deadline of its own
  std::size_t calls_max = 100'000;      // begun and not answered; more are refused
  TransportOptions transport;
  // What concerns no single call: a recording that cannot be written. One sentence; from any thread.
  std::function<void(std::string_view)> problem;
};

// The error: a recording that cannot be read or made, a provider without its key.
Result<std::unique_ptr<host::Fulfiller>> make_model_fulfiller(FulfillerOptions options);

}  // namespace plumb::provider
