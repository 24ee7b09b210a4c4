// What the preparations of this folder share: reading members of a request, and pinning what a run uses. Internal to
// this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/extract/chunks.hpp"
#include "core/pipelines/artifact/job.hpp"

namespace plumb::pipelines::artifact {

inline constexpr std::uint64_t token_budget_max = 100'000'000;

// The whole number under `key`, from 1 to `max`; `otherwise` if it is not there.
Result<std::uint64_t> number(const json::Value& request, std::string_view key, std::string where,
                             std::uint64_t otherwise, std::uint64_t max);
// The passages of `content`, `chunks` or `retrieval_snapshot`.
Result<std::vector<extract::Chunk>> source_of(const json::Value& request);
// The limits of each phase: those of the request, else those of the host, else the usual ones.
Result<bool> write_limits(json::Writer& json, const json::Value& request, const Texts& texts);
// The provider of each phase that has one of its own, as JSON.
std::string chosen_providers(const json::Value& request, const Texts& texts);

// The contract of this type, as its author wrote it. `where` is the place of the type in the request.
Result<contract::Contract> pin_contract_of(const Texts& texts, std::string_view type, std::string where,
                                           run::Pins& pins);
// The prompts of all phases, the type's own or the general ones. The value: that of the plan, which names the options.
Result<Prompt> pin_prompts(const Texts& texts, std::string_view type, run::Pins& pins);

// What measurements of the chosen judge are about. The pins must have the judge's prompt.
judge::JudgeKey judge_key(const json::Value& chosen, std::string_view type, const contract::Contract& contract,
                          const run::Pins& pins);
// What the host knows of that judge, and whether it trusts it.
JudgeStanding standing_of(const Texts& texts, const judge::JudgeKey& key);

}  // namespace plumb::pipelines::artifact
