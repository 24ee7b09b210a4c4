// How often a judge is wrong, measured with claims that a person has labelled.
//
//   Tally tally;  tally.caught = 37;  tally.missed = 3;  ...
//   catch_rate(tally)                    {37, 40, 7961, 9844}: 37 of 40, and the 95 % interval in ten-thousandths
//   rate_text(catch_rate(tally))         "92.5 % (37 of 40; 95 % interval 79.6 % to 98.5 %)"
//
// A claim is false if a person said that the source does not support it. The true-positive rate is the share of false
// claims that the judge catches; the false-positive rate is the share of true claims that it rejects. A claim that the
// judge leaves undecided counts in neither rate, because the judge neither accepted nor rejected it.
//
// Intervals are those of Clopper and Pearson. They contain the true rate in at least 95 of 100 samples, whatever the
// rate and the number of labels. Their ends are rounded outwards.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/json/record.hpp"
#include "core/json/writer.hpp"

namespace plumb::judge {

inline constexpr std::uint64_t whole_share = 10'000;  // 100 %
inline constexpr std::uint64_t tally_max = 100'000;   // labels of which an interval is computed

struct Tally {
  std::uint64_t caught = 0;      // false, rejected by the judge
  std::uint64_t missed = 0;      // false, accepted by it
  std::uint64_t rejected = 0;    // true, rejected by it
  std::uint64_t confirmed = 0;   // true, accepted by it
  std::uint64_t false_open = 0;  // false, undecided
  std::uint64_t true_open = 0;   // true, undecided
  static std::span<const json::Field> fields();
};

// `count` of `of`; without any, the interval is everything.
struct Rate {
  std::uint64_t count = 0;
  std::uint64_t of = 0;
  std::uint64_t low = 0;  // in ten-thousandths
  std::uint64_t high = whole_share;
};
Rate rate_of(std::uint64_t count, std::uint64_t of);
Rate catch_rate(const Tally& tally);   // the true-positive rate
Rate reject_rate(const Tally& tally);  // the false-positive rate
// The share of false claims that the judge accepts: what the catch rate leaves.
Rate miss_rate(const Tally& tally);

// "92.5 % (37 of 40; 95 % interval 79.6 % to 98.5 %)"; of nothing: "not known (no such claim was decided)".
std::string rate_text(const Rate& rate);
// Ten-thousandths as "79.6 %".
std::string percent_text(std::uint64_t share);
// {"rate", "count", "of", "low", "high"}, with shares from 0 to 1; without `rate` if it is not known.
void write_rate(json::Writer& json, std::string_view name, const Rate& rate);

// What a measurement is about. It holds only for a judge that is asked in the same way about the same contract.
struct JudgeKey {
  std::string judge;          // as "ollama/qwen3:8b"
  std::string contract;       // the name: "quiz"
  std::string contract_hash;  // "sha256:..."
  std::string prompt_hash;    // of the judge's prompt with the form of its answer
  std::uint64_t way = 0;      // of the code that checks what the judge says
  bool operator==(const JudgeKey&) const = default;
  static std::span<const json::Field> fields();
};

// A measurement that is kept.
struct Measured {
  std::string run;  // the run that made it
  std::uint64_t at_ms = 0;
  Tally tally;
  static std::span<const json::Field> fields();
};

// What a host demands of a judge: `judge` in plumb.yaml.
struct JudgeLimits {
  std::uint64_t missed_max = whole_share;  // false claims that it may accept, in ten-thousandths
  bool must_be_measured = false;
  bool any() const { return missed_max < whole_share || must_be_measured; }
  static std::span<const json::Field> fields();
};
// Why a judge is not trusted alone; empty if it is. `measured` is nullptr if it was never measured.
std::string distrust(std::string_view judge, const Tally* measured, const JudgeLimits& limits);

}  // namespace plumb::judge
