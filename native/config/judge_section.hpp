// `judge` in plumb.yaml: what the judge of artifacts must have shown in a calibration (docs/artifacts.md).
//
//   judge:
//     max_false_accept: 0.1      # the share of false claims that it may accept; the end of the 95 % interval counts
//     must_be_measured: true     # a judge that was never measured does not verify alone
//
// Otherwise an artifact is accepted as not verified.
#pragma once

#include <string>

#include "core/judge/measure.hpp"
#include "core/result.hpp"

namespace YAML {
class Node;
}

namespace plumb {

// Errors carry file, line and column.
Result<judge::JudgeLimits> read_judge_section(const std::string& file, const YAML::Node& node);

}  // namespace plumb
