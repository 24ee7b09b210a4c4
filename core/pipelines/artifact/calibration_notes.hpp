// The input, notes and result of a calibration, as its journal has them. Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/judge/measure.hpp"
#include "core/run/data_record.hpp"

namespace plumb::pipelines::calibration {

// What a person says of one claim.
struct Label {
  std::string rule;
  std::string at;
  bool supported = false;
  static std::span<const json::Field> fields();
};
struct Labelled {
  std::string name;
  std::uint64_t source = 0;        // index into `sources`
  std::uint64_t token_budget = 0;  // of a job with this source
  run::Data artifact;
  std::vector<Label> labels;
  static std::span<const json::Field> fields();
};
struct Input {
  judge::JudgeKey key;
  judge::JudgeLimits demanded;
  std::vector<Labelled> labelled;
  static std::span<const json::Field> fields();
};

// A claim of which judge and person say different things, or that the judge left undecided.
struct Difference {
  std::string name;  // of the artifact
  std::string at;
  std::string rule;
  bool supported = false;  // says the person
  std::string judged;      // "accepted", "rejected" or "undecided"
  std::string reason;      // of the judge, if it gave one
  static std::span<const json::Field> fields();
};
// What the judge said of one artifact; note `judged`.
struct Judged {
  std::string name;
  judge::Tally tally;
  std::string error;  // why the judge did not decide on it
  bool ends = false;  // the run ends with that error
  std::vector<Difference> differences;
  static std::span<const json::Field> fields();
};

struct Outcome {
  judge::Tally tally;
  std::uint64_t artifacts = 0;
  std::uint64_t unjudged = 0;  // of them
  std::string unjudged_reason;
  std::string distrust;  // measured, and worse than the host demands
  std::vector<Difference> differences;
  std::uint64_t tokens = 0;
  static std::span<const json::Field> fields();
};

}  // namespace plumb::pipelines::calibration
