// What runs did that were begun before a broken decision was dropped: its rewrite by rule took its place. Such runs go
// on and replay so; nothing else comes here. Internal to this folder.
#pragma once

#include "core/pipelines/research/inquiry.hpp"
#include "core/pipelines/research/plan.hpp"
#include "core/pipelines/research/step.hpp"

namespace plumb::pipelines::research::steps_two {

// The good questions of a rejected decision stay, the others are rewritten; done names what is unmet.
std::string rewritten_plan(const run::Run& run, const Planning& planning, const json::Value* last,
                           const std::vector<contract::Finding>& broken);
// The next query: what the author said is missing, else what the question is about, asked for in words that no earlier
// query had. Done where there is none.
Decision rewritten_query(const run::Run& run, const Inquiry& inquiry, const std::vector<Search>& searches,
                         const json::Value* last);

}  // namespace plumb::pipelines::research::steps_two
