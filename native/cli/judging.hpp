// Judging inputs: files become units of work, units become verdicts, rendered. Used by `plumb check`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/repair/check.hpp"
#include "native/cli/contract_source.hpp"
#include "native/cli/inputs.hpp"
#include "native/cli/progress_bar.hpp"
#include "native/cli/recorded_traffic.hpp"
#include "native/cli/report.hpp"

namespace plumb::cli {

// A contract with the context its checks read.
struct Slot {
  contract::Contract contract;
  std::string context;  // JSON text, or empty
};

// Of a contract that was found as `said`. An error where it could be kept by anything, or the context is none;
// `context` is a file, or empty.
Result<Slot> slot_of(const NamedContract& named, const std::string& said, const std::string& context);

struct Assigned {
  InputFile file;
  std::size_t slot = 0;  // index into the slots
};

struct Judging {
  std::vector<Slot> slots;
  std::vector<Assigned> files;  // in the order of the report
  contract::Limits limits;
  std::uint64_t steps_max = 0;  // of an artifact; 0: no bound
  std::uint64_t hash_seed = 0;
  std::size_t jobs = 1;
  repair::EditOptions edits;
  bool fix = false;                         // edited texts are written back
  bool diff = false;                        // and shown
  std::optional<RecordedReading> recorded;  // the files are logs of calls: what models answered is judged
};

// Judges all files in order, writes to the report and, with `fix`, the files. How many files were written; the error
// is one of the report's: it cannot be written.
Result<std::uint64_t> judge_all(const Judging& judging, Report& report, ProgressBar& bar);

}  // namespace plumb::cli
