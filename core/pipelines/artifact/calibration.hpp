// Calibration: measures how often the judge of artifacts is wrong. The judge decides on artifacts whose claims a person
// has labelled, as the artifact pipeline has it decide: the same prompts, batches, second look and floor.
//
// A request is a JSON object:
//
//   contract      the type of the artifacts: "quiz", or one of the user's own (required)
//   artifacts     the labelled artifacts (required), each
//     content or chunks   the source, as for an artifact
//     artifact            the artifact
//     labels              {"questions[0]": true, "questions[1]": {"answer-correct": false}}: by place, whether the
//                         source supports all that is judged there, or each of these rules
//     name                how results name it, "labels.jsonl:3"; else its number
//   token_budget  all model calls of the run together
//   limits_ms, providers   as for an artifact
//
// The result has a tally (core/judge/measure.hpp), and each claim on which judge and person differ. A host finds it by
// the key in the run's input (key_of), and keeps it as long as the run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/pipelines/pipelines.hpp"
#include "core/run/run.hpp"

namespace plumb::pipelines::calibration {

inline constexpr std::size_t artifacts_max = 1'000;
inline constexpr std::size_t labels_max = 10'000;

Result<run::Data> pipeline(run::Run& run);
Result<Prepared> prepare(const json::Value& request, const Texts& texts);
// {"run_id", "status", "progress", "judge", "contract", "artifacts", "result"?: {"true_positive_rate",
// "false_positive_rate", "undecided", "differences", ...}, "error"?, "tokens_used"}
std::string view(const run::Journal& journal);
std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from);

// What a finished run has measured, for hosts that keep it. `input` is that of its begin, `result` that of its end.
judge::JudgeKey key_of(const json::Value& input);
judge::Tally tally_of(const json::Value& result);

}  // namespace plumb::pipelines::calibration
