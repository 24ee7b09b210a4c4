// How a request becomes a run: its members checked, and the contracts and prompts it will use found and pinned. What
// the `prepare` of every pipeline shares.
//
//   Result<bool> good = only_members(request, members);
//   good = good ? pin_prompt(out.pins, texts, "discovery", "propose") : good;
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/pipelines/pipelines.hpp"
#include "core/pipelines/prompt.hpp"

namespace plumb::pipelines {

// What is wrong with a request, at the member `where`: a JSON Pointer.
Error wrong_request(std::string message, std::string where);
// "; did you mean 'word'?", or nothing where no known word is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);
// An error for a member of `object` that nobody knows, and where there is no object. `where`: of the object itself;
// `noun`: what its members are.
Result<bool> only_members(const json::Value& object, std::span<const std::string_view> known,
                          std::string_view where = {}, std::string_view noun = "member");

// A contract, and a prompt: the host's own, else the built-in one, else an error `not_found`.
Result<std::string> contract_text(const Texts& texts, std::string_view name);
Result<std::string> prompt_text(const Texts& texts, std::string_view name);

// What a prompt must say of its answer: the contract may be the artifact's own, or has to stand in the prompt.
enum class PromptAnswer : std::uint8_t { may, must };
// Pins `prompt-AS` and, where the prompt has an answer, `contract-AS`, for the prompt of this name.
Result<Prompt> pin_prompt_as(run::Pins& pins, const Texts& texts, std::string_view name, std::string_view as,
                             PromptAnswer answer = PromptAnswer::may);
// The same for PREFIX-NAME, pinned as NAME.
Result<bool> pin_prompt(run::Pins& pins, const Texts& texts, std::string_view prefix, std::string_view name);

// What tells two requests apart: the texts that are asked for, and all that is pinned. `kind`: begins it, so that
// requests of two pipelines never are the same.
std::string fingerprint_of(std::string_view kind, std::string_view input, const run::Pins& pins);

// The window of a model, "openai/gpt-4o", by the host's registry, else as its maker states it; 0: not known. An error
// where the registry is none.
Result<std::uint64_t> window_of(const Texts& texts, std::string_view model);

}  // namespace plumb::pipelines
