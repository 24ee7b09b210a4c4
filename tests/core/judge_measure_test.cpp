#include "core/judge/measure.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace plumb;
using namespace plumb::judge;

TEST_CASE("judge measure: intervals are those of Clopper and Pearson, rounded outwards") {
  struct Known {
    std::uint64_t count, of, low, high;
  };
  // Inverted tails of the binomial distribution, summed with logarithms of the gamma function.
  for (const Known& one : std::vector<Known>{{0, 10, 0, 3085},
                                             {10, 10, 6915, 10000},
                                             {0, 1, 0, 9750},
                                             {5, 10, 1870, 8130},
                                             {37, 40, 7961, 9843},
                                             {1, 100, 2, 545},
                                             {999, 1000, 9944, 10000},
                                             {20000, 100000, 1975, 2025}}) {
    const Rate rate = rate_of(one.count, one.of);
    CHECK_MESSAGE(rate.low == one.low, one.count << " of " << one.of);
    CHECK_MESSAGE(rate.high == one.high, one.count << " of " << one.of);
  }
}

TEST_CASE("judge measure: nothing decided is not known, and a damaged count claims nothing") {
  CHECK(rate_text(catch_rate({})) == "not known (no such claim was decided)");
  CHECK(rate_of(3, 2).low == 0);
  CHECK(rate_of(3, 2).high == whole_share);
  CHECK(rate_of(1, tally_max + 1).high == whole_share);
}

TEST_CASE("judge measure: undecided claims are in neither rate") {
  const Tally tally{8, 2, 1, 19, 5, 7};
  CHECK(rate_text(catch_rate(tally)) == "80 % (8 of 10; 95 % interval 44.3 % to 97.5 %)");
  CHECK(rate_text(reject_rate(tally)) == "5 % (1 of 20; 95 % interval 0.1 % to 24.9 %)");
  CHECK(miss_rate(tally).count == 2);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_rate(json, "a", catch_rate(tally));
  write_rate(json, "b", rate_of(0, 0));
  json.end_object();
  CHECK(out == R"({"a":{"rate":0.8,"count":8,"of":10,"low":0.4439,"high":0.9748},)"
               R"("b":{"count":0,"of":0,"low":0,"high":1}})");
}

TEST_CASE("judge measure: a judge is trusted by the end of its interval, never by the rate alone") {
  const Tally good{100, 0, 0, 100, 0, 0};
  const Tally few{5, 0, 0, 5, 0, 0};
  CHECK(distrust("m", &good, {500, false}).empty());
  CHECK(distrust("m", &few, {500, false}).find("0 % (0 of 5; 95 % interval 0 % to 52.2 %)") != std::string::npos);
  CHECK(distrust("m", &few, {whole_share, true}).empty());
  CHECK(distrust("m", nullptr, {500, false}).empty());
  CHECK(distrust("m", nullptr, {whole_share, true}).find("never measured") != std::string::npos);
}

// A judge's answers to a large population of labelled claims. Each resample labels some of them; the truth is the rate
// among those that nobody labelled.
TEST_CASE("judge measure: the stated interval has the truth in at least 93 of 100 resamples of held-out labels") {
  constexpr std::size_t population = 20'000;
  constexpr int resamples = 1'000;
  std::mt19937_64 random(20'260'208);
  for (const double share : {0.01, 0.05, 0.2, 0.5, 0.8, 0.97}) {
    for (const std::size_t labels : {10U, 30U, 100U, 400U}) {
      std::vector<bool> wrong(population);
      std::size_t all_wrong = 0;
      for (std::size_t i = 0; i < population; ++i) {
        wrong[i] = static_cast<double>(random() >> 11U) * 0x1.0p-53 < share;
        all_wrong += wrong[i] ? 1 : 0;
      }
      int contained = 0;
      std::map<std::uint64_t, Rate> rates;
      for (int sample = 0; sample < resamples; ++sample) {
        Tally tally;
        for (std::size_t i = 0; i < labels; ++i) {  // the first ones of a shuffle
          const std::size_t other = i + random() % (population - i);
          const bool chosen = wrong[other];
          wrong[other] = wrong[i];
          wrong[i] = chosen;
          ++(chosen ? tally.missed : tally.caught);
        }
        const double held_out =
            static_cast<double>(all_wrong - tally.missed) / static_cast<double>(population - labels);
        if (!rates.contains(tally.missed)) {
          rates[tally.missed] = miss_rate(tally);
        }
        const Rate rate = rates[tally.missed];
        contained +=
            held_out * 10'000 >= static_cast<double>(rate.low) && held_out * 10'000 <= static_cast<double>(rate.high)
                ? 1
                : 0;
      }
      CHECK_MESSAGE(contained * 100 >= 93 * resamples, "rate " << share << ", " << labels << " labels: " << contained);
    }
  }
}
