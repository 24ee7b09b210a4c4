// Steps of version 2 runs, which replaced a rejected decision with one made by rule. Only for continuing and replaying
// runs of that version. Internal to this folder.
#pragma once

#include "core/pipelines/research/inquiry.hpp"
#include "core/pipelines/research/plan.hpp"
#include "core/pipelines/research/step.hpp"

namespace plumb::pipelines::research::steps_two {

// Keeps the valid questions of a rejected plan and rewrites the others; a rejected "done" names an unmet criterion.
std::string rewritten_plan(const run::Run& run, const Planning& planning, const json::Value* last,
                           const std::vector<contract::Finding>& broken);
// Returns the next query: the missing part that the author named, otherwise the subject of the question, in words that
// no earlier query used. Returns "done" if no such query exists.
Decision rewritten_query(const run::Run& run, const Inquiry& inquiry, const std::vector<Search>& searches,
                         const json::Value* last);

}  // namespace plumb::pipelines::research::steps_two
