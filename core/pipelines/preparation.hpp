// Preparation: makes a run from a request. It checks the members of the request, and finds and pins its contracts and
// prompts. The `prepare` functions of all pipelines share it.
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

// The error for a wrong request. `where` is the JSON Pointer of the wrong member.
Error wrong_request(std::string message, std::string where);
// "; did you mean 'word'?", or empty if no known word is similar.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);
// An error if `object` is not an object, or has an unknown member. `where` is its JSON Pointer; `noun` describes its
// members.
Result<bool> only_members(const json::Value& object, std::span<const std::string_view> known,
                          std::string_view where = {}, std::string_view noun = "member");

// The text of a contract, and of a prompt: the host's own, or else the built-in one. If there is neither, the error
// `not_found`.
Result<std::string> contract_text(const Texts& texts, std::string_view name);
Result<std::string> prompt_text(const Texts& texts, std::string_view name);

// `must`: the prompt needs the member `answer`. `may`: without it, the artifact's own contract applies.
enum class PromptAnswer : std::uint8_t { may, must };
// Pins `prompt-AS` and, if the prompt has an answer, `contract-AS`, for the prompt with this name.
Result<Prompt> pin_prompt_as(run::Pins& pins, const Texts& texts, std::string_view name, std::string_view as,
                             PromptAnswer answer = PromptAnswer::may);
// The same for the prompt PREFIX-NAME, pinned as NAME.
Result<bool> pin_prompt(run::Pins& pins, const Texts& texts, std::string_view prefix, std::string_view name);

// The fingerprint of a request: a hash over its input and all pins. `kind` is its first part, so that requests of two
// pipelines never have the same fingerprint.
std::string fingerprint_of(std::string_view kind, std::string_view input, const run::Pins& pins);

// The window of a model, such as "openai/gpt-4o", from the host's registry, or else as its maker states it. 0 if it is
// unknown. An error if the registry is not valid.
Result<std::uint64_t> window_of(const Texts& texts, std::string_view model);

}  // namespace plumb::pipelines
