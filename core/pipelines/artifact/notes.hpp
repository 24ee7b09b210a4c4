// The notes of an artifact run and its result, as its journal has them: written by its parts, shown by view and log.
// Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/reason.hpp"
#include "core/run/data_record.hpp"

namespace plumb::pipelines::artifact {

struct PhaseNote {
  std::string phase;
  static std::span<const json::Field> fields();
};

// So many of what the prompt counts, in its words: `planned`, `made`, `held`.
struct CountNote {
  std::uint64_t count = 0;
  std::string words;
  std::optional<run::Data> plan;  // of `planned`
  std::optional<bool> is_json;    // of `made`
  bool at_limit = false;
  std::optional<run::Data> stopped;  // that our side ended the answer, as its reply has it
  static std::span<const json::Field> fields();
};
struct Stopped {
  std::string why;
  std::uint64_t received_bytes = 0;
  std::uint64_t saved_tokens = 0;
  static std::span<const json::Field> fields();
};

struct HiddenNote {
  std::uint64_t passages = 0;  // that the plan points to
  std::string words;
  static std::span<const json::Field> fields();
};
struct StepNote {
  std::string step;  // "structure" or "meaning"
  std::uint64_t attempt = 0;
  std::optional<bool> skipped;  // of meaning
  std::optional<std::vector<std::string>> not_run;
  std::string why;
  static std::span<const json::Field> fields();
};
struct StructureNote {
  std::uint64_t attempt = 0;
  std::uint64_t errors = 0;
  std::string text;
  run::Data verdict;
  static std::span<const json::Field> fields();
};
struct MeaningNote {
  std::uint64_t attempt = 0;
  bool judged = false;
  std::uint64_t issues = 0;
  std::uint64_t undecided = 0;
  std::vector<std::string> semantic;
  std::string error;
  run::Data judgement;
  static std::span<const json::Field> fields();
};
struct InvalidNote {
  std::uint64_t errors = 0, issues = 0;
  static std::span<const json::Field> fields();
};

struct AgainNote {
  std::uint64_t count = 0;
  std::uint64_t of = 0;
  static std::span<const json::Field> fields();
};
struct RepairNote {
  std::uint64_t attempt = 0;
  std::uint64_t of = 0;
  std::optional<std::uint64_t> uncovered;  // where that is all that is wrong
  static std::span<const json::Field> fields();
};
struct PatchNote {
  bool applied = false;
  std::string why;
  std::vector<std::string> scope;
  static std::span<const json::Field> fields();
};
struct RepairedNote {
  std::uint64_t attempt = 0;
  bool kept = false, valid = false;
  std::optional<std::string> why;  // it is not kept
  Reason reason = Reason::none;    // as Comparison has it
  static std::span<const json::Field> fields();
};

struct SalvagedNote {
  std::uint64_t asked = 0;
  std::uint64_t kept = 0;
  std::string words, reason;
  static std::span<const json::Field> fields();
};
struct UnrepairedNote {
  std::uint64_t attempt = 0;
  std::string error;
  static std::span<const json::Field> fields();
};
struct ExhaustedNote {
  std::uint64_t attempts = 0;
  static std::span<const json::Field> fields();
};

// What a failed run keeps.
struct FailedNote {
  std::uint64_t attempts = 0;
  std::vector<std::string> violations;
  std::vector<std::string> issues;
  std::vector<std::string> initial_violations;
  std::vector<std::string> initial_issues;
  std::string artifact;
  run::Data unverified;
  std::string fewer;
  run::Data left_out;
  std::optional<std::uint64_t> asked;
  std::optional<std::uint64_t> kept;
  std::optional<std::vector<std::string>> checks_not_run;
  static std::span<const json::Field> fields();
};

// The result of a run.
struct Outcome {
  run::Data artifact;
  std::string decision;
  bool partial = false;
  std::uint64_t asked = 0;
  std::uint64_t kept = 0;
  std::string reason;
  std::uint64_t attempts = 0;
  run::Data evidence;
  run::Data unverified;
  std::optional<std::string> unverified_reason;
  bool judge_distrusted = false;
  std::vector<std::string> warnings;
  std::optional<std::vector<std::string>> violations;
  std::optional<std::vector<std::string>> issues;
  std::uint64_t tokens = 0;
  static std::span<const json::Field> fields();
};

}  // namespace plumb::pipelines::artifact
