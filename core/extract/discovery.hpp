// Discovery without a model: patterns in conversations, figures, code and documents by the words that pieces share, and
// briefs, solutions and ranks that are quotes and counts. What it writes says that no model has looked at it.
//
// Tasks: discovery.explore {source, units}, .frame {findings, evidence}, .propose {brief, evidence}, .assess {brief,
// solution}, .rank {packages}.
#pragma once

#include <string>
#include <string_view>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::extract {

inline constexpr std::size_t patterns_max = 12;

// {"findings": [...]} of the units of one source: "conversations", "analytics", "repo" or "docs".
std::string patterns_in(std::string_view source, const json::Value& units);

// The answer to a task whose name begins with "discovery.".
Result<std::string> discovery_answer(std::string_view name, const json::Value& task);

}  // namespace plumb::extract
