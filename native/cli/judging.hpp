// Judging inputs: files become units of work, units become verdicts, rendered. Used by `plumb check`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "native/cli/inputs.hpp"
#include "native/cli/progress_bar.hpp"
#include "native/cli/report.hpp"

namespace plumb::cli {

// A contract with the context its checks read.
struct Slot {
  contract::Contract contract;
  std::string context;  // JSON text, or empty
};

struct Assigned {
  InputFile file;
  std::size_t slot = 0;  // index into the slots
};

struct Judging {
  std::vector<Slot> slots;
  std::vector<Assigned> files;  // in the order of the report
  contract::Limits limits;
  std::uint64_t hash_seed = 0;
  std::size_t jobs = 1;
};

// Judges all files in order and writes to the report. The error is one of the report's: it cannot be written.
Result<bool> judge_all(const Judging& judging, Report& report, ProgressBar& bar);

// 64 bits from the system, against crafted keys.
std::uint64_t random_seed();

}  // namespace plumb::cli
