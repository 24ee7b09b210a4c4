// What a calibration has measured, for people.
//
//   Judge openai/gpt-4o-mini on quiz: 120 labels in 24 artifacts
//     false claims: catches 92.5 % (37 of 40; 95 % interval 79.6 % to 98.5 %)
//     true claims: rejects 3.8 % (3 of 79; 95 % interval 0.7 % to 10.8 %)
//     undecided: 1 (0 false, 1 true), in neither rate
//   Where the judge and the labels differ:
//     labels.jsonl:3 /questions/1 answer-correct: false, but accepted
#pragma once

#include <string>

#include "core/json/value.hpp"

namespace plumb::outcome {

// `view`: of the run. Empty if it has no result.
std::string calibration_text(const json::Value& view);

}  // namespace plumb::outcome
