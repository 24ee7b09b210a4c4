// The versions of the artifact that validation and repair hand to each other. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/artifact/notes.hpp"

namespace plumb::pipelines::artifact {

// A version of the artifact, and what is known of it.
struct Version {
  std::string text;     // as edited; what judges and repairs see
  std::string stopped;  // why it was stopped, or empty
  bool is_json = false;
  std::uint64_t items = 0;    // as the prompt counts them
  std::uint64_t cut = 0;      // of them, beyond the number
  std::uint64_t missing = 0;  // members that are required and not there
  bool rootless = false;      // one of them at the top
  std::uint64_t open = 0;     // entries of the plan that nothing is about
  std::uint64_t errors = 0;   // structural
  std::vector<std::string> violations;
  std::vector<std::string> coverage;  // warnings: what nothing is about, and another language than is wanted
  bool judged = false;
  std::uint64_t issues = 0;
  std::vector<std::string> semantic;
  std::uint64_t undecided = 0;
  std::string judge_error;  // why it could not be judged, or empty
  std::string again_error;  // why what was open could not be asked again
  bool final = false;       // no repair can help: the budget, a cancelled run
  bool warned = false;      // it has warnings
  run::Data verdict;
  run::Data judgement;  // where judged

  bool holds() const { return errors == 0 && judged && issues == 0; }
  static std::span<const json::Field> fields();
};

// Reports what was cut of a version.
void note_cut(run::Run& run, const Version& version);

// Structure: edits first, then items beyond the number are cut; then the contract, and the numbers that the run is held
// to. Writes no note.
Version check_structure(const run::Run& run, const Job& job, const run::Data& plan, std::string text,
                        std::string stopped);

// What was put right without a model.
struct Fix {
  std::string rule;
  std::string at;
  run::Data from;
  run::Data to;
  static std::span<const json::Field> fields();
};
struct FreedNote {
  std::uint64_t count = 0;
  std::vector<Fix> fixes;
  std::uint64_t errors = 0;
  std::string text;
  static std::span<const json::Field> fields();
};

// The same for a text that is known to be JSON, after free fixes; counts them.
struct Freed {
  Version version;
  FreedNote note;
};
Freed free_tier(const run::Run& run, const Job& job, const run::Data& plan, const Version& version);

// Meaning: asks the judge, at most twice; and once more for what it left out or misquoted.
void judge_meaning(run::Run& run, const Job& job, Spent& spent, const run::Data& plan, Version& version);
// Claims are judged in batches of about so many, but in no more batches than that, whatever their number.
inline constexpr std::size_t judge_batch = 30;
inline constexpr std::size_t judge_batches_max = 3;
// The rules of a contract that only a judge decides, by id.
std::vector<std::string> asked_rules(const contract::Contract& contract);

// Both steps on the first artifact; on a repaired one meaning only where the structure holds. As part_result() has it.
run::Data validate(run::Run& run, const Job& job, Spent& spent, const run::Data& plan, Version version,
                   std::uint64_t attempt);
// From the first version to the end: repairs, at most two, and what becomes of the best version.
Result<run::Data> settle(run::Run& run, const Job& job, Spent& spent, const run::Data& plan, const Version& first);

// What the repair before this one came to.
struct LastRepair {
  bool kept = true;
  std::string broke;  // it was not kept: the rules that it broke, or why; none of its text
};

// One attempt at a repair: the new version, unjudged, as part_result() has it.
run::Data repair_artifact(run::Run& run, const Job& job, Spent& spent, const run::Data& plan, const Version& version,
                          const LastRepair& last);

}  // namespace plumb::pipelines::artifact
