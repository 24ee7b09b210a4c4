// A model effect as the call that is made of it, and the call's outcome as the reply that the run gets.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "core/run/effect.hpp"
#include "native/provider/choice.hpp"
#include "native/provider/effect_reply.hpp"
#include "native/provider/model_call.hpp"
#include "native/provider/settings.hpp"
#include "native/provider/structured_output.hpp"

namespace plumb::provider {

struct PreparedCall {
  ModelCallRequest request;
  ModelCallLimits limits;
};

// Writes the request for its provider, with the strongest structured output that this one offers from the contract;
// nullptr: none. `request` and `how` are told what was decided. The error says what the provider cannot do.
Result<PreparedCall> prepare_call(EffectRequest& request, const Choice& choice, const Settings& settings,
                                  const KnownContract* contract, std::uint64_t left_ms, Answered& how);

// What a call cost, as it ended.
Spent cost_of(const EffectRequest& request, const ModelOutcome& outcome);

// `how.stop` is set where our side ended it.
run::Reply reply_of(const EffectRequest& request, const ModelOutcome& outcome, const Answered& how);

}  // namespace plumb::provider
