// The request of a model effect, from a prompt that the run is pinned to: what every pipeline but its own words shares.
//
//   ModelRequest what;
//   what.phase = "frame";  what.prompt = "prompt-frame";  what.contract = "contract-frame";
//   what.variables = [&](json::Writer& json) { json.member("findings", fenced("findings", text)); };
//   effect.request = [&] { return model_request(run, what); };
//
// The variables data_rule and shape (the form of the answer, from its contract) are always given.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines {

struct ModelRequest {
  std::string_view phase;
  std::string_view prompt;                            // a pin
  std::string_view contract;                          // a pin, of the answer
  std::string_view shape_of = {};                     // a pin: whose form is told, where it is not the answer's
  std::uint64_t output_tokens_min = 0;                // what the answer takes at least, as far as is known
  std::function<void(json::Writer&)> variables = {};  // members
  std::function<void(json::Writer&)> task = {};       // members of `task`, for the provider without a model
};

Prompt pinned(const run::Run& run, std::string_view name);
run::Data model_request(const run::Run& run, const ModelRequest& what);

// What a model wrote as one strict JSON text, after the edits that are certain; empty where it is none.
std::string strict_json(const contract::Contract& contract, std::string_view text);

// Pins `prompt-NAME` and, where the prompt has an answer, `contract-NAME`, for the prompt PREFIX-NAME of `texts` or
// built in.
Result<bool> pin_prompt(run::Pins& pins, const Texts& texts, std::string_view prefix, std::string_view name);
// A contract of `texts`, or built in.
Result<std::string> text_of_contract(const Texts& texts, std::string_view name);
// "did you mean ..." and the list, for a member of a request that nobody knows; nothing where all are known.
Result<bool> only_members(const json::Value& request, std::span<const std::string_view> known);
Error wrong_request(std::string message, std::string where);

// The window of a model as its maker states it; 0: not known. "openai/gpt-4o".
std::uint64_t window_of(std::string_view model);

}  // namespace plumb::pipelines
