// `plumb check --stream`: one artifact from standard input, judged while it comes.
#pragma once

#include "native/cli/judging.hpp"
#include "native/cli/report.hpp"

namespace plumb::cli {

// Reads with read(2) and writes each finding the moment it is certain; then the verdict.
//   text:   "@BYTE symbol message ..." lines, then the text report
//   jsonl:  a line {"certain": finding} each, {"signal": ...}, then the verdict's line
// The error is one of input or output.
Result<bool> check_stream(const Slot& slot, const contract::Limits& limits, std::uint64_t steps_max,
                          const repair::EditOptions& edits, Report& report);

}  // namespace plumb::cli
