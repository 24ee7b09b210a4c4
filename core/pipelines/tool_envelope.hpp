// The envelope of a tool's result for a model (ADR-008): one JSON object, with `result` first and `action` last.
//
//   {"result": "success", "data": ..., "action": "Use these passages: ..."}
//
// The action names the next step. It never asks for the same call again, so that no result makes a model repeat
// itself. All tools of all pipelines use these functions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/contract/verdict.hpp"
#include "core/json/writer.hpp"

namespace plumb::pipelines {

// `result` is success, no_results, error, rate_limited or validation_failed. `members` writes the members between the
// two.
std::string envelope(std::string_view result, const std::function<void(json::Writer&)>& members,
                     std::string_view action);

// For a tool that could not do what it was asked. `error` is a sentence.
std::string failed_envelope(std::string_view error,
                            std::string_view action = "Go on without this tool, or with other arguments.");
// For a call of a tool that does not exist.
std::string unknown_tool_envelope(std::string_view tool, std::span<const std::string_view> known);
// For arguments that break their contract: feedback in the form of contract::render_llm().
std::string invalid_arguments_envelope(std::string_view tool, const contract::Verdict& verdict,
                                       std::string_view arguments);

// True if the action may be used: it does not ask for the same call again.
bool points_forward(std::string_view action);

}  // namespace plumb::pipelines
