// Pipelines that only tests know, natively and in WebAssembly: together they use all that a run can do.
//
//   tale   {"title", "chapters", "sign"?: true}: a plan, judged under a pinned contract; a draft and a revision of each
//          chapter; two titles, of which the first to come is taken; where `sign` is true a signal "sign" is waited
//          for; a close that asks twice at once, once with a text that is stored by its hash
//   steps  {"count", "bytes"}: one question after the other, for speed
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/pipelines/pipelines.hpp"

namespace plumb::test {

std::span<const pipelines::Known> run_pipelines();
const pipelines::Known* run_pipeline(std::string_view name);

// What every test host answers to an effect, unless it wants something else.
run::Reply scripted_reply(const run::Want& want);

}  // namespace plumb::test
