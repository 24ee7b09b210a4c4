// The measure of progress: decides which of two versions of an artifact is better.
//
// Fewer structural errors are better, and none is best. If these are equal and both versions were judged, fewer issues
// of meaning are better. Only a version that is strictly better is kept, so a repair never makes an artifact worse.
#pragma once

#include <cstdint>

namespace plumb::repair {

struct Standing {
  std::uint64_t structural = 0;  // number of structural errors
  bool judged = false;
  std::uint64_t issues = 0;  // number of issues of meaning, if judged
};

constexpr bool is_better(const Standing& a, const Standing& b) {
  if (a.structural != b.structural) {
    return a.structural < b.structural;
  }
  return a.judged && b.judged && a.issues < b.issues;
}

}  // namespace plumb::repair
