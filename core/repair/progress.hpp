// The measure of progress: which of two versions of an artifact is the better one.
//
// Sound structure before broken structure; then fewer structural errors; then, where both were judged, fewer issues of
// meaning. What is not strictly better is not kept, so a repair never makes an artifact worse.
#pragma once

#include <cstdint>

namespace plumb::repair {

struct Standing {
  std::uint64_t structural = 0;  // errors
  bool judged = false;
  std::uint64_t issues = 0;  // of meaning, where judged
};

constexpr bool is_better(const Standing& a, const Standing& b) {
  if (a.structural != b.structural) {
    return a.structural < b.structural;
  }
  return a.judged && b.judged && a.issues < b.issues;
}

}  // namespace plumb::repair
