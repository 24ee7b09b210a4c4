// RunSettings: how a run is monitored, from `budget` in plumb.yaml: {"policy": {...}, "thresholds": {...}}. Both are
// optional. docs/budget.md has the members.
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

// The error names the first member that is wrong.
Result<RunSettings> read_run_settings(const json::Value& settings);

}  // namespace plumb::budget
