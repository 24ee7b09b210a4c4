// How long a model call may be silent between tokens, and how long it may take in all. What is said of a phase goes
// before what is said of all; a flag before a variable, a variable before plumb.yaml:
//
//   --idle-limit generate=2m          PLUMB_IDLE_LIMIT_GENERATE=2m      limits: {generate: {idle: 2m}}
//   --idle-limit 90s                  PLUMB_IDLE_LIMIT=90s              limits: {idle: 90s}
//   --time-limit 30m, ...             PLUMB_TIME_LIMIT=30m, ...         limits: {total: 30m}
//
// Times are written 1500ms, 90s, 5m, 1h; a number alone is seconds.
#pragma once

#include <string_view>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/provider/settings.hpp"

namespace plumb::cli {

std::vector<OptionSpec> limit_options();

// One entry for each phase of which something is said. `said`: of plumb.yaml.
Result<std::vector<pipelines::PhaseLimits>> call_limits(const Arguments& arguments,
                                                        const provider::Variables& variables,
                                                        const std::vector<provider::SourcedMember>& said);

}  // namespace plumb::cli
