// What a tool answers a model (ADR-008): one JSON object whose `result` comes first and whose `action` comes last.
//
//   {"result": "success", "data": ..., "action": "Use these passages: ..."}
//
// The action says what to do next and points forward: none asks for the same call again, so that no answer of a tool
// makes a model go round in circles. All tools of all pipelines answer through here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/contract/verdict.hpp"
#include "core/json/writer.hpp"

namespace plumb::pipelines {

// `result`: success, no_results, error, rate_limited, invalid. `members` writes what stands between the two.
std::string envelope(std::string_view result, const std::function<void(json::Writer&)>& members,
                     std::string_view action);

// A tool that could not do what it was asked; what went wrong in a sentence.
std::string failed_envelope(std::string_view error,
                            std::string_view action = "Go on without this tool, or with other arguments.");
// A call of a tool that there is not.
std::string unknown_tool_envelope(std::string_view tool, std::span<const std::string_view> known);
// Arguments that break their contract, with what is wrong with each.
std::string invalid_arguments_envelope(std::string_view tool, const contract::Verdict& verdict);

// Whether an action may be said: it does not ask for another try of the same.
bool points_forward(std::string_view action);

}  // namespace plumb::pipelines
