// What each feature of core/text/token_features.hpp costs in each encoding, in thousandths of a token. Written by
// tests/bench/tokens/fit.mjs (`PLUMB_BENCH_FIT=1 ./dev bench tokens`).
#pragma once

#include <cstdint>

namespace plumb::text::features {

extern const std::int16_t weights_o200k_base[];
extern const std::int16_t weights_cl100k_base[];
extern const std::uint32_t weights_size;  // of each; equal to features::count

}  // namespace plumb::text::features
