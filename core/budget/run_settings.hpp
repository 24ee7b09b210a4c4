// How a run is watched, as plumb.yaml says it under `budget`: {"policy": {...}, "thresholds": {...}}, each of which may
// be absent (docs/budget.md has the members).
#pragma once

#include "core/budget/pressure.hpp"
#include "core/budget/risk.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::budget {

struct RunSettings {
  Policy policy = policy_default();
  PressureThresholds thresholds;
};

// An error names the first member that is wrong.
Result<RunSettings> read_run_settings(const json::Value& settings);

}  // namespace plumb::budget
